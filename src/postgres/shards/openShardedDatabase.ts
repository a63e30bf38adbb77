import type { Cluster, SlotOwnership } from '#cluster/cluster.ts'
import { openLateCluster } from '#cluster/lateCluster.ts'
import type { Clock } from '#kit/clock.ts'
import { type Log, silentLog } from '#kit/log.ts'
import { type Meter, withLabels } from '#kit/meter.ts'
import { repeatEvery } from '#kit/repeatEvery.ts'
import type { EnvironmentDatabase, SharedDatabaseOptions } from '#runtime/storage.ts'
import type { QueryLimits } from '#store/journalQueries.ts'
import type { Store } from '#store/store.ts'
import { shardOfPosition } from '#stream/postgres/positions.ts'
import type { SharedStream } from '#stream/sharedStream.ts'
import type { Database } from '../database.ts'
import { mayPass } from '../databaseWait.ts'
import type { SharedSchema } from '../sharedSchema.ts'
import { type OpenShards, openShards } from './openShards.ts'
import { openShardedCluster } from './shardedCluster.ts'
import { openShardedStore, openWorkerStore, type ShardedStore } from './shardedStore.ts'
import { openShardedStream } from './shardedStream.ts'
import { readShardList, shardPlaceOf } from './shardList.ts'
import { createShardReads, createShardRecords } from './shardRecords.ts'
import { openTagShards, type TagShards } from './tagShards.ts'

type ClusterMember = Parameters<EnvironmentDatabase['joinCluster']>[0]

/** Functions that open the parts of one schema. */
export type SchemaAdapters = {
  meter: Meter
  /** Opens no connection yet. */
  connect(url: string, meter?: Meter): SharedSchema
  /**
   * Checks the server, migrates the schema, and measures the clock. A server waits for a database that is away, unless
   * it may start without it: then `isAway` is true. `check`: a further check.
   */
  open(url: string, check?: Parameters<SharedSchema['prepare']>[0]): Promise<SharedSchema & { isAway: boolean }>
  openStore(schema: SharedSchema, limits: QueryLimits, ownership?: SlotOwnership): Promise<Store>
  openStream(schema: SharedSchema, ownership?: SlotOwnership, shard?: number): Promise<SharedStream>
  join(schema: SharedSchema, member: ClusterMember): Promise<Cluster>
  check(schema: SharedSchema): Promise<void>
}

/** Joins the cluster of a shard that was away at the start, once it answers. */
function joinLate(
  { control, shards }: OpenShards,
  number: number,
  member: ClusterMember,
  join: SchemaAdapters['join'],
): Cluster {
  const schema = shards[number]!
  const checkPlace = async (database: Pick<Database, 'sql'>) =>
    void (await shardPlaceOf(database, number, await readShardList(control.database)))
  return openLateCluster({
    log: (line) => member.log({ ...line, shard: number }),
    mayPass,
    async join() {
      await schema.prepare(checkPlace)
      return join(schema, member)
    },
  })
}

/** Each process renews its lease on a shard once a second. */
const maxSilentMs = 3_000
const reachedHelp = 'Whether this process reaches an event shard: 1, or 0.'

/** Why a process cannot use each shard. `clusters`: one for each shard; empty until the process has joined. */
function shardProblems({ shards }: OpenShards, clusters: readonly Cluster[]): (string | undefined)[] {
  return shards.map(({ time }, number) => {
    const silentMs = clusters[number]?.members.silentMs() ?? 0
    if (silentMs === Number.POSITIVE_INFINITY) return 'it has not responded since the start'
    if (silentMs > maxSilentMs) return 'it has not responded for 3 s'
    try {
      time.check()
      return undefined
    } catch (problem) {
      return (problem as Error).message
    }
  })
}

/** The results of `joinCluster`, which the store needs. */
type Joined = { log: Log; leases: Cluster['leases']; clock: Clock }

async function openStoreOfShards(
  { control, shards, home }: OpenShards,
  tagShards: TagShards,
  openStore: (schema: SharedSchema) => Promise<Store>,
  log: Log,
): Promise<ShardedStore> {
  const store = await openStore(control)
  const stores = await Promise.all(shards.map((schema, number) => (number === home ? store : openStore(schema))))
  const records = createShardRecords(control.database, store.write)
  return openShardedStore({
    ...{ control: store, shards: stores, records, tagShards, log },
    ...(home !== undefined && { home }),
  })
}

const deferredEveryMs = 5_000

/** The store of a member. It also writes the deferred changes of shards that were away. */
function withDeferredWrites(store: ShardedStore, joined: Joined): Store {
  const closing = new AbortController()
  // One process at a time does this.
  const write = async () => {
    if (await joined.leases.holds('deferredWrites')) await store.writeDeferred()
  }
  const what = 'replay deferred writes of the event shards'
  const writing = repeatEvery(deferredEveryMs, what, write, joined, closing.signal)
  return {
    ...store,
    async close() {
      closing.abort()
      await writing
      await store.close()
    },
  }
}

/** Opens an environment whose events lie on shards. */
export async function openShardedDatabase(
  { url, environment, start }: Pick<SharedDatabaseOptions, 'url' | 'environment' | 'start'>,
  shardUrls: readonly string[],
  on: SchemaAdapters,
): Promise<EnvironmentDatabase> {
  const opened = await openShards(shardUrls, {
    environment,
    ...(start && { start }),
    openControl: () => on.open(url),
    connect: (url, shard) => on.connect(url, withLabels(on.meter, { shard: `${shard}` })),
  })
  const { control, shards, home, away, close } = opened
  const tagShards = openTagShards(createShardReads(control.database.sql), shards.length)
  let joined: Joined | undefined
  let clusters: readonly Cluster[] = []
  const problems = () => shardProblems(opened, clusters)
  const { clock } = control.time
  return {
    clock,
    shards: { count: shards.length, ofTag: tagShards.known, problems },
    async openStore(limits, ownership) {
      const openOne = (schema: SharedSchema) => on.openStore(schema, limits)
      const store = await openStoreOfShards(opened, tagShards, openOne, joined?.log ?? silentLog)
      if (!ownership) return joined ? withDeferredWrites(store, joined) : store
      const { shard = 0 } = ownership
      return openWorkerStore(store, await on.openStore(shards[shard]!, limits, ownership), shard)
    },
    async openStream(ownership) {
      const openOne = (shard: number) => on.openStream(shards[shard]!, ownership, shard)
      if (ownership) return openOne(ownership.shard ?? 0)
      const streams = await Promise.all(shards.map((_, shard) => openOne(shard)))
      return openShardedStream({ streams, shardOfTag: tagShards.ofTag, shardOfPosition })
    },
    async joinCluster(member) {
      const own = await on.join(control, member)
      const join = (schema: SharedSchema, number: number) =>
        away.has(number) ? joinLate(opened, number, member, on.join) : on.join(schema, member)
      clusters = await Promise.all(shards.map((schema, number) => (number === home ? own : join(schema, number))))
      for (const [number] of shards.entries())
        withLabels(on.meter, { shard: `${number}` }).gauge('aglet_shard_reached', reachedHelp, () =>
          problems()[number] === undefined ? 1 : 0,
        )
      joined = { log: member.log, clock, leases: own.leases }
      return openShardedCluster(own, clusters)
    },
    isAway: () => false,
    check: () => on.check(control),
    moveFiles: async () => {
      throw new Error('AGLET_STREAM_URL is set. Restore with only AGLET_DATABASE_URL, then add event shards.')
    },
    close,
  }
}
