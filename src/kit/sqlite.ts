import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** `cacheKib`: the size of the page cache. `checkpointPages`: the size of the WAL at which it is checkpointed. */
type DatabaseOptions = { cacheKib?: number; checkpointPages?: number }

/** With these pragmas, as SQLite reports them, a returned COMMIT survives a power failure. */
const durable = { journal_mode: 'wal', synchronous: 2 } as const

const cannotOpen = 14 // SQLITE_CANTOPEN
const openAdvice =
  ' Check that the disk is mounted and has no errors (dmesg), and that the user of the server owns the directory, this file' +
  ' and its -wal and -shm files.'

/** An Error for the operator. It names the file, which SQLite does not, and says what to check. */
export function unusableFile(path: string, why: unknown): Error {
  const { errcode } = why as { errcode?: number }
  const advice = errcode === cannotOpen ? openAdvice : ''
  return new Error(`${path} cannot be used: ${why instanceof Error ? why.message : why}.${advice}`, { cause: why })
}

const pragma = (db: DatabaseSync, name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]

/** Throws unless every commit of this connection is synced to the disk before it returns. */
export function assertDurable(db: DatabaseSync): void {
  for (const [name, expected] of Object.entries(durable)) {
    const actual = pragma(db, name)
    if (actual !== expected)
      throw new Error(`SQLite is set to ${name}=${actual} and not to ${expected}: it could lose confirmed writes`)
  }
}

/** Opens or creates a database for writing. Throws an Error that names the file if it cannot be used durably. */
export function openDatabase(
  path: string,
  { cacheKib = 8192, checkpointPages = 1000 }: DatabaseOptions = {},
): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true })
    // fullfsync: on macOS a plain fsync leaves the data in the drive's cache.
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON',
    )
    db.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    // Deleted data is overwritten in its page, so that neither the file nor a copy contains it.
    db.exec('PRAGMA secure_delete = FAST')
    // After a burst has enlarged the WAL, truncate it at its checkpoint.
    db.exec('PRAGMA journal_size_limit = 67108864')
    assertDurable(db)
    return db
  } catch (error) {
    db?.close()
    throw unusableFile(path, error)
  }
}

/**
 * Keeps statement journals and temporary tables in memory. By default each statement writes a temporary file, several
 * times the size of the commit. Not used during a migration, which may sort a whole table.
 */
export const keepTemporaryDataInMemory = (db: DatabaseSync): void => db.exec('PRAGMA temp_store = MEMORY')

/** Opens a read-only connection, which sees committed data. */
export function openReader(path: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() // the first read opens the write-ahead log
    return db
  } catch (error) {
    db?.close()
    throw unusableFile(path, error)
  }
}

/** A cache of the prepared statements of a connection. */
export function preparedStatements(db: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    const statement = db.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
}

/** Runs `work` in a transaction. Its changes are on disk when this returns, or rolled back when it throws. */
export function transact<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk or a failed write may have rolled back the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
