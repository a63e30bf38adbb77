import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { copyDatabase } from '#kit/copyDatabase.ts'
import { transact } from '#kit/sqlite.ts'
import { logFolderOf } from './fold/journalWriter.ts'
import { openStoreWrites } from './fold/storeWrites.ts'

/** In this order because of the foreign keys. */
const trimStatements = [
  'DELETE FROM attempt WHERE position > ?',
  'DELETE FROM delivery WHERE position > ?',
  'DELETE FROM event WHERE position > ?',
]

/** A segment that is deleted meanwhile has its rows in the database, which is copied later. */
async function copyLog(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const names = await readdir(from).catch(() => [])
  for (const name of names)
    await cp(join(from, name), join(to, name)).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
}

/**
 * Copies a store that may be in use, after its stream was copied. What stands only in its log gets its rows in the copy, which
 * has no log. Events that were planned in between are left out, because the copied stream assigns their positions to other
 * events, which would count as planned.
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
