import type { Database } from '#postgres/database.ts'
import { createAccountStore } from '#store/sql/accountStore.ts'
import { createAlertStore } from '#store/sql/alertStore.ts'
import { type ControlReads, createControlReads } from '#store/sql/controlReads.ts'
import { createRunStore } from '#store/sql/webhookRuns.ts'
import type { Store } from '#store/store.ts'
import { postgresDialect } from './dialect.ts'
import { createReads, runStatement } from './statements.ts'
import { createWrite } from './writeChanges.ts'

export type PostgresStoreOptions = {
  /** A migrated schema. It stays open when the store is closed. */
  database: Database
  /** Resolves once every process has applied this change of the change feed. */
  acknowledged?(seq: number): Promise<void>
}

type ControlStore = ControlReads & Pick<Store, 'write' | 'accounts' | 'alerts' | 'runs' | 'close'>

/** Opens the store of one environment in a PostgreSQL schema. */
export async function openPostgresStore({ database, acknowledged }: PostgresStoreOptions): Promise<ControlStore> {
  const reads = createReads(database.sql)
  return {
    ...createControlReads(reads),
    write: createWrite(database, acknowledged),
    accounts: createAccountStore(reads),
    alerts: createAlertStore(reads, (statement) => runStatement(database.sql, statement), postgresDialect),
    runs: createRunStore(reads, postgresDialect),
    async close() {},
  }
}
