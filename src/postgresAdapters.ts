import { type Cluster, everythingChanged, type ProcessRole, type SlotOwnership } from '#cluster/cluster.ts'
import { openLateCluster } from '#cluster/lateCluster.ts'
import { waitForAcknowledgement } from '#cluster/postgres/changeFeed.ts'
import { openPostgresCluster } from '#cluster/postgres/postgresCluster.ts'
import { registerSpread } from '#cluster/postgres/spread.ts'
import { openShardedCluster } from '#cluster/shardedCluster.ts'
import { noSpread } from '#cluster/slotOf.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { type Log, silentLog } from '#kit/log.ts'
import { type Meter, noMeter, withLabels } from '#kit/meter.ts'
import { checkWritable, TooFewStandbys } from '#postgres/checkDatabase.ts'
import type { Database } from '#postgres/database.ts'
import { databaseName, mayPass } from '#postgres/databaseWait.ts'
import { type Finding, inspectServer } from '#postgres/inspectServer.ts'
import { inspectShards } from '#postgres/inspectShards.ts'
import { type OpenShards, openShards } from '#postgres/openShards.ts'
import { readShardList, refuseMissingShards, shardPlaceOf } from '#postgres/shards.ts'
import { openSharedSchema, type SharedSchema } from '#postgres/sharedSchema.ts'
import type { EnvironmentDatabase, SharedDatabaseOptions } from '#runtime/storage.ts'
import type { QueryLimits } from '#store/journalQueries.ts'
import { measureStore } from '#store/postgres/measureStore.ts'
import { openPostgresStore } from '#store/postgres/postgresStore.ts'
import { queryConnections } from '#store/postgres/queries.ts'
import { createShardReads, createShardRecords } from '#store/postgres/shardRecords.ts'
import { keepWritingOwed } from '#store/sharded/owedWrites.ts'
import { openShardedStore, openWorkerStore, type ShardedStore } from '#store/sharded/shardedStore.ts'
import { openTagShards, type TagShards } from '#store/sharded/tagShards.ts'
import type { Store } from '#store/store.ts'
import { moveFiles } from '#stream/postgres/moveFiles.ts'
import { shardOfPosition } from '#stream/postgres/positions.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'
import { readTodoStats } from '#stream/postgres/todoStats.ts'

const schemaOf = (environment: EnvironmentName) => `aglet_${environment}`

import { openShardedStream } from '#stream/sharded/shardedStream.ts'

/** The connections of one process to the schema of one environment. They are opened when they are needed. */
const connectionsOf: Readonly<Record<ProcessRole, number>> = { edge: 3, worker: 4, control: 4, all: 8 }
const queryTimeoutMs = 615_000

type SchemaOptions = Omit<SharedDatabaseOptions, 'url' | 'shardUrls'>

const meterOf = ({ environment, meter = noMeter }: SharedDatabaseOptions): Meter => withLabels(meter, { environment })

const connectTo = (url: string, options: SchemaOptions, meter: Meter): SharedSchema =>
  openSharedSchema({
    ...{ url, schema: schemaOf(options.environment), meter, readTodo: readTodoStats },
    connections: connectionsOf[options.role],
    queries: { connections: queryConnections, timeoutMs: queryTimeoutMs },
    syncStandbys: options.syncStandbys,
    clock: options.clock,
    migrated: (database) => registerSpread(database, options.tagSpread ?? noSpread),
  })

type Prepare = () => Promise<void>

/** What became of the first try. An error is thrown by the next one. */
const tryFirst = (prepare: Prepare, startsWithout: NonNullable<SharedDatabaseOptions['startsWithout']>) =>
  prepare().then(
    () => 'ready' as const,
    async (error) => (mayPass(error) && (await startsWithout()) ? 'away' : 'not ready'),
  )

/**
 * Checks the server, migrates the schema, and measures the clock. A server waits for a database that is away, unless it
 * starts without it.
 */
