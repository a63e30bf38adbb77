import type { Cluster, ProcessRole, SlotOwnership } from '#cluster/cluster.ts'
import { waitForAcknowledgement } from '#cluster/postgres/changeFeed.ts'
import { openPostgresCluster } from '#cluster/postgres/postgresCluster.ts'
import { registerSpread } from '#cluster/postgres/spread.ts'
import { openShardedCluster } from '#cluster/shardedCluster.ts'
import { noSpread, type TagSpread } from '#cluster/slotOf.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { type Log, silentLog } from '#kit/log.ts'
import { type Meter, noMeter, withLabels } from '#kit/meter.ts'
import { openReader } from '#kit/sqlite.ts'
import { checkDatabase, streamingStandbys } from '#postgres/checkDatabase.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { type DatabaseClock, openDatabaseClock } from '#postgres/databaseClock.ts'
import { countErrors, meterConnections, watchStatus } from '#postgres/databaseMetrics.ts'
import { type Finding, inspectServer } from '#postgres/inspectServer.ts'
import { inspectShards } from '#postgres/inspectShards.ts'
import { migrate } from '#postgres/migrate.ts'
import { datePositions } from '#postgres/movedPositions.ts'
import { refuseMissingShards, registerShards } from '#postgres/shards.ts'
import type { EnvironmentDatabase, SharedDatabaseOptions } from '#runtime/storage.ts'
import type { QueryLimits } from '#store/journalQueries.ts'
import { measureStore } from '#store/postgres/measureStore.ts'
import { moveSqliteStore, readEventDays } from '#store/postgres/moveSqliteStore.ts'
import { openPostgresStore } from '#store/postgres/postgresStore.ts'
import { queryConnections } from '#store/postgres/queries.ts'
import { createShardReads, createShardRecords } from '#store/postgres/shardRecords.ts'
import { keepWritingOwed } from '#store/sharded/owedWrites.ts'
import { openShardedStore, openWorkerStore, type ShardedStore } from '#store/sharded/shardedStore.ts'
import { openTagShards, type TagShards } from '#store/sharded/tagShards.ts'
import type { Store } from '#store/store.ts'
import { moveSqliteStream, readDayStarts } from '#stream/postgres/moveSqliteStream.ts'
import { shardOfPosition } from '#stream/postgres/positions.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'
import { readTodoStats } from '#stream/postgres/todoStats.ts'

const schemaOf = (environment: EnvironmentName) => `aglet_${environment}`

import { openShardedStream } from '#stream/sharded/shardedStream.ts'

/** The connections of one process to the schema of one environment. They are opened when they are needed. */
const connectionsOf: Readonly<Record<ProcessRole, number>> = { edge: 3, worker: 4, control: 4, all: 8 }
const queryTimeoutMs = 615_000

/** Rejects with the reason if the database accepts no writes, or would confirm them on too few standbys. */
async function checkWritable(database: Database, syncStandbys: number): Promise<void> {
  const standbys = await streamingStandbys(database)
  if (standbys < syncStandbys)
    throw new Error(`the database has ${standbys} standbys that confirm commits, fewer than ${syncStandbys}`)
}

/** The rows that are moved in one transaction. */
const rowsPerMove = 1_000

async function moveFiles(
  database: Database,
  files: { store: string; stream?: string },
  source: string,
): Promise<Record<string, number>> {
  const run = { source, portion: rowsPerMove }
  using opened = new DisposableStack()
  const open = (path: string) => opened.adopt(openReader(path), (db) => db.close())
  const store = open(files.store)
  const stream = files.stream === undefined ? undefined : open(files.stream)
  const positions = datePositions([...readEventDays(store), ...(stream ? readDayStarts(stream) : [])])
  const counts = await moveSqliteStore(store, database, { ...run, toPosition: positions.toPosition })
  return stream ? { ...counts, ...(await moveSqliteStream(stream, database, { ...run, positions })) } : counts
}

/** A migrated schema of one database. */
type OpenSchema = {
  database: Database
  queryDatabase: Database
  time: DatabaseClock
  meter: Meter
  spread: TagSpread
  close(): Promise<void>
}

type SchemaOptions = Omit<SharedDatabaseOptions, 'url' | 'shardUrls'>

const meterOf = ({ environment, meter = noMeter }: SharedDatabaseOptions): Meter => withLabels(meter, { environment })

const clockHelp = 'Time of the database minus that of this machine.'

