import type { Clock } from '#kit/clock.ts'
import type { Meter } from '#kit/meter.ts'
import { checkDatabase } from './checkDatabase.ts'
import { type Database, openDatabase } from './database.ts'
import { createDatabaseClock, type DatabaseClock } from './databaseClock.ts'
import { countErrors, meterConnections, watchStatus } from './databaseMetrics.ts'
import { openLateDatabase } from './lateDatabase.ts'
import { migrate } from './migrate.ts'
import { refusePooler } from './refusePooler.ts'

/** The schema of an environment in one database. Until `prepare` has resolved, its statements fail with DatabaseAway. */
export type SharedSchema = {
  database: Database
  /** For slow reads. */
  queryDatabase: Database
  time: DatabaseClock
  meter: Meter
  /**
   * Checks the server, migrates the schema and measures the clock. `check`: a further check before any statement runs.
   * Throws DatabaseError, or an Error with one sentence for the operator. May be repeated.
   */
  prepare(check?: (database: Database) => Promise<void>): Promise<void>
  close(): Promise<void>
}

type SharedSchemaOptions = {
  url: string
  schema: string
  connections: number
  /** For slow reads. `timeoutMs`: their time limit. */
  queries: { connections: number; timeoutMs: number }
  /** The standbys that must confirm each commit. */
  syncStandbys: number
  clock: Clock
  meter: Meter
  /** Writes the rows that every start writes, once the schema is migrated. */
  migrated(database: Database): Promise<void>
  readTodo(database: Database): Promise<{ records: number; oldestAt?: number }>
}

const clockHelp = 'Clock of the database minus the clock of this machine.'

/** Opens no connection yet. Throws an Error for an invalid URL. */
export function openSharedSchema(options: SharedSchemaOptions): SharedSchema {
  const { url, schema, syncStandbys, clock, meter, queries } = options
  const shared = { url, schema, failed: countErrors(meter) }
  const unchecked = openDatabase({ ...shared, connections: options.connections })
  const database = openLateDatabase(unchecked)
  const queryDatabase = openLateDatabase(openDatabase({ ...shared, ...queries }))
  const time = createDatabaseClock({ database: unchecked, clock })
  meterConnections(meter, database)
  const status = watchStatus({ database, meter, clock: time.clock, readTodo: () => options.readTodo(database) })
  meter.gauge('aglet_clock_offset_seconds', clockHelp, () => time.offsetMs() / 1_000)
  return {
    ...{ database, queryDatabase, time, meter },
    async prepare(check) {
      await refusePooler(unchecked)
      await checkDatabase(unchecked, syncStandbys)
      await migrate(unchecked)
      await options.migrated(unchecked)
      await time.start()
      await check?.(unchecked)
      for (const each of [database, queryDatabase]) each.open()
    },
    async close() {
      await status.close()
      await time.close()
      await queryDatabase.close()
      await database.close()
    },
  }
}
