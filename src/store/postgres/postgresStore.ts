import type { Statement } from '#kit/writeBatch.ts'
import type { Database } from '#postgres/database.ts'
import type { Ownership } from '#postgres/ownership.ts'
import { repeatUnknown } from '#postgres/repeatUnknown.ts'
import { createAccountStore } from '#store/sql/accountStore.ts'
import { createAlertStore } from '#store/sql/alertStore.ts'
import { type ControlReads, createControlReads } from '#store/sql/controlReads.ts'
import { createRunStore } from '#store/sql/webhookRuns.ts'
import type { Store } from '#store/store.ts'
import { postgresDialect } from './dialect.ts'
import { createJournal } from './journal.ts'
import { createReplayStore } from './replayStore.ts'
import { createReads, runStatement } from './statements.ts'
import { createUserStore } from './userStore.ts'
import { openWrites, throwStoreError } from './writeChanges.ts'

export type PostgresStoreOptions = {
  /** A migrated schema. It stays open when the store is closed. */
  database: Database
  /** Resolves once every process has applied this change of the change feed. */
  acknowledged?(seq: number): Promise<void>
  /** What this process owns as a worker. Absent in other roles, and if it is the only process. */
  ownership?: Ownership
}

type ControlStore = ControlReads &
  Pick<Store, 'write' | 'accounts' | 'journal' | 'replays' | 'alerts' | 'runs' | 'users' | 'close'>

/** Opens the store of one environment in a PostgreSQL schema. */
export async function openPostgresStore({
  database,
  acknowledged,
  ownership,
}: PostgresStoreOptions): Promise<ControlStore> {
  const reads = createReads(database.sql)
  const writeAlert = (statement: Statement) =>
    repeatUnknown(() => runStatement(database.sql, statement)).catch(throwStoreError)
  return {
    ...createControlReads(reads),
    ...openWrites(database, acknowledged),
    accounts: createAccountStore(reads),
    journal: createJournal(database, ownership),
    replays: createReplayStore(database, ownership),
    alerts: createAlertStore(reads, writeAlert, postgresDialect),
    runs: createRunStore(reads, postgresDialect),
    users: createUserStore(database),
  }
}