/** Checks the server, migrates the schema, and measures the clock. */
async function openSchema(url: string, options: SchemaOptions, meter: Meter): Promise<OpenSchema> {
  const { environment, role, syncStandbys, clock, tagSpread: spread = noSpread } = options
  await using opened = new AsyncDisposableStack()
  const shared = { url, schema: schemaOf(environment), failed: countErrors(meter) }
  const database = openDatabase({ ...shared, connections: connectionsOf[role] })
  opened.defer(database.close)
  const queryDatabase = openDatabase({ ...shared, connections: queryConnections, timeoutMs: queryTimeoutMs })
  opened.defer(queryDatabase.close)
  await checkDatabase(database, syncStandbys)
  await migrate(database)
  await registerSpread(database, spread)
  const time = await openDatabaseClock({ database, clock })
  opened.defer(time.close)
  meterConnections(meter, database)
  const readTodo = () => readTodoStats(database)
  const status = watchStatus({ database, meter, clock: time.clock, readTodo })
  opened.defer(status.close)
  meter.gauge('aglet_clock_offset_seconds', clockHelp, () => time.offsetMs() / 1_000)
  const resources = opened.move()
  return { database, queryDatabase, time, meter, spread, close: () => resources.disposeAsync() }
}

const openStoreOn = async (
  { database, queryDatabase, meter }: OpenSchema,
  limits: QueryLimits,
  ownership?: SlotOwnership,
): Promise<Store> => {
  const acknowledged = (seq: number) => waitForAcknowledgement(database, seq)
  const parts = { database, queryDatabase, limits, acknowledged, ...(ownership && { ownership }) }
  return measureStore(await openPostgresStore(parts), meter)
}

const openStreamOn = ({ database, time, meter, spread }: OpenSchema, ownership?: SlotOwnership, shard = 0) =>
  openPostgresStream({ database, clock: time.clock, meter, shard, spread, ...(ownership && { ownership }) })

const joinOn = ({ database, time, meter }: OpenSchema, member: Parameters<EnvironmentDatabase['joinCluster']>[0]) =>
  openPostgresCluster({ database, clock: time.clock, meter, ...member })

const checkSchema = async ({ database, time }: OpenSchema, syncStandbys: number): Promise<void> => {
  time.check()
  await checkWritable(database, syncStandbys)
}

/** The database that holds all of an environment. */
async function openOneDatabase(options: SharedDatabaseOptions): Promise<EnvironmentDatabase> {
  const schema = await openSchema(options.url, options, meterOf(options))
  const { database, time, close } = schema
  await refuseMissingShards(database).catch(async (problem) => {
    await close()
    throw problem
  })
  return {
    clock: time.clock,
    openStore: (limits, ownership) => openStoreOn(schema, limits, ownership),
    openStream: (ownership) => openStreamOn(schema, ownership),
    joinCluster: (member) => joinOn(schema, member),
    check: () => checkSchema(schema, options.syncStandbys),
    moveFiles: (files, source) => moveFiles(database, files, source),
    close,
  }
}

type OpenShards = { control: OpenSchema; shards: readonly OpenSchema[]; home?: number; close(): Promise<void> }

/** Opens the control database and the event shards. A shard that is the control database shares its connections. */
async function openSchemas(options: SharedDatabaseOptions, shardUrls: readonly string[]): Promise<OpenShards> {
  await using opened = new AsyncDisposableStack()
  const open = async (url: string, meter: Meter) => {
    const schema = await openSchema(url, options, meter)
    opened.defer(schema.close)
    return schema
  }
  const meter = meterOf(options)
  const control = await open(options.url, meter)
  const listed: OpenSchema[] = []
  for (const [shard, url] of shardUrls.entries()) listed.push(await open(url, withLabels(meter, { shard: `${shard}` })))
  const home = await registerShards(
    control.database,
    listed.map(({ database }) => database),
  )
  if (home !== undefined) await listed[home]!.close()
  const shards = listed.map((each, number) => (number === home ? control : each))
  const resources = opened.move()
  return { control, shards, ...(home !== undefined && { home }), close: () => resources.disposeAsync() }
}

/** A shard stores the lease of each process once a second. */
const maxSilentMs = 3_000
const reachedHelp = 'Whether this process reaches an event shard: 1, or 0.'

/** Why a process cannot work on the shards. `clusters`: those of the shards; empty until the process has joined. */
function shardProblems({ shards }: OpenShards, clusters: readonly Cluster[]): (string | undefined)[] {
  return shards.map(({ time }, number) => {
    if ((clusters[number]?.members.silentMs() ?? 0) > maxSilentMs) return 'it has not answered for 3 s'
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
  const opened = await openSchemas(options, shardUrls)
  const { control, shards, home, close } = opened
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
      const openOne = (shard: number) => openStreamOn(shards[shard]!, ownership, shard)
      if (ownership) return openOne(ownership.shard ?? 0)
      const streams = await Promise.all(shards.map((_, shard) => openOne(shard)))
      return openShardedStream({ streams, shardOfTag: tagShards.ofTag, shardOfPosition })
    },
    async joinCluster(member) {
      const own = await joinOn(control, member)
      clusters = await Promise.all(shards.map((schema, number) => (number === home ? own : joinOn(schema, member))))
      for (const [number] of shards.entries())
        withLabels(meterOf(options), { shard: `${number}` }).gauge('aglet_shard_reached', reachedHelp, () =>
          problems()[number] === undefined ? 1 : 0,
        )
      joined = { log: member.log, clock, leases: own.leases }
      return openShardedCluster(own, clusters)
    },
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
