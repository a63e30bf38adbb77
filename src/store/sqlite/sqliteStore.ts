import { openReader } from '#kit/sqlite.ts'
import { DiskProblem, NotUnique } from '#kit/writer.ts'
import { logFolderOf } from '#log/logFolder.ts'
import { defaultQueryLimits, type QueryLimits } from '#store/journalQueries.ts'
import { createAccountStore } from '#store/sql/accountStore.ts'
import { createAlertStore } from '#store/sql/alertStore.ts'
import { createAttemptStore } from '#store/sql/attemptStore.ts'
import { createControlReads } from '#store/sql/controlReads.ts'
import { createIncidentStore } from '#store/sql/incidentStore.ts'
import { createOrderStore } from '#store/sql/orderStore.ts'
import { createRunStore } from '#store/sql/webhookRuns.ts'
import { Conflict, type Store, type StoreChange, Unwritable } from '#store/store.ts'
import { changeStatements } from './changeStatements.ts'
import { sqliteDialect } from './dialect.ts'
import { openJournalWriter } from './fold/journalWriter.ts'
import { createJournal } from './journal.ts'
import { openQueries } from './queryThreads.ts'
import { createReplayStore } from './replayStore.ts'
import { createSqlReader } from './sqlReader.ts'
import { createUserStore } from './userStore.ts'

const uniqueByColumns: Readonly<Record<string, Conflict['unique']>> = {
  'tag.team, tag.name': 'tag.name',
  'script.tag, script.name': 'script.name',
  'deployment.tag, deployment.number': 'deployment.number',
  'application.team, application.name': 'application.name',
  'person.email_key': 'person.email',
  'used.hash': 'used',
}

/** Counts are written every few seconds. They do not cause a fold, because each fold writes some pages of events again. */
const isCounts = (change: StoreChange) => 'add' in change && (change.add === 'intake' || change.add === 'refusedCalls')

/** Converts an error to one of the store's interface. */
function throwStoreError(error: unknown): never {
  if (error instanceof DiskProblem) throw new Unwritable(error.message, { cause: error })
  throw error instanceof NotUnique ? new Conflict(uniqueByColumns[error.columns] ?? 'other') : error
}

/**
 * Opens the embedded store: a file, and the folder of its log beside it. Throws an error for the operator if they
 * cannot be used. `pauseMs`: between two groups of the log, for a server, where few answers wait for a group and many
 * records can share one.
 */
export async function openSqliteStore(
  path: string,
  limits: QueryLimits = defaultQueryLimits,
  pauseMs = 0,
): Promise<Store> {
  const writer = await openJournalWriter(path, logFolderOf(path), pauseMs)
  const db = openReader(path)
  const read = createSqlReader(db)
  const queries = openQueries(path, limits, writer.fold)
  return {
    ...createControlReads(read, sqliteDialect),
    queries: queries.queriesOf,
    purge: () => writer.purge().catch(throwStoreError),
    async write(changes) {
      const write = changes.every(isCounts) ? writer.writeCounts : writer.write
      await write(changes.flatMap(changeStatements)).catch(throwStoreError)
    },
    accounts: createAccountStore(read),
    attempts: createAttemptStore(read, (statement) => writer.change([statement]).catch(throwStoreError)),
    journal: createJournal(read, writer),
    replays: createReplayStore(read, writer),
    incidents: createIncidentStore(read),
    alerts: createAlertStore(read, (statement) => writer.write([statement]), sqliteDialect),
    runs: createRunStore(read, sqliteDialect),
    orders: createOrderStore(read, sqliteDialect),
    users: createUserStore(read, writer),
    async close() {
      await queries.close()
      // The writer's connection closes last: SQLite then checkpoints the write-ahead log and deletes it.
      if (db.isOpen) db.close()
      await writer.close()
    },
  }
}
