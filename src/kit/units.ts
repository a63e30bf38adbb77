import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { statements, transact } from './sqlite.ts'

/** One statement, run once for each row of parameters. */
export type Statement = { sql: string; rows: readonly (readonly SQLInputValue[])[] }
/** Statements that stand or fall together. */
export type Unit = readonly Statement[]

/** Units on their way to another thread. Each SQL text goes once, however many units have it. */
export type Packed = { sql: readonly string[]; units: readonly (readonly PackedStatement[])[] }
type PackedStatement = { sql: number; rows: Statement['rows'] }

const aloneIn = (value: SQLInputValue) =>
  value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value

/** For another thread. Small buffers are cut from one of 64 KB, and all of it would go with each of them. */
export function packed(units: readonly Unit[]): Packed {
  const known = new Map<string, number>()
  const numberOf = (sql: string) => {
    const number = known.get(sql) ?? known.size
    known.set(sql, number)
    return number
  }
  const packedUnits = units.map((unit) =>
    unit.flatMap(({ sql, rows }) =>
      rows.length === 0 ? [] : [{ sql: numberOf(sql), rows: rows.map((row) => row.map(aloneIn)) }],
    ),
  )
  return { sql: [...known.keys()], units: packedUnits }
}

/**
 * Why a unit was not written; `unique` names the columns where it met a row that is there (`tag.team, tag.name`).
 * `isDisk`: it is the file that takes nothing now, whatever is written.
 */
export type Failed = { message: string; unique?: string; isDisk?: true }

/** SQLITE_BUSY, READONLY, IOERR, FULL and CANTOPEN: the low byte of what SQLite says. */
const diskCodes = new Set([5, 8, 10, 13, 14])
const isDisk = (error: unknown) => diskCodes.has(((error as { errcode?: number }).errcode ?? 0) & 0xff)

type Run = (statement: PackedStatement) => void

function failure(error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error)
  const unique = /^UNIQUE constraint failed: (.*)$/.exec(message)?.[1]
  return { message, ...(unique && { unique }), ...(isDisk(error) && { isDisk: true as const }) }
}

/** Undoes a unit that fails without touching the others; throws where the failure has ended the whole transaction. */
function attempt(db: DatabaseSync, unit: Packed['units'][number], run: Run): Failed | undefined {
  db.exec('SAVEPOINT unit')
  try {
    unit.forEach(run)
    return undefined
  } catch (error) {
    if (!db.isTransaction) throw error
    db.exec('ROLLBACK TO unit')
    return failure(error)
  } finally {
    if (db.isTransaction) db.exec('RELEASE unit')
  }
}

/** Writes units in one commit and says of each whether it was written: a unit that fails takes no other with it. */
export function writingUnits(db: DatabaseSync): (packed: Packed) => (Failed | undefined)[] {
  const prepare = statements(db)
  const writeAll = (units: Packed['units'], run: Run) =>
    transact(db, () => {
      for (const unit of units) unit.forEach(run)
    })
  const writeEach = (units: Packed['units'], run: Run) =>
    transact(db, () => units.map((unit) => attempt(db, unit, run)))

  return ({ sql, units }) => {
    const run: Run = ({ sql: number, rows }) => {
      const statement = prepare(sql[number]!)
      for (const row of rows) statement.run(...row)
    }
    const allFailed = (failed: Failed) => units.map(() => failed)
    try {
      writeAll(units, run)
      return units.map(() => undefined)
    } catch (error) {
      const failed = failure(error)
      if (failed.isDisk) return allFailed(failed)
    }
    try {
      // A savepoint keeps every page that its unit changes: they are made only where one of the units is wrong.
      return writeEach(units, run)
    } catch (error) {
      return allFailed(failure(error))
    }
  }
}
