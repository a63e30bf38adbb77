import { statfsSync } from 'node:fs'
import { openSealingKeys, type RotatableSealingKeys } from '#account/sealingKeys.ts'
import type { AuthenticateToken } from '#account/teamAccess.ts'
import { createTokenAuthenticator } from '#account/tokenAuthenticator.ts'
import type { SlotOwnership } from '#cluster/cluster.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { type CompletionWatcher, watchCompletions } from '#delivery/completionWatcher.ts'
import { openRecentRecords, type RecentRecords } from '#event/recentRecords.ts'
import type { HealthChecks } from '#http/healthRoutes.ts'
import { type IntakeLog, openIntakeLog } from '#journal/intakeLog.ts'
import { openRunLog, type RunLog } from '#journal/runLog.ts'
import type { Clock } from '#kit/clock.ts'
import { type Log, silentLog } from '#kit/log.ts'
import { watchLoopDelay } from '#kit/loopDelay.ts'
import { watchLoopLoad } from '#kit/loopLoad.ts'
import { openFairShare } from '#limit/fairShare.ts'
import { type IntakeRate, openIntakeRate } from '#limit/intakeRate.ts'
import { openRefusedCallsCounter } from '#limit/refusedCalls.ts'
import { isAway } from '#postgres/databaseError.ts'
import { hasRole, type Settings } from '#settings/settings.ts'
import { type Intake, openIntake } from '#stream/backpressure.ts'
import type { Stream } from '#stream/stream.ts'
import { type EventProfileDeps, openEventProfiles } from '#user/eventProfile.ts'
import { openProfiles, type Profiles } from '#user/profiles.ts'
import type { ProfilesDeps } from '#user/unwritten.ts'
import { applyChange } from './applyChange.ts'
import { demoInboxName } from './demo.ts'
import {
  type EnvironmentStore,
  type EnvironmentStoreOptions,
  keepsEdgeFile,
  openEnvironmentStore,
} from './environmentStore.ts'
import { describeShards } from './eventShards.ts'
import { keepEdgeFile } from './keepEdgeFile.ts'
import { type EnvironmentDatabase, openWorkerStorages, type WorkerStorage } from './storage.ts'

/** The state that the roles of one environment share while the server runs. */
export type EnvironmentRuntime = EnvironmentStore & {
  stream: Stream
  intake: Intake
  /** The rate limits of tags and teams. */
  intakeRate: IntakeRate
  /** Counts the intake of the tags. */
  intakeLog: IntakeLog
  runLog: RunLog
  /** User profiles of the tags; edge, worker and control share them. */
  profiles: Profiles
  completions: CompletionWatcher
  /** Records that the edge of this process passes to its worker. Absent unless the process has both roles. */
  recentRecords?: RecentRecords
  sealingKeys: RotatableSealingKeys
  authenticate: AuthenticateToken
  /** Opens the store and the stream of a worker. */
  openWorkerStorage(ownership: SlotOwnership): Promise<WorkerStorage>
  /** The name of its demo inbox. */
  demoInbox: string
  close(): Promise<void>
}

/** Free bytes on the disk of a folder, read at most every two seconds. */
function createFreeBytesReader(path: string, clock: Clock): () => number {
  let free = 0
  let until = Number.NEGATIVE_INFINITY
  return () => {
    if (clock.now() < until) return free
    until = clock.now() + 2_000
    const { bavail, bsize } = statfsSync(path)
    free = bavail * bsize
    return free
  }
}

/** Whether the events that this process accepts are also delivered here. */
const isWhole = (settings: Settings) => hasRole('edge', settings) && hasRole('worker', settings)

const openEnvironmentProfiles = (deps: Omit<ProfilesDeps, 'eventProfile'> & EventProfileDeps, signal: AbortSignal) =>
  openProfiles({ ...deps, eventProfile: openEventProfiles(deps) }, signal)

/** Applies the changes of other processes, and keeps the edge file up to date. */
function followChanges(
  deps: EnvironmentStore & Parameters<typeof applyChange>[1],
  {
    settings,
    dir,
    ...place
  }: Pick<EnvironmentStoreOptions, 'settings' | 'dir' | 'clock'> & { demoInbox: string; log: Log },
  opened: Pick<AsyncDisposableStack, 'defer'>,
): void {
  const path = dir.edgeFile(deps.environment)
  const kept = keepsEdgeFile(settings) ? keepEdgeFile({ ...deps, ...place, path }) : undefined
  if (kept) opened.defer(kept.stop)
  deps.cluster.changes.follow(async (change) => {
    await applyChange(change, deps)
    kept?.changed()
  })
}

