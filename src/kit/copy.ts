import { open } from 'node:fs/promises'
import { backup, type DatabaseSync } from 'node:sqlite'
import { openDatabase, openReader } from './sqlite.ts'

/** All pages in one step: between steps every write by another connection would begin the copy anew, for ever under load. */
const everyPage = 2 ** 31 - 1

/** Puts a file, or the names in a folder, on disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}

/**
 * Copies a database that may be in use, as it is at one moment; who writes to it goes on meanwhile. `cut` may change the
 * copy, and what it returns is returned. The copy is one file, on disk when this resolves.
 */
export async function copyDatabase<Result>(
  from: string,
  to: string,
  cut: (copy: DatabaseSync) => Result,
): Promise<Result> {
  const source = openReader(from)
  await backup(source, to, { rate: everyPage }).finally(() => source.close())
  const copy = openDatabase(to)
  try {
    const result = cut(copy)
    copy.exec('PRAGMA journal_mode = DELETE')
    return result
  } finally {
    copy.close()
    await sync(to)
  }
}
