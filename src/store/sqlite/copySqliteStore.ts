import { copyDatabase } from '#kit/copyDatabase.ts'
import { transact } from '#kit/sqlite.ts'

const laterDeliveries = 'SELECT no FROM delivery WHERE position > ?'

/** In this order because of the foreign keys. */
const trimStatements = [
  `DELETE FROM attempt WHERE delivery IN (${laterDeliveries})`,
  'DELETE FROM delivery WHERE position > ?',
  'DELETE FROM planned WHERE position > ?',
  'DELETE FROM event WHERE position > ?',
]

/**
 * Copies a store that may be in use, after its stream was copied. Events that were planned in between are left out,
 * because the copied stream assigns their positions to other events, which would count as planned.
 */
export const copySqliteStore = (from: string, to: string, lastPosition: number): Promise<void> =>
  copyDatabase(from, to, (copy) =>
    transact(copy, () => {
      for (const sql of trimStatements) copy.prepare(sql).run(lastPosition)
    }),
  )
