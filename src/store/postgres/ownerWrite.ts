import type { Database, Sql } from '#postgres/database.ts'
import { type Ownership, ownerTransaction } from '#postgres/ownership.ts'
import { repeatUnknown } from '#postgres/repeatUnknown.ts'

/**
 * A transaction of a worker, which is run again while the answer of its commit is lost: it must change nothing more when
 * it was stored before. Throws OwnershipLost, CommitUnknown.
 */
export const ownerWrite = <Result>(
  database: Database,
  ownership: Ownership | undefined,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> => repeatUnknown(() => ownerTransaction(database, ownership, work))
