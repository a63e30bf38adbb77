import { openAlertNotifier } from '#alert/alertNotifier.ts'
import type { SlotOwnership, SlotWorker } from '#cluster/cluster.ts'
import type { DeliveryDeps } from '#delivery/deliveryDeps.ts'
import { startWorker } from '#delivery/worker.ts'
import { toRetentionPolicy } from '#journal/retentionPolicy.ts'
import { plugins } from '#plugins/index.ts'
import { openSender } from '#provider/engine/send.ts'
import { providers } from '#providers/index.ts'
import { hookLimits } from '#script/hook.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { demoInboxesOf, outboundSettings, type ServerRuntime, senderOptions } from './sharedRuntime.ts'

type WorkerRoleDeps = Pick<
  ServerRuntime,
  'settings' | 'log' | 'meter' | 'locate' | 'rates' | 'sandbox' | 'environments'
>

type Stoppable = { stop(): Promise<void> }

type WorkerParts = Omit<DeliveryDeps, 'store' | 'stream' | 'ownership'>

/** Starts a worker on the slots of an ownership. */
async function startSlotWorker(
  parts: WorkerParts,
  runtime: Pick<EnvironmentRuntime, 'openWorkerStorage'>,
  ownership: SlotOwnership,
): Promise<SlotWorker> {
  const { store, stream, ...storage } = await runtime.openWorkerStorage(ownership)
  const worker = startWorker({ ...parts, store, stream, ownership })
  const stop = () => worker.stop().finally(storage.close)
  return {
    gained: worker.gained,
    changed(slots) {
      storage.gained(slots)
      worker.changed(slots)
    },
    async release(slots) {
      await worker.release(slots)
      storage.released(slots)
    },
    lost() {
      worker.lost()
      stop().catch((error) => parts.log({ level: 'error', message: 'could not close an abandoned worker', error }))
    },
    stop,
  }
}

async function startEnvironmentWorker(
  { settings, log, meter, locate, rates, sandbox, environments }: WorkerRoleDeps,
  runtime: EnvironmentRuntime,
): Promise<Stoppable> {
  const send = openSender(senderOptions(settings, demoInboxesOf(environments)))
  const hooks = openSender({ ...outboundSettings(settings), limits: hookLimits })
  const { environment, clock, store, keys, snapshots, intakeLog, intakeRate, profiles, completions, tagUrl } = runtime
  const { leases } = runtime.cluster
  const alerts = openAlertNotifier({ environment, clock, store, keys, snapshots, log, leases, send: hooks })
  const parts: WorkerParts = {
    environment,
    clock,
    leases,
    ...(runtime.recentRecords && { recentRecords: runtime.recentRecords }),
    keys,
    snapshots,
    intakeLog,
    intakeRate,
    profiles,
    completions,
    tagUrl,
    brand: settings.brand,
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
  }
  const close = async () => {
    await alerts.stop()
    await Promise.all([send.close(), hooks.close()])
  }
  const worker = await runtime.cluster.startWorker((ownership) => startSlotWorker(parts, runtime, ownership))
  return { stop: () => worker.stop().finally(close) }
}

/** Starts the delivery worker of every environment. */
export function startWorkers(deps: WorkerRoleDeps): Promise<Stoppable[]> {
  return Promise.all(deps.environments.map((runtime) => startEnvironmentWorker(deps, runtime)))
}
