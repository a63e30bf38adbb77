import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Database, Sql } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Two processes that start at once migrate one after the other. */
const lockNumber = 4_111_726
const lockPollMs = 100

/**
 * Creates the schema if it is missing, and applies the migrations that were not applied, in order, each in one
 * transaction. Throws an Error if the schema was migrated by a newer version.
 */
export async function migrate(database: Database): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))
  const name = pg.escapeIdentifier(database.schema)
  await database.transaction(async (sql) => {
    await waitForLock(sql)
    await sql(`CREATE SCHEMA IF NOT EXISTS ${name}`)
    await sql(
      'CREATE TABLE IF NOT EXISTS migration (number int PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL)',
    )
    const [last] = await sql<{ number: number | null }>('SELECT max(number) AS number FROM migration')
    const applied = last?.number ?? 0
    if (applied > files.length)
      throw new Error(
        `The schema ${database.schema} was migrated by a newer version (${applied} migrations; this version knows ${files.length}). Start that version.`,
      )
    for (const [index, text] of texts.entries()) {
      if (index < applied) continue
      for (const statement of statementsOf(text)) await sql(statement)
      await sql('INSERT INTO migration VALUES ($1, $2, now())', [index + 1, files[index]!])
    }
  })
}

/** Waits for other processes that migrate. A statement that waits would meet the limits of time of a statement. */
async function waitForLock(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [lockNumber])
    if (row!.locked) return
    await wait(lockPollMs)
  }
}

/** The statements of a file: each ends with a semicolon at the end of a line. */
function statementsOf(text: string): string[] {
  const withoutComments = text.replaceAll(/^\s*--.*$/gm, '')
  return withoutComments
    .split(/;\n/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
}