async function openSchema(
  url: string,
  { start, startsWithout, ...options }: SchemaOptions,
  meter: Meter,
  check?: (database: Database) => Promise<void>,
): Promise<SharedSchema & { isAway: boolean }> {
  const schema = connectTo(url, options, meter)
  const prepare = () => schema.prepare(check)
  try {
    const first = startsWithout ? await tryFirst(prepare, startsWithout) : 'not ready'
    if (first === 'not ready') await (start ? start.wait.until(databaseName(options.environment), prepare) : prepare())
    return { ...schema, isAway: first === 'away' }
  } catch (problem) {
    await schema.close()
    throw problem
  }
}

const openStoreOn = async (
  { database, queryDatabase, meter }: SharedSchema,
  limits: QueryLimits,
  ownership?: SlotOwnership,
): Promise<Store> => {
  const acknowledged = (seq: number) => waitForAcknowledgement(database, seq)
  const parts = { database, queryDatabase, limits, acknowledged, ...(ownership && { ownership }) }
  return measureStore(await openPostgresStore(parts), meter)
}

const openStreamOn = (
  { database, time, meter }: SharedSchema,
  { tagSpread: spread = noSpread }: Pick<SharedDatabaseOptions, 'tagSpread'>,
  ownership?: SlotOwnership,
  shard = 0,
) => openPostgresStream({ database, clock: time.clock, meter, shard, spread, ...(ownership && { ownership }) })

const joinOn = ({ database, time, meter }: SharedSchema, member: Parameters<EnvironmentDatabase['joinCluster']>[0]) =>
  openPostgresCluster({ database, clock: time.clock, meter, ...member })

const checkSchema = async ({ database, time }: SharedSchema, syncStandbys: number): Promise<void> => {
  time.check()
  await checkWritable(database, syncStandbys)
}

/** The database that holds all of an environment. */
async function openOneDatabase(options: SharedDatabaseOptions): Promise<EnvironmentDatabase> {
  const schema = await openSchema(options.url, options, meterOf(options), refuseMissingShards)
  const { database, time, close } = schema
  let { isAway } = schema
  const join = async (member: Parameters<EnvironmentDatabase['joinCluster']>[0]) => {
    if (isAway) await schema.prepare(refuseMissingShards)
    isAway = false
    return joinOn(schema, member)
  }
  return {
    clock: time.clock,
    openStore: (limits, ownership) => openStoreOn(schema, limits, ownership),
    openStream: (ownership) => openStreamOn(schema, options, ownership),
    joinCluster: async (member) =>
      isAway
        ? openLateCluster({ join: () => join(member), mayPass: mayBeMended, log: member.log, first: everythingChanged })
        : join(member),
    isAway: () => isAway,
    check: () => checkSchema(schema, options.syncStandbys),
    moveFiles: (files, source) => moveFiles(database, files, source),
    close,
  }
}

/** A new primary names its standbys some seconds late. */
const mayBeMended = (error: unknown) => mayPass(error) || error instanceof TooFewStandbys

/** Joins the cluster of a shard that was away at the start, once it answers. */
function joinLate(
  { control, shards }: OpenShards,
  number: number,
  member: Parameters<EnvironmentDatabase['joinCluster']>[0],
): Cluster {
  const schema = shards[number]!
  const checkPlace = async (database: Pick<Database, 'sql'>) =>
    void (await shardPlaceOf(database, number, await readShardList(control.database)))
  return openLateCluster({
    log: (line) => member.log({ ...line, shard: number }),
    mayPass,
    async join() {
      await schema.prepare(checkPlace)
      return joinOn(schema, member)
    },
  })
}

/** A shard stores the lease of each process once a second. */
const maxSilentMs = 3_000
const reachedHelp = 'Whether this process reaches an event shard: 1, or 0.'

/** Why a process cannot work on the shards. `clusters`: those of the shards; empty until the process has joined. */
function shardProblems({ shards }: OpenShards, clusters: readonly Cluster[]): (string | undefined)[] {
  return shards.map(({ time }, number) => {
    const silentMs = clusters[number]?.members.silentMs() ?? 0
    if (silentMs === Number.POSITIVE_INFINITY) return 'it has not answered since the start'
    if (silentMs > maxSilentMs) return 'it has not answered for 3 s'
    try {
      time.check()
      return undefined
    } catch (problem) {
      return (problem as Error).message
    }
  })
}

