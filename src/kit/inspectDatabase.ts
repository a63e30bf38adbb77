import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { schemaVersion } from './migrate.ts'
import { openReader } from './sqlite.ts'

/** The report on a database file for the operator. */
export type DatabaseReport = {
  /** The number of the last migration. */
  schema: number
  /** The size of the file. `freeBytes`: the part of it that new rows reuse. */
  bytes: number
  freeBytes: number
  /** When the oldest event was accepted, epoch ms; absent if there is none. */
  oldestEventAt?: number
}

const readPragma = (db: DatabaseSync, name: string) =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] as string | number

/**
 * Reports on a file that may be in use. `table` holds the events, and may be missing in an older schema;
 * `selectOldest` selects the time of the oldest event as `at`. Throws when commits are not durable.
 */
export function inspectDatabase(path: string, table: string, selectOldest: string): DatabaseReport {
  const db = openReader(path)
  try {
    const mode = readPragma(db, 'journal_mode')
    if (mode !== 'wal') throw new Error(`its journal mode is ${mode}, not wal, so confirmed writes could be lost`)
    const hasEvents = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table)
    const at = hasEvents && db.prepare(selectOldest).get()?.at
    return {
      schema: schemaVersion(db),
      bytes: statSync(path).size,
      freeBytes: Number(readPragma(db, 'freelist_count')) * Number(readPragma(db, 'page_size')),
      ...(at != null && { oldestEventAt: Number(at) }),
    }
  } finally {
    db.close()
  }
}
