import type { DatabaseSync } from 'node:sqlite'
import { preparedStatements, transact } from './sqlite.ts'

/** A value that every database accepts as a parameter. */
export type SqlParam = string | number | bigint | null | Uint8Array
/** One SQL statement that runs once for each row of parameters. */
export type Statement = { sql: string; rows: readonly (readonly SqlParam[])[] }
/** Statements that are written atomically. */
export type WriteUnit = readonly Statement[]

/** Units packed for another thread. Each SQL text is sent once. */
export type WriteBatch = { sql: readonly string[]; units: readonly (readonly PackedStatement[])[] }
type PackedStatement = { sql: number; rows: Statement['rows'] }

const copyPooled = (value: SqlParam) =>
  value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value

/** Packs units for another thread. Copies small buffers, because each would be sent with its whole 64 KB pool. */
export function packWrites(units: readonly WriteUnit[]): WriteBatch {
  const sqlNumbers = new Map<string, number>()
  const sqlNumber = (sql: string) => {
    const number = sqlNumbers.get(sql) ?? sqlNumbers.size
    sqlNumbers.set(sql, number)
    return number
  }
  const packedUnits = units.map((unit) =>
    unit.flatMap(({ sql, rows }) =>
      rows.length === 0 ? [] : [{ sql: sqlNumber(sql), rows: rows.map((row) => row.map(copyPooled)) }],
    ),
  )
  return { sql: [...sqlNumbers.keys()], units: packedUnits }
}

/**
 * Why a unit was not written. `unique`: the columns of the violated constraint (`tag.team, tag.name`). `isDisk`: the
 * file cannot be written at all, for example because the disk is full.
 */
export type WriteFailure = { message: string; unique?: string; isDisk?: true }

/** The primary result codes SQLITE_BUSY, READONLY, IOERR, FULL and CANTOPEN: the low byte of the extended code. */
const diskCodes = new Set([5, 8, 10, 13, 14])
/** Whether the file itself cannot be written. */
export const isDiskError = (error: unknown) => diskCodes.has(((error as { errcode?: number }).errcode ?? 0) & 0xff)

/** The number of rows that a unit changed, or why it was not written. */
export type UnitResult = number | WriteFailure

/** Returns the number of rows that it changed. */
type RunStatement = (statement: PackedStatement) => number

function failure(error: unknown): WriteFailure {
  const message = error instanceof Error ? error.message : String(error)
  const unique = /^UNIQUE constraint failed: (.*)$/.exec(message)?.[1]
  return { message, ...(unique && { unique }), ...(isDiskError(error) && { isDisk: true as const }) }
}

const runUnit = (unit: WriteBatch['units'][number], run: RunStatement) =>
  unit.reduce((changed, statement) => changed + run(statement), 0)

/**
 * Writes a unit in a savepoint, and rolls back only this unit if it fails. Throws if the whole transaction has ended.
 */
function attempt(db: DatabaseSync, unit: WriteBatch['units'][number], run: RunStatement): UnitResult {
  db.exec('SAVEPOINT unit')
  try {
    return runUnit(unit, run)
  } catch (error) {
    if (!db.isTransaction) throw error
    db.exec('ROLLBACK TO unit')
    return failure(error)
  } finally {
    if (db.isTransaction) db.exec('RELEASE unit')
  }
}

/** Runs a statement once for each row of parameters, and returns the number of rows that it changed. */
type RunStatementRows = (statement: Statement) => number

/** Runs statements of a connection, each prepared once. */
function statementRunner(db: DatabaseSync): RunStatementRows {
  const prepare = preparedStatements(db)
  return ({ sql, rows }) => {
    const statement = prepare(sql)
    let changed = 0
    for (const row of rows) changed += Number(statement.run(...row).changes)
    return changed
  }
}

/**
 * Writes units in one commit. A failed unit does not affect the others. `runRows` runs a statement; `inTransaction` runs the
 * work of each transaction.
 */
export function unitWriter(
  db: DatabaseSync,
  runRows: RunStatementRows = statementRunner(db),
  inTransaction: (work: () => UnitResult[]) => UnitResult[] = (work) => transact(db, work),
): (packed: WriteBatch) => UnitResult[] {
  const write = (units: WriteBatch['units'], writeUnit: (unit: WriteBatch['units'][number]) => UnitResult) =>
    inTransaction(() => units.map(writeUnit))

  return ({ sql, units }) => {
    const run: RunStatement = ({ sql: number, rows }) => runRows({ sql: sql[number]!, rows })
    const allFailed = (failed: WriteFailure) => units.map(() => failed)
    try {
      return write(units, (unit) => runUnit(unit, run))
    } catch (error) {
      const failed = failure(error)
      if (failed.isDisk) return allFailed(failed)
    }
    try {
      // A savepoint journals every changed page, so savepoints are used only after a unit has failed.
      return write(units, (unit) => attempt(db, unit, run))
    } catch (error) {
      return allFailed(failure(error))
    }
  }
}