/** What `joinCluster` got: the store is opened after it. */
type Joined = { log: Log; leases: Cluster['leases']; clock: Clock }

async function openStoreOfShards(
  { control, shards, home }: OpenShards,
  tagShards: TagShards,
  { limits, log }: { limits: QueryLimits; log: Log },
): Promise<ShardedStore> {
  const store = await openStoreOn(control, limits)
  const stores = await Promise.all(
    shards.map((schema, number) => (number === home ? store : openStoreOn(schema, limits))),
  )
  const records = createShardRecords(control.database, store.write)
  return openShardedStore({
    ...{ control: store, shards: stores, records, tagShards, log },
    ...(home !== undefined && { home }),
  })
}

/** The store of a member, which also writes what shards that were away are to write. */
function withOwedWrites(store: ShardedStore, joined: Joined): Store {
  const closing = new AbortController()
  const writing = keepWritingOwed({ writeOwed: store.writeOwed, ...joined }, closing.signal)
  return {
    ...store,
    async close() {
      closing.abort()
      await writing
      await store.close()
    },
  }
}

/** An environment whose events lie on shards. */
async function openShardedDatabase(
  options: SharedDatabaseOptions,
  shardUrls: readonly string[],
): Promise<EnvironmentDatabase> {
  const meter = meterOf(options)
  const { environment, start } = options
  const opened = await openShards(shardUrls, {
    environment,
    ...(start && { start }),
    openControl: () => openSchema(options.url, options, meter),
    connect: (url, shard) => connectTo(url, options, withLabels(meter, { shard: `${shard}` })),
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
      const store = await openStoreOfShards(opened, tagShards, { limits, log: joined?.log ?? silentLog })
      if (!ownership) return joined ? withOwedWrites(store, joined) : store
      const { shard = 0 } = ownership
      return openWorkerStore(store, await openStoreOn(shards[shard]!, limits, ownership), shard)
    },
    async openStream(ownership) {
      const openOne = (shard: number) => openStreamOn(shards[shard]!, options, ownership, shard)
      if (ownership) return openOne(ownership.shard ?? 0)
      const streams = await Promise.all(shards.map((_, shard) => openOne(shard)))
      return openShardedStream({ streams, shardOfTag: tagShards.ofTag, shardOfPosition })
    },
    async joinCluster(member) {
      const own = await joinOn(control, member)
      const join = (schema: SharedSchema, number: number) =>
        away.has(number) ? joinLate(opened, number, member) : joinOn(schema, member)
      clusters = await Promise.all(shards.map((schema, number) => (number === home ? own : join(schema, number))))
      for (const [number] of shards.entries())
        withLabels(meter, { shard: `${number}` }).gauge('aglet_shard_reached', reachedHelp, () =>
          problems()[number] === undefined ? 1 : 0,
        )
      joined = { log: member.log, clock, leases: own.leases }
      return openShardedCluster(own, clusters)
    },
    isAway: () => false,
    check: () => checkSchema(control, options.syncStandbys),
    moveFiles: async () => {
      throw new Error('AGLET_STREAM_URL is set: restore with AGLET_DATABASE_URL alone, and add event shards then.')
    },
    close,
  }
}

/** Opens the database of an environment, and its event shards. */
export const openPostgresAdapters = (options: SharedDatabaseOptions): Promise<EnvironmentDatabase> =>
  options.shardUrls ? openShardedDatabase(options, options.shardUrls) : openOneDatabase(options)

/** Checks the databases of the settings and the processes that share them. Changes nothing. */
export async function inspectPostgres(
  options: Pick<SharedDatabaseOptions, 'url' | 'shardUrls' | 'syncStandbys' | 'clock'>,
): Promise<Finding[]> {
  const { shardUrls = [] } = options
  const schemas = Object.fromEntries(environments.map((each) => [each, schemaOf(each)]))
  return [
    ...(await inspectServer({ ...options, schemas, readTodo: readTodoStats })),
    ...(await inspectShards({ ...options, schemas, shardUrls })),
  ]
}
