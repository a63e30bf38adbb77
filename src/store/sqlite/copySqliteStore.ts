import { rm } from 'node:fs/promises'
import { copyDatabase } from '#kit/copyDatabase.ts'
import { transact } from '#kit/sqlite.ts'
import { copyLog, logFolderOf } from '#log/logFolder.ts'
import { openStoreWrites } from './fold/storeWrites.ts'

/** The foreign keys require this order. */
const trimStatements = [
  'DELETE FROM attempt WHERE position > ?',
  'DELETE FROM delivery WHERE position > ?',
  'DELETE FROM event WHERE position > ?',
]

/**
 * Copies a store that may be in use, after its stream was copied. Records that are only in its log become rows in the
 * copy, which has no log. The rows of a deleted segment are in the database, which is copied after the log. Events that
 * were planned meanwhile are left out: the copied stream will give their positions to other events, which would then
 * count as planned.
 */
export async function copySqliteStore(from: string, to: string, lastPosition: number): Promise<void> {
  const log = logFolderOf(to)
  try {
    await copyLog(logFolderOf(from), log)
    await copyDatabase(from, `${to}.part`, () => {})
    openStoreWrites({ path: `${to}.part`, folder: log }).close()
    await copyDatabase(`${to}.part`, to, (copy) =>
      transact(copy, () => {
        for (const sql of trimStatements) copy.prepare(sql).run(lastPosition)
      }),
    )
  } finally {
    for (const path of [log, `${to}.part`]) await rm(path, { recursive: true, force: true })
  }
}
