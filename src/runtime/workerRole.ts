import { statfs } from 'node:fs/promises'
import { openAlertNotifier } from '#alert/alertNotifier.ts'
import { createAlertPage } from '#alert/alertPage.ts'
import { openAlertWatch } from '#alert/alertWatch.ts'
import { createStoreFigures } from '#alert/storeFigures.ts'
import type { SlotOwnership, SlotWorker } from '#cluster/cluster.ts'
import type { DeliveryDeps } from '#delivery/deliveryDeps.ts'
import { startWorker } from '#delivery/worker.ts'
import { toRetentionPolicy } from '#journal/retentionPolicy.ts'
import { plugins } from '#plugins/index.ts'
import { openSender } from '#provider/engine/send.ts'
import { providers } from '#providers/index.ts'
import { hookLimits } from '#script/hook.ts'
import { alertMailer } from './alertMail.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { dashboardPath } from './environmentStore.ts'
import { demoInboxesOf, outboundSettings, type ServerRuntime, senderOptions } from './sharedRuntime.ts'

type WorkerRoleDeps = Pick<
  ServerRuntime,
  'settings' | 'log' | 'mail' | 'meter' | 'locate' | 'rates' | 'sandbox' | 'environments'
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

/** The share of this process's disk that is free; undefined with a separate database, for which it has no meaning. */
async function freeDisk({ data, databaseUrl }: ServerRuntime['settings']): Promise<number | undefined> {
  if (databaseUrl !== undefined) return undefined
  const { bavail, blocks } = await statfs(data)
  return blocks > 0 ? bavail / blocks : undefined
}

/** Notifies people about the channels of an environment. */
function openAlerts(
  { settings, log, mail }: Pick<WorkerRoleDeps, 'settings' | 'log' | 'mail'>,
  runtime: EnvironmentRuntime,
) {
  const { vendorsUrl } = settings
  const limits = { ...outboundSettings(settings), ...(vendorsUrl && { vendorsUrl }), limits: hookLimits }
  const hooks = openSender(limits)
  const { environment, clock, store, keys, snapshots, baseUrl } = runtime
  const { leases } = runtime.cluster
  const shared = { environment, clock, store, keys, snapshots, log, leases, send: hooks }
  const notifier = openAlertNotifier(shared)
  const figures = createStoreFigures({ clock, store, snapshots, freeDisk: () => freeDisk(settings) })
  const pageOf = createAlertPage(settings.origin + dashboardPath(environment))
  const watch = openAlertWatch({ ...shared, ...alertMailer(mail), figures, pageOf, baseUrl })
  const stop = () => Promise.all([notifier.stop(), watch.stop()]).then(() => hooks.close())
  return { report: notifier.report, stop }
}

async function startEnvironmentWorker(
  { settings, log, mail, meter, locate, rates, sandbox, environments }: WorkerRoleDeps,
  runtime: EnvironmentRuntime,
): Promise<Stoppable> {
  const send = openSender(senderOptions(settings, demoInboxesOf(environments)))
  const { environment, clock, keys, snapshots, intakeLog, intakeRate, profiles, completions, tagUrl } = runtime
  const { leases } = runtime.cluster
  const alerts = openAlerts({ settings, log, mail }, runtime)
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
    await send.close()
  }
  const worker = await runtime.cluster.startWorker((ownership) => startSlotWorker(parts, runtime, ownership))
  return { stop: () => worker.stop().finally(close) }
}

/** Starts the delivery worker of every environment. */
export function startWorkers(deps: WorkerRoleDeps): Promise<Stoppable[]> {
  return Promise.all(deps.environments.map((runtime) => startEnvironmentWorker(deps, runtime)))
}
