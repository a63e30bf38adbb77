import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { statements, transact } from './sqlite.ts'

/** One statement, run once for each row of parameters. */
export type Statement = { sql: string; rows: readonly (readonly SQLInputValue[])[] }
/** Statements that stand or fall together. */
export type Unit = readonly Statement[]

const aloneIn = (value: SQLInputValue) =>
  value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value

/** For another thread. Small buffers are cut from one of 64 KB, and all of it would go with each of them. */
export const alone = (unit: Unit): Unit =>
  unit.map(({ sql, rows }) => ({ sql, rows: rows.map((row) => row.map(aloneIn)) }))

/**
 * Why a unit was not written; `unique` names the columns where it met a row that is there (`tag.team, tag.name`).
 * `isDisk`: it is the file that takes nothing now, whatever is written.
 */
export type Failed = { message: string; unique?: string; isDisk?: true }

/** SQLITE_BUSY, READONLY, IOERR, FULL and CANTOPEN: the low byte of what SQLite says. */
const diskCodes = new Set([5, 8, 10, 13, 14])
const isDisk = (error: unknown) => diskCodes.has(((error as { errcode?: number }).errcode ?? 0) & 0xff)

type Prepare = (sql: string) => StatementSync

function failure(error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error)
  const unique = /^UNIQUE constraint failed: (.*)$/.exec(message)?.[1]
  return { message, ...(unique && { unique }), ...(isDisk(error) && { isDisk: true as const }) }
}

function run(unit: Unit, prepare: Prepare): void {
  for (const { sql, rows } of unit) {
    const statement = prepare(sql)
    for (const row of rows) statement.run(...row)
  }
}

/** Undoes a unit that fails without touching the others; throws where the failure has ended the whole transaction. */
function attempt(db: DatabaseSync, unit: Unit, prepare: Prepare): Failed | undefined {
  prepare('SAVEPOINT unit').run()
  try {
    run(unit, prepare)
    return undefined
  } catch (error) {
    if (!db.isTransaction) throw error
    prepare('ROLLBACK TO unit').run()
    return failure(error)
  } finally {
    if (db.isTransaction) prepare('RELEASE unit').run()
  }
}

/** Writes units in one commit and says of each whether it was written: a unit that fails takes no other with it. */
export function writingUnits(db: DatabaseSync): (units: readonly Unit[]) => (Failed | undefined)[] {
  const prepare = statements(db)
  return (units) => {
    try {
      return transact(db, () => units.map((unit) => attempt(db, unit, prepare)))
    } catch (error) {
      const failed = failure(error)
      return units.map(() => failed)
    }
  }
}