/** Opens an environment for serving. If a later part cannot be opened, the earlier ones are closed. */
export async function openEnvironmentRuntime(
  environment: EnvironmentName,
  options: EnvironmentStoreOptions,
  log: Log = silentLog,
): Promise<EnvironmentRuntime> {
  await using opened = new AsyncDisposableStack()
  const { dir, adapters } = options
  const environmentStore = await openEnvironmentStore(environment, options)
  opened.defer(() => environmentStore.store.close())
  const { store, database, cluster, clock } = environmentStore
  const shared = await database?.openStream()
  const stream = shared ?? (await adapters.openStream(dir.stream(environment), clock))
  opened.defer(() => stream.close())
  const loop = watchLoopDelay()
  opened.defer(async () => loop.stop())
  const intake = openIntake(stream, {
    ...{ clock, ...(database?.shards && { shards: database.shards }) },
    ...{ freeBytes: createFreeBytesReader(dir.folder(environment), clock), loopDelayMs: loop.ms },
    teamOf: (tagId) => environmentStore.snapshots.get(tagId)?.teamId ?? tagId,
    limits: { freeBytes: options.settings.minFreeMb * 1024 * 1024 },
  })
  const closing = new AbortController()
  const refusedCalls = openRefusedCallsCounter({ ...environmentStore, log }, closing.signal)
  const intakeLog = openIntakeLog({ ...environmentStore, log }, closing.signal)
  const runLog = openRunLog({ ...environmentStore, log }, closing.signal)
  opened.defer(() => {
    closing.abort()
    return Promise.all([refusedCalls.flush(), intakeLog.flush(), runLog.flush()]).then(() => {})
  })
  // Only one process creates what is missing.
  const sealingKeys = await cluster.leases.exclusive('start', () =>
    openSealingKeys(store, environmentStore.keys, clock),
  )
  const inbox = await cluster.leases.exclusive('start', () => demoInboxName(environmentStore))
  const workers = openWorkerStorages({ ...environmentStore, stream: { ...stream, append: intake.append } }, options)
  const noteRewritten = () => {
    shared?.noteRewritten()
    workers.noteRewritten()
  }
  followChanges({ ...environmentStore, sealingKeys, noteRewritten }, { ...options, demoInbox: inbox, log }, opened)
  const resources = opened.move()
  return {
    ...environmentStore,
    stream: { ...stream, append: intake.append },
    intake,
    intakeLog,
    runLog,
    intakeRate: openIntakeRate({
      clock,
      limits: options.settings,
      fairShare: openFairShare({ clock, load: watchLoopLoad(), target: options.settings.fairShareLoad / 100 }),
      refused: refusedCalls.add,
      processes: () => cluster.members.count('edge'),
    }),
    profiles: openEnvironmentProfiles({ ...environmentStore, stream, log }, closing.signal),
    completions: watchCompletions({ ...environmentStore, stream, ...(database && { pollMs: sharedPollMs }) }),
    ...(isWhole(options.settings) && { recentRecords: openRecentRecords() }),
    sealingKeys,
    authenticate: createTokenAuthenticator(environmentStore),
    demoInbox: inbox,
    openWorkerStorage: workers.open,
    close: () => resources.disposeAsync(),
  }
}

/** Polling interval for finished deliveries if another process may deliver. */
const sharedPollMs = 100
/** A process that has not reached its database for this long is not ready. */
const maxSilentMs = 3_000

/** Anybody can read `/readyz`, so its text must not name a host. */
const checkNamingNoHost = ({ check }: EnvironmentDatabase) =>
  check().catch((error) => {
    throw isAway(error) ? new Error('no host of the database accepts writes') : error
  })

/**
 * Health checks of one environment: the store is readable, at least one event shard is reachable, and the stream accepts
 * events. They write nothing.
 */
export function environmentChecks({ environment, store, intake, database, cluster }: EnvironmentRuntime): HealthChecks {
  return {
    [`${environment}.store`]: async () => {
      if (database?.isAway()) throw new Error('the database has not responded since the start: events get 503')
      if (cluster.members.silentMs() > maxSilentMs) throw new Error('the database has not responded for 3 s')
      await (database ? checkNamingNoHost(database) : store.setting('firstRun.done'))
    },
    ...(database?.shards && { [`${environment}.shards`]: () => describeShards(database.shards!) }),
    [`${environment}.stream`]: () => {
      const overload = intake.overload()
      if (overload) throw new Error(`does not accept events: ${overload.message}`)
    },
  }
}
