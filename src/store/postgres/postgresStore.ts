import type { Statement } from '#kit/writeBatch.ts'
import type { Database } from '#postgres/database.ts'
import type { Ownership } from '#postgres/ownership.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import { defaultQueryLimits, type QueryLimits } from '#store/journalQueries.ts'
import { createAccountStore } from '#store/sql/accountStore.ts'
import { createAlertStore } from '#store/sql/alertStore.ts'
import { createAttemptStore } from '#store/sql/attemptStore.ts'
import { createControlReads } from '#store/sql/controlReads.ts'
import { createIncidentStore } from '#store/sql/incidentStore.ts'
import { createOrderStore } from '#store/sql/orderStore.ts'
import { createRunStore } from '#store/sql/webhookRuns.ts'
import type { Store } from '#store/store.ts'
import { postgresDialect } from './dialect.ts'
import { createJournal } from './journal.ts'
import { createQueries } from './queries.ts'
import { createReplayStore } from './replayStore.ts'
import { countChanged, createReads, runStatement } from './statements.ts'
import { createUserStore } from './userStore.ts'
import { openWrites, type PostgresWrites, throwStoreError } from './writeChanges.ts'

type PostgresStoreOptions = {
  /** A migrated schema. It stays open when the store is closed. */
  database: Database
  /**
   * The same schema, only for slow reads: with `queryConnections` connections and a statement timeout above
   * `limits.limitMs`. By default `database`.
   */
  queryDatabase?: Database
  /** The slots of a worker. Absent if the worker owns all slots, or the process is not a worker. */
  ownership?: Ownership
  /** Limits of slow reads. */
  limits?: QueryLimits
  /** Resolves once every process has applied this change of the change feed. */
  acknowledged?(seq: number): Promise<void>
}

/** Opens the store of one environment in a PostgreSQL schema. */
export async function openPostgresStore({
  database,
  queryDatabase = database,
  ownership,
  limits = defaultQueryLimits,
  acknowledged,
}: PostgresStoreOptions): Promise<Store & PostgresWrites> {
  const reads = createReads(database.sql)
  const writes = openWrites(database, acknowledged)
  const queries = createQueries(queryDatabase, limits)
  const writeAlert = (statement: Statement) =>
    repeatUnknown(() => runStatement(database.sql, statement)).catch(throwStoreError)
  return {
    ...createControlReads(reads, postgresDialect),
    write: writes.write,
    accounts: createAccountStore(reads),
    attempts: createAttemptStore(reads, (statement) => countChanged(database.sql, statement).catch(throwStoreError)),
    incidents: createIncidentStore(reads),
    alerts: createAlertStore(reads, writeAlert, postgresDialect),
    runs: createRunStore(reads, postgresDialect),
    orders: createOrderStore(reads, postgresDialect),
    journal: createJournal(database, ownership),
    queries: queries.queriesOf,
    replays: createReplayStore(database, ownership),
    users: createUserStore(database),
    async close() {
      await writes.close()
      await queries.close()
    },
  }
}
