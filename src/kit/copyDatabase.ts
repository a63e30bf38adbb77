import { open } from 'node:fs/promises'
import { backup, type DatabaseSync } from 'node:sqlite'
import { openDatabase, openReader } from './sqlite.ts'

/**
 * Copies all pages in one step. Between steps a write by another connection would restart the copy, under load for
 * ever.
 */
const everyPage = 2 ** 31 - 1

/** Syncs a file, or the entries of a directory, to the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}

/**
 * Copies a consistent snapshot of a database that may be in use, without blocking writers. `edit` may change the copy;
 * its result is returned. The copy is one file, because closing it empties its write-ahead log, and is synced when this
 * resolves.
 */
export async function copyDatabase<Result>(
  from: string,
  to: string,
  edit: (copy: DatabaseSync) => Result,
): Promise<Result> {
  const source = openReader(from)
  await backup(source, to, { rate: everyPage }).finally(() => source.close())
  const copy = openDatabase(to)
  try {
    return edit(copy)
  } finally {
    copy.close()
    await syncPath(to)
  }
}
