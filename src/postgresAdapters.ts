import type { Cluster, ProcessRole, SlotOwnership } from '#cluster/cluster.ts'
import { waitForAcknowledgement } from '#cluster/postgres/changeFeed.ts'
import { openPostgresCluster } from '#cluster/postgres/postgresCluster.ts'
import { openShardedCluster } from '#cluster/shardedCluster.ts'
import type { Clock } from '#kit/clock.ts'
import { type Log, silentLog } from '#kit/log.ts'
import { openReader } from '#kit/sqlite.ts'
import { checkDatabase, streamingStandbys } from '#postgres/checkDatabase.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { datePositions } from '#postgres/movedPositions.ts'
import { refuseMissingShards, registerShards } from '#postgres/shards.ts'
import type { EnvironmentDatabase, SharedDatabaseOptions } from '#runtime/storage.ts'
import type { QueryLimits } from '#store/journalQueries.ts'
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
type OpenSchema = { database: Database; queryDatabase: Database; close(): Promise<void> }

/** Checks the server, migrates the schema of the environment, and opens it. */
async function openSchema(
  url: string,
  { environment, role, syncStandbys }: Omit<SharedDatabaseOptions, 'url' | 'shardUrls'>,
): Promise<OpenSchema> {
  const schema = `aglet_${environment}`
  const database = openDatabase({ url, schema, connections: connectionsOf[role] })
  const queryDatabase = openDatabase({ url, schema, connections: queryConnections, timeoutMs: queryTimeoutMs })
  const close = async () => {
    await Promise.all([database.close(), queryDatabase.close()])
  }
  try {
    await checkDatabase(database, syncStandbys)
    await migrate(database)
  } catch (problem) {
    await close()
    throw problem
  }
  return { database, queryDatabase, close }
}

const openStoreOn = ({ database, queryDatabase }: OpenSchema, limits: QueryLimits, ownership?: SlotOwnership) =>
  openPostgresStore({
    ...{ database, queryDatabase, limits },
    acknowledged: (seq: number) => waitForAcknowledgement(database, seq),
    ...(ownership && { ownership }),
  })

/** The database that holds all of an environment. */
async function openOneDatabase(options: SharedDatabaseOptions): Promise<EnvironmentDatabase> {
  const schema = await openSchema(options.url, options)
  const { database, close } = schema
  await refuseMissingShards(database).catch(async (problem) => {
    await close()
    throw problem
  })
  return {
    openStore: (limits, ownership) => openStoreOn(schema, limits, ownership),
    openStream: (clock, ownership) => openPostgresStream({ database, clock, ...(ownership && { ownership }) }),
    joinCluster: (member) => openPostgresCluster({ database, ...member }),
    check: () => checkWritable(database, options.syncStandbys),
    moveFiles: (files, source) => moveFiles(database, files, source),
    close,
  }
}

type OpenShards = { control: OpenSchema; shards: readonly OpenSchema[]; home?: number; close(): Promise<void> }

/** Opens the control database and the event shards. A shard that is the control database shares its connections. */
async function openSchemas(options: SharedDatabaseOptions, shardUrls: readonly string[]): Promise<OpenShards> {
  await using opened = new AsyncDisposableStack()
  const open = async (url: string) => {
    const schema = await openSchema(url, options)
    opened.defer(schema.close)
    return schema
  }
  const control = await open(options.url)
  const listed: OpenSchema[] = []
  for (const url of shardUrls) listed.push(await open(url))
  const home = await registerShards(
    control.database,
    listed.map(({ database }) => database),
  )
  if (home !== undefined) await listed[home]!.close()
  const shards = listed.map((each, number) => (number === home ? control : each))
  const resources = opened.move()
  return { control, shards, ...(home !== undefined && { home }), close: () => resources.disposeAsync() }
}

/** What `joinCluster` got: the store is opened after it. */
type Joined = { log: Log; clock: Clock; leases: Cluster['leases'] }

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
  return {
    async openStore(limits, ownership) {
      const store = await openStoreOfShards(opened, tagShards, { limits, log: joined?.log ?? silentLog })
      if (!ownership) return joined ? withOwedWrites(store, joined) : store
      const { shard = 0 } = ownership
      return openWorkerStore(store, await openStoreOn(shards[shard]!, limits, ownership), shard)
    },
    async openStream(clock, ownership) {
      const openOne = (shard: number) =>
        openPostgresStream({ database: shards[shard]!.database, clock, shard, ...(ownership && { ownership }) })
      if (ownership) return openOne(ownership.shard ?? 0)
      const streams = await Promise.all(shards.map((_, shard) => openOne(shard)))
      return openShardedStream({ streams, shardOfTag: tagShards.ofTag, shardOfPosition })
    },
    async joinCluster(member) {
      const join = ({ database }: OpenSchema) => openPostgresCluster({ database, ...member })
      const own = await join(control)
      const clusters = await Promise.all(shards.map((schema, number) => (number === home ? own : join(schema))))
      joined = { log: member.log, clock: member.clock, leases: own.leases }
      return openShardedCluster(own, clusters)
    },
    check: () => checkWritable(control.database, options.syncStandbys),
    moveFiles: async () => {
      throw new Error('AGLET_STREAM_URL is set: restore with AGLET_DATABASE_URL alone, and add event shards then.')
    },
    close,
  }
}

/** Opens the database of an environment, and its event shards. */
export const openPostgresAdapters = (options: SharedDatabaseOptions): Promise<EnvironmentDatabase> =>
  options.shardUrls ? openShardedDatabase(options, options.shardUrls) : openOneDatabase(options)
