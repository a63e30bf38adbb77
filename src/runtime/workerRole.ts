import { openAlertNotifier } from '#alert/alertNotifier.ts'
import { startWorker } from '#delivery/worker.ts'
import { toRetentionPolicy } from '#journal/retentionPolicy.ts'
import { plugins } from '#plugins/index.ts'
import { openSender } from '#provider/engine/send.ts'
import { openSendThread } from '#provider/engine/sendThread.ts'
import { providers } from '#providers/index.ts'
import { hookLimits } from '#script/hook.ts'
import { outboundSettings, type ServerRuntime, senderOptions } from './serverRuntime.ts'
import { hasRole } from './settings.ts'

type WorkerRoleDeps = Pick<
  ServerRuntime,
  'settings' | 'log' | 'meter' | 'locate' | 'rates' | 'sandbox' | 'environments'
>

export type Stoppable = { stop(): Promise<void> }

/** Starts the delivery worker of every environment. */
export function startWorkers({
  settings,
  log,
  meter,
  locate,
  rates,
  sandbox,
  environments: runtimes,
}: WorkerRoleDeps): Stoppable[] {
  if (!hasRole('worker', settings)) return []
  const { brand } = settings
  const outbound = outboundSettings(settings)
  return runtimes.map((runtime) => {
    const send = openSendThread(senderOptions(settings, runtime))
    const hooks = openSender({ ...outbound, limits: hookLimits })
    const { environment, clock, store, stream, keys, snapshots, intakeLog, intakeRate, profiles, completions, tagUrl } =
      runtime
    const alerts = openAlertNotifier({ environment, clock, store, keys, snapshots, log, send: hooks })
    const worker = startWorker({
      environment,
      clock,
      store,
      stream,
      recentRecords: runtime.recentRecords,
      keys,
      snapshots,
      intakeLog,
      intakeRate,
      profiles,
      completions,
      tagUrl,
      brand,
      log,
      meter,
      locate,
      rates,
      plugins,
      providers,
      send,
      runCode: sandbox.run,
      onChannelEvent: alerts.report,
      keep: toRetentionPolicy(settings),
      random: Math.random,
    })
    const close = async () => {
      await alerts.stop()
      await Promise.all([send.close(), hooks.close()])
    }
    return { stop: () => worker.stop().finally(close) }
  })
}
