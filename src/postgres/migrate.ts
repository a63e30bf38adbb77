import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { dataUrl } from '#kit/ownFiles.ts'
import type { Database, Sql } from './database.ts'

const [shared, own] = [dataUrl('store/sql/migrations/'), dataUrl('postgres/migrations/')]

/** Translates the shared tables from SQLite's words to PostgreSQL's. Ids and keys compare by their bytes. */
const words: readonly (readonly [RegExp, string])[] = [
  [/\b(tag|script) INTEGER\b/g, '$1 TEXT'],
  [/ REFERENCES ref \(no\)/g, ''],
  [/\bINTEGER PRIMARY KEY\b/g, 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY'],
  [/\bINTEGER\b/g, 'bigint'],
  [/\bTEXT\b/g, 'text COLLATE "C"'],
  [/\bBLOB\b/g, 'bytea'],
  [/\bREAL\b/g, 'double precision'],
  [/\) STRICT(, WITHOUT ROWID)?;/g, ');'],
]
const translate = (text: string) => words.reduce((all, [word, own]) => all.replaceAll(word, own), text)

/** The lock that makes processes that start at once migrate one after the other. */
const lockNumber = 4_111_726
const lockPollMs = 100

export type Migration = { name: string; text: string }

/** The migrations of this version, in order. The tables shared with SQLite come first. */
export async function readMigrations(): Promise<Migration[]> {
  const read = async (folder: URL) => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
    return Promise.all(names.map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })))
  }
  return [...(await read(shared)).map(({ name, text }) => ({ name, text: translate(text) })), ...(await read(own))]
}

/**
 * A line in a migration that removes or changes something: the number of migrations that a version must know from then
 * on.
 */
const leastLine = /^-- least: (\d{1,6})$/m

const createTable = `
  CREATE TABLE IF NOT EXISTS migration (
    number int PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL, least int NOT NULL DEFAULT 0)`
// For a schema that is older than this column.
const addLeast = 'ALTER TABLE migration ADD COLUMN IF NOT EXISTS least int NOT NULL DEFAULT 0'
const selectApplied = `
  SELECT coalesce(max(number), 0) AS applied, coalesce(max(least), 0) AS least,
    coalesce(array_agg(name ORDER BY number), '{}') AS names
  FROM migration`

/**
 * Creates the schema if it is missing, and applies missing migrations in order, all in one transaction. A schema with
 * additional migrations that only add things is used unchanged. Throws an Error with one sentence for the operator if
 * this version knows fewer migrations than the schema needs.
 */
export async function migrate(database: Database, migrations?: readonly Migration[]): Promise<void> {
  const known = migrations ?? (await readMigrations())
  const name = pg.escapeIdentifier(database.schema)
  await database.transaction(async (sql) => {
    await waitForLock(sql)
    await sql(`CREATE SCHEMA IF NOT EXISTS ${name}`)
    await sql(createTable)
    await sql(addLeast)
    const [row] = await sql<{ applied: number; least: number; names: string[] }>(selectApplied)
    const { applied, least, names } = row!
    if (least > known.length)
      throw new Error(
        `The schema ${database.schema} needs a newer version of Aglet: it requires ${least} migrations, but this version knows ${known.length}. Start the newer version.`,
      )
    const replaced = names.find((each, index) => known[index] && known[index].name !== each)
    if (replaced !== undefined)
      throw new Error(
        `The schema ${database.schema} was written by an Aglet version from before the first release (migration ${replaced}), which this version does not support. Start that version, write the configuration to a file with "aglet pull", and apply it to a new schema with "aglet apply".`,
      )
    for (const [index, migration] of known.entries()) if (index >= applied) await apply(index + 1, migration, sql)
  })
}

async function apply(number: number, { name, text }: Migration, sql: Sql): Promise<void> {
  for (const statement of statementsOf(text)) await sql(statement)
  const least = Number(leastLine.exec(text)?.[1] ?? 0)
  await sql('INSERT INTO migration (number, name, at, least) VALUES ($1, $2, now(), $3)', [number, name, least])
}

/** Polls until no other process migrates. A statement that waits for the lock would reach its timeout. */
async function waitForLock(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [lockNumber])
    if (row!.locked) return
    await wait(lockPollMs)
  }
}

/**
 * The statements of a file. A semicolon at the end of a line ends a statement, unless the next line is indented, as in the
 * body of a function.
 */
function statementsOf(text: string): string[] {
  const withoutComments = text.replaceAll(/^ *--.*$/gm, '')
  return withoutComments
    .split(/;\n(?! )/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
}
