import type { Database, Sql } from '#postgres/database.ts'
import { isAway, isLockTimeout } from '#postgres/databaseError.ts'
import { type Ownership, ownerTransaction } from '#postgres/ownership.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import { Unwritable } from '#store/store.ts'

/**
 * A transaction of a worker. It runs again if the answer of its commit is lost, so a second run must change nothing
 * that the first one stored. Throws OwnershipLost, Unwritable and CommitUnknown.
 */
export const ownerWrite = <Result>(
  database: Database,
  ownership: Ownership | undefined,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> =>
  repeatUnknown(() => ownerTransaction(database, ownership, work)).catch((error: Error) => {
    if (!isAway(error) && !isLockTimeout(error)) throw error
    throw new Unwritable(`nothing was written to the database: ${error.message}`, { cause: error })
  })
