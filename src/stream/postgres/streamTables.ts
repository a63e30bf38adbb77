import type { Database, Sql } from '#postgres/database.ts'
import { DatabaseError } from '#postgres/databaseError.ts'
import type { Generations } from './positions.ts'

/** The table of the records of a day, and its sequence. */
export const bodyTable = (day: number): string => `body_${day}`
export const positionSequence = (day: number): string => `position_${day}`
/** The table of the keys of a generation. */
export const seenTable = (generation: number): string => `seen_${generation}`

/** Whether a table that the statement names does not exist. */
export const isTableMissing = (error: unknown): boolean => error instanceof DatabaseError && error.code === '42P01'

/**
 * Makes processes create or drop tables one after the other. Not an advisory lock: every role that may connect to the
 * database can hold one.
 */
const lockTables = 'LOCK TABLE body_template IN SHARE ROW EXCLUSIVE MODE'

const createBody = (day: number) => [
  `CREATE TABLE IF NOT EXISTS ${bodyTable(day)} (LIKE body_template INCLUDING ALL, PRIMARY KEY (position))`,
  `CREATE SEQUENCE IF NOT EXISTS ${positionSequence(day)} MAXVALUE 4294967295 OWNED BY ${bodyTable(day)}.position`,
]
const createSeen = (generation: number) =>
  `CREATE TABLE IF NOT EXISTS ${seenTable(generation)} (key bigint PRIMARY KEY, place bigint NOT NULL)`

/** The tables of days and generations, created when they are needed. */
export type StreamTables = ReturnType<typeof openStreamTables>

export function openStreamTables(database: Database) {
  const existing = new Set<string>()
  /** Runs work in a transaction during which no other process creates or drops tables. */
  const locked = <Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> =>
    database.transaction(async (sql) => {
      await sql(lockTables)
      return work(sql)
    })
  async function numbersOf(prefix: string): Promise<number[]> {
    const rows = await database.sql<{ number: number }>(
      `SELECT substr(relname, $2)::int AS number FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname ~ $1 ORDER BY 1`,
      [`^${prefix}_[0-9]{1,9}$`, prefix.length + 2],
    )
    return rows.map(({ number }) => number)
  }
  async function create(day: number, { stored, probed }: Generations): Promise<void> {
    const generations = [...stored, ...probed]
    const names = [bodyTable(day), ...generations.map(seenTable)]
    if (names.every((name) => existing.has(name))) return
    await locked(async (sql) => {
      for (const text of [...createBody(day), ...generations.map(createSeen)]) await sql(text)
    })
    for (const name of names) existing.add(name)
  }
  return {
    /** Runs work that needs the tables of this day and these generations. Creates the missing ones. */
    async using<Result>(day: number, generations: Generations, work: () => Promise<Result>): Promise<Result> {
      await create(day, generations)
      try {
        return await work()
      } catch (error) {
        if (!isTableMissing(error)) throw error
        existing.clear() // another process has dropped one
        await create(day, generations)
        return work()
      }
    },
    /** The days that have a table, in order. */
    days: () => numbersOf('body'),
    generations: () => numbersOf('seen'),
    locked,
  }
}
