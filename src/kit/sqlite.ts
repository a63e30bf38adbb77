import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** `cacheKib`: pages held in memory. `checkpointPages`: how far the log grows before it is copied into the file. */
export type DatabaseOptions = { cacheKib?: number; checkpointPages?: number }

/** What must hold for a COMMIT that returned to outlive a power failure, as SQLite reads it back. */
const durable = { journal_mode: 'wal', synchronous: 2 } as const

const refusal = (path: string, why: unknown) =>
  new Error(`${path} cannot be used: ${why instanceof Error ? why.message : why}.`, { cause: why })

const pragma = (db: DatabaseSync, name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/** Throws unless every commit of this connection is synced to the disk before it returns. */
export function assertDurable(db: DatabaseSync): void {
  for (const [name, wanted] of Object.entries(durable)) {
    const found = pragma(db, name)
    if (found !== wanted)
      throw new Error(`SQLite is set to ${name}=${found} and not to ${wanted}: it could lose what it confirmed`)
  }
}

/** Opens a file for writing, or makes it. Throws a sentence that names the file when it cannot be used durably. */
export function openDatabase(
  path: string,
  { cacheKib = 8192, checkpointPages = 1000 }: DatabaseOptions = {},
): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true })
    // fullfsync: on macOS a plain fsync leaves the data in the drive's own cache.
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON',
    )
    db.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    // A log that one burst made long is cut back once it has been copied.
    db.exec('PRAGMA journal_size_limit = 67108864')
    assertDurable(db)
    return db
  } catch (error) {
    db?.close()
    throw refusal(path, error)
  }
}

/**
 * What a statement may have to undo is kept in memory from now on. By default it is written to a file of its own for each:
 * several times what a commit writes. Not during a migration, which may sort a whole table.
 */
export const withoutTemporaryFiles = (db: DatabaseSync): void => db.exec('PRAGMA temp_store = MEMORY')

/** A second connection, which sees what has been committed and cannot write. */
export function openReader(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  } catch (error) {
    throw refusal(path, error)
  }
}

/** Statements of one connection, each prepared once. */
export function statements(db: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    const made = db.prepare(sql)
    prepared.set(sql, made)
    return made
  }
}

/** All of `work` or nothing. What it returns is on disk. */
export function transact<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk or a failed write can have ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
