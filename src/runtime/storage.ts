import type { Cluster, ProcessRole, SlotOwnership } from '#cluster/cluster.ts'
import { openInProcessCluster } from '#cluster/inProcess.ts'
import type { TagSpread } from '#cluster/slotOf.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { DatabaseStart, DatabaseWait } from '#postgres/databaseWait.ts'
import { OwnershipLost } from '#postgres/ownership.ts'
import type { Settings } from '#settings/settings.ts'
import type { QueryLimits } from '#store/journalQueries.ts'
import type { Store } from '#store/store.ts'
import type { SharedStream } from '#stream/sharedStream.ts'
import type { Stream } from '#stream/stream.ts'
import type { DataDir } from './dataDir.ts'
import type { EventShards } from './eventShards.ts'
import { refuseOldStream } from './oldDataDir.ts'

/** The shared database of one environment. */
export type EnvironmentDatabase = {
  /** The database clock, which all its processes share. */
  clock: Clock
  /** With an ownership, this is a worker's store, whose writes throw OwnershipLost once the lease has ended. */
  openStore(queries: QueryLimits, ownership?: SlotOwnership): Promise<Store>
  /** Uses the database clock. */
  openStream(ownership?: SlotOwnership): Promise<SharedStream>
  /** Adds this process to the cluster of the database. */
  joinCluster(member: { role: ProcessRole } & ProcessMember): Promise<Cluster>
  /**
   * Rejects with the reason if the database (of several, the control database) accepts no writes or its clock differs too
   * much. Writes nothing.
   */
  check(): Promise<void>
  /** Whether the database has not answered since the start of this process, which runs without it. */
  isAway(): boolean
  /** Absent if a single database holds everything. */
  shards?: EventShards
  /**
   * Moves the files of an environment into the empty database. Continues an interrupted call with the same `source`, the
   * time of the backup. Resolves with the row count of each table.
   */
  moveFiles(files: { store: string; stream?: string }, source: string): Promise<Record<string, number>>
  close(): Promise<void>
}

export type SharedDatabaseOptions = {
  url: string
  /** The event shards by number. Absent: a single database holds everything. */
  shardUrls?: readonly string[]
  environment: EnvironmentName
  role: ProcessRole
  /** The tags whose new events are spread over several slots. */
  tagSpread?: TagSpread
  /** The number of standbys that must confirm each commit. */
  syncStandbys: number
  /** This machine's clock. */
  clock: Clock
  meter?: Meter
  /** How a server handles an unreachable database. Absent: throws. */
  start?: DatabaseStart
  /** Called if the database is unreachable: whether this process can start without it. */
  startsWithout?: StartsWithout
}
type StartsWithout = () => Promise<boolean>

/** Opens the data of an environment. Only main chooses the implementation. */
export type StorageAdapters = {
  openStore(path: string, queries?: QueryLimits): Promise<Store>
  openStream(path: string, clock: Clock): Promise<Stream>
  /** Checks and migrates the database. Throws an Error for the operator if it cannot be used safely. */
  openDatabase?(options: SharedDatabaseOptions): Promise<EnvironmentDatabase>
}

/** A process that joins the cluster of its database. */
type ProcessMember = { version: string; log: Log; wait?: DatabaseWait }

export type StorageOptions = {
  dir: DataDir
  settings: Settings
  adapters: StorageAdapters
  clock: Clock
  meter?: Meter
  /** Set by a server, which joins the cluster of its database. */
  member?: ProcessMember
  startsWithout?: StartsWithout
}

/**
 * The open store of an environment, its cluster and its clock. Closing the store closes everything.
 */
export type EnvironmentStorage = { store: Store; cluster: Cluster; clock: Clock; database?: EnvironmentDatabase }

const queryLimits = ({ queriesPerTeam, querySeconds }: Settings): QueryLimits => ({
  perTeam: queriesPerTeam,
  limitMs: querySeconds * 1_000,
})

/** Opens the database of the settings, else the files of the data directory. */
export async function openStorage(
  environment: EnvironmentName,
  { dir, settings, adapters, clock, meter, member, startsWithout }: StorageOptions,
): Promise<EnvironmentStorage> {
  const queries = queryLimits(settings)
  const { databaseUrl: url, streamUrl: shardUrls, tagSpread, role, syncStandbys } = settings
  if (url === undefined) {
    refuseOldStream(dir.stream(environment))
    return { store: await adapters.openStore(dir.store(environment), queries), cluster: openInProcessCluster(), clock }
  }
  if (!adapters.openDatabase) throw new Error('AGLET_DATABASE_URL is set, but this command works on files. Unset it.')
  await using opened = new AsyncDisposableStack()
  const database = await adapters.openDatabase({
    ...{ url, environment, role, syncStandbys, clock },
    ...(shardUrls && { shardUrls }),
    ...(tagSpread && { tagSpread }),
    ...(meter && { meter }),
    ...(member?.wait && { start: { log: member.log, wait: member.wait } }),
    ...(startsWithout && { startsWithout }),
  })
  opened.defer(database.close)
  const cluster = member ? await database.joinCluster({ role, ...member }) : openInProcessCluster()
  opened.defer(cluster.close)
  const store = await database.openStore(queries)
  opened.defer(store.close)
  const resources = opened.move()
  return { store: { ...store, close: () => resources.disposeAsync() }, cluster, clock: database.clock, database }
}

type AnyFunction = (...args: never[]) => unknown

/** Wraps functions so that they call `lost` when they reject with OwnershipLost. */
function reportLoss<Parts extends object>(parts: Parts, lost: () => void): Parts {
  const watch = (run: AnyFunction): AnyFunction => {
    return (...args) => {
      const result = run(...args)
      if (result instanceof Promise)
        result.catch((error) => {
          if (error instanceof OwnershipLost) lost()
        })
      return result
    }
  }
  const entries = Object.entries(parts).map(([name, part]) => [name, typeof part === 'function' ? watch(part) : part])
  return Object.fromEntries(entries) as Parts
}

/** The store and the stream of one worker. */
export type WorkerStorage = {
  store: Store
  stream: Stream
  gained(slots: readonly number[]): void
  released(slots: readonly number[]): void
  close(): Promise<void>
}

type WorkerStorageDeps = Pick<EnvironmentStorage, 'store' | 'database'> & { stream: Stream }

/** Opens the storages of the workers that this process starts. */
export function openWorkerStorages(
  { store, stream, database }: WorkerStorageDeps,
  { settings }: Pick<StorageOptions, 'settings'>,
) {
  const streams = new Set<SharedStream>()
  const noop = () => {}
  async function openShared(from: EnvironmentDatabase, ownership: SlotOwnership): Promise<WorkerStorage> {
    const owned = await from.openStore(queryLimits(settings), ownership)
    const leased = await from.openStream(ownership)
    streams.add(leased)
    const watch = <Parts extends object>(parts: Parts) => reportLoss(parts, ownership.reportLost)
    return {
      store: { ...owned, journal: watch(owned.journal), replays: watch(owned.replays) },
      stream: { ...watch(leased), append: stream.append },
      gained: leased.slotsGained,
      released: leased.forgetSlots,
      async close() {
        streams.delete(leased)
        await leased.close()
        await owned.close()
      },
    }
  }
  return {
    /** In a single process the worker uses the shared store and stream. Otherwise it has its own, whose writes need its lease. */
    open: async (ownership: SlotOwnership): Promise<WorkerStorage> =>
      database
        ? openShared(database, ownership)
        : { store, stream, gained: noop, released: noop, close: async () => {} },
    noteRewritten() {
      for (const each of streams) each.noteRewritten()
    },
  }
}
