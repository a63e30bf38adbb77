import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { transact } from './sqlite.ts'

const migrationFile = /^(\d{4})-[a-z-]+\.sql$/

/** The migrations of some folders, files `0001-….sql`, in order of their numbers. */
function migrationsOf(folders: readonly URL[]): { number: number; name: string; file: URL }[] {
  const found = folders.flatMap((folder) =>
    readdirSync(folder).flatMap((name) => {
      const number = migrationFile.exec(name)?.[1]
      return number ? [{ number: Number(number), name, file: new URL(name, folder) }] : []
    }),
  )
  return found.sort((one, other) => one.number - other.number)
}

/** The schema version of a database: the number of its newest migration, 0 for none. */
export function schemaVersion(db: DatabaseSync): number {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").get()
  return table ? Number(db.prepare('SELECT coalesce(max(number), 0) AS newest FROM migration').get()?.newest) : 0
}

/** Refuses a database with migrations of an unreleased build: before the first release, migrations were replaced. */
function refuseUnreleased(db: DatabaseSync, known: readonly { number: number; name: string }[]): void {
  const nameOf = db.prepare('SELECT name FROM migration WHERE number = ?')
  for (const { number, name } of known) {
    const applied = nameOf.get(number)?.name ?? name
    if (applied !== name)
      throw new Error(
        `${db.location()} was written by an Aglet version from before the first release (schema ${applied}), which this version ` +
          'does not support. Start that version, write the configuration to a file with "aglet pull", and apply it to a ' +
          'new data directory with "aglet apply".',
      )
  }
}

/**
 * Migrates a database to the schema of this build, in one transaction. Throws without a change if its schema is newer.
 */
export function migrate(db: DatabaseSync, ...folders: readonly URL[]): void {
  const known = migrationsOf(folders)
  const newest = known.at(-1)?.number ?? 0
  transact(db, () => {
    const schema = schemaVersion(db)
    if (schema > 0) refuseUnreleased(db, known)
    if (schema > newest)
      throw new Error(
        `${db.location()} was written by a newer Aglet (schema ${schema}, this build knows ${newest}). ` +
          'Start that version, or restore a backup.',
      )
    db.exec('CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT')
    for (const { number, name, file } of known.filter((each) => each.number > schema)) {
      db.exec(readFileSync(file, 'utf8'))
      db.prepare('INSERT INTO migration (number, name) VALUES (?, ?)').run(number, name)
    }
  })
}
