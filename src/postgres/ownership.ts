import type { Database, Sql } from './database.ts'

/** The slots that a worker process owns. Its member row is deleted when its lease has ended. */
export type Ownership = {
  memberId: string
  /** The slots that the process owns now. */
  slots(): readonly number[]
}

/** The lease of this process has ended, and another process may own its slots. Nothing was stored. */
export class OwnershipLost extends Error {
  override name = 'OwnershipLost'
}

/**
 * Runs a transaction of a worker. It holds a key-share lock on the member's row, which must be deleted before another
 * process takes the slots. So the slots are taken only after this transaction has ended, or this transaction finds no
 * row and stores nothing. Throws OwnershipLost. Without an ownership, the caller is the only process.
 */
export const ownerTransaction = <Result>(
  database: Database,
  ownership: Ownership | undefined,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (sql) => {
    if (ownership) {
      const [row] = await sql('SELECT 1 FROM member WHERE id = $1 FOR KEY SHARE', [ownership.memberId])
      if (!row) throw new OwnershipLost(`the lease of ${ownership.memberId} has ended`)
    }
    return work(sql)
  })
