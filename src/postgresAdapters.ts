import type { ProcessRole } from '#cluster/cluster.ts'
import { waitForAcknowledgement } from '#cluster/postgres/changeFeed.ts'
import { openPostgresCluster } from '#cluster/postgres/postgresCluster.ts'
import { type Meter, noMeter, withLabels } from '#kit/meter.ts'
import { openReader } from '#kit/sqlite.ts'
import { checkDatabase, streamingStandbys } from '#postgres/checkDatabase.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { type DatabaseClock, openDatabaseClock } from '#postgres/databaseClock.ts'
import { countErrors, meterConnections, watchStatus } from '#postgres/databaseMetrics.ts'
import { migrate } from '#postgres/migrate.ts'
import { datePositions } from '#postgres/movedPositions.ts'
import type { EnvironmentDatabase, SharedDatabaseOptions } from '#runtime/storage.ts'
import { moveSqliteStore, readEventDays } from '#store/postgres/moveSqliteStore.ts'
import { openPostgresStore } from '#store/postgres/postgresStore.ts'
import { queryConnections } from '#store/postgres/queries.ts'
import type { Store } from '#store/store.ts'
import { moveSqliteStream, readDayStarts } from '#stream/postgres/moveSqliteStream.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'
import { readTodoStats } from '#stream/postgres/todoStats.ts'

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

/** Counts the profiles that another process had changed meanwhile, and are written again. */
function countConflicts(store: Store, meter: Meter): Store {
  const help = 'Profiles that another process had changed meanwhile, and were written again.'
  const conflicts = meter.counter('aglet_user_conflicts_total', help)
  const put: Store['users']['put'] = async (writes) => {
    const results = await store.users.put(writes)
    conflicts.add(results.filter((isWritten) => !isWritten).length)
    return results
  }
  return { ...store, users: { ...store.users, put } }
}

type OpenDatabase = { database: Database; queryDatabase: Database; time: DatabaseClock; close(): Promise<void> }

/** Checks the server, migrates the schema, and measures the clock. */
async function openChecked(options: SharedDatabaseOptions, meter: Meter): Promise<OpenDatabase> {
  const { url, environment, role, syncStandbys, clock } = options
  await using opened = new AsyncDisposableStack()
  const shared = { url, schema: `aglet_${environment}`, failed: countErrors(meter) }
  const database = openDatabase({ ...shared, connections: connectionsOf[role] })
  opened.defer(database.close)
  const queryDatabase = openDatabase({ ...shared, connections: queryConnections, timeoutMs: queryTimeoutMs })
  opened.defer(queryDatabase.close)
  await checkDatabase(database, syncStandbys)
  await migrate(database)
  const time = await openDatabaseClock({ database, clock })
  opened.defer(time.close)
  meterConnections(meter, database)
  const readTodo = () => readTodoStats(database)
  const status = watchStatus({ database, meter, clock: time.clock, readTodo })
  opened.defer(status.close)
  const resources = opened.move()
  return { database, queryDatabase, time, close: () => resources.disposeAsync() }
}

/** Checks the server, migrates the schema of the environment, and opens it. */
export async function openPostgresAdapters(options: SharedDatabaseOptions): Promise<EnvironmentDatabase> {
  const { environment, syncStandbys, meter: serverMeter } = options
  const meter = withLabels(serverMeter ?? noMeter, { environment })
  const { database, queryDatabase, time, close } = await openChecked(options, meter)
  const { clock } = time
  const offsetHelp = 'Time of the database minus that of this machine.'
  meter.gauge('aglet_clock_offset_seconds', offsetHelp, () => time.offsetMs() / 1_000)
  const acknowledged = (seq: number) => waitForAcknowledgement(database, seq)
  return {
    clock,
    openStore: async (limits, ownership) => {
      const parts = { database, queryDatabase, limits, acknowledged, ...(ownership && { ownership }) }
      return countConflicts(await openPostgresStore(parts), meter)
    },
    openStream: (ownership) => openPostgresStream({ database, clock, meter, ...(ownership && { ownership }) }),
    joinCluster: (member) => openPostgresCluster({ database, clock, meter, ...member }),
    async check() {
      time.check()
      await checkWritable(database, syncStandbys)
    },
    moveFiles: (files, source) => moveFiles(database, files, source),
    close,
  }
}
