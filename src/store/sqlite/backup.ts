import { copyDatabase } from '#kit/copy.ts'
import { transact } from '#kit/sqlite.ts'

const later = 'SELECT no FROM delivery WHERE position > ?'

/** In this order: each row goes before the one it hangs on. */
const cuts = [
  `DELETE FROM attempt WHERE delivery IN (${later})`,
  'DELETE FROM delivery WHERE position > ?',
  'DELETE FROM event WHERE position > ?',
]

/**
 * Copies a store that may be in use, after its stream was copied: what was planned in between is left out, because the
 * copied stream will give those positions to other events, which must not be taken for planned.
 */
export const copySqliteStore = (from: string, to: string, lastPosition: number): Promise<void> =>
  copyDatabase(from, to, (copy) =>
    transact(copy, () => {
      for (const sql of cuts) copy.prepare(sql).run(lastPosition)
    }),
  )
