import type { Database, QueryRow, Sql, SqlValue } from './database.ts'
import { repeatUnknown } from './repeatWhileAway.ts'

/** The rows that are moved into a table. */
export type RowSource = {
  table: string
  /** The rows after the first `skipped` ones, in the same order in each run. Their columns are the columns of the table. */
  rowsAfter(skipped: number): Iterable<QueryRow>
  /** If several rows have one key, stores the first. Otherwise such rows are refused. */
  keepsFirst?: true
  /** Writes dependent rows in the same transaction. */
  alsoWrite?(sql: Sql, rows: readonly QueryRow[]): Promise<void>
}

/** The backup that is moved, and the number of rows in one transaction. */
export type MoveRun = { source: string; portion: number }

type TableColumn = { name: string; type: string; isIdentity: boolean }

const selectColumns = `
  SELECT column_name AS name, udt_name AS type, is_identity = 'YES' AS "isIdentity" FROM information_schema.columns
  WHERE table_schema = $1 AND table_name = $2`

/** The columns of a table, by their names. */
async function columnsOfTable({ sql, schema }: Database, table: string): Promise<Map<string, TableColumn>> {
  const columns = await sql<TableColumn>(selectColumns, [schema, table])
  return new Map(columns.map((each) => [each.name, each]))
}

/** SQLite has no booleans. */
const toValue = (value: unknown, { type }: TableColumn): SqlValue =>
  type === 'bool' && value !== null ? value === 1 : (value as SqlValue)

/** The names of array types begin with `_`. Their values are texts such as `{0,1}`, which `unnest` would split. */
const isArray = ({ type }: TableColumn) => type.startsWith('_')

function insertText({ table, keepsFirst }: RowSource, columns: readonly TableColumn[]): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const arrays = columns.map((column, at) => `$${at + 1}::${isArray(column) ? 'text' : column.type}[]`).join(', ')
  const values = columns.map(({ name, type }) => `"${name}"::${type}`).join(', ')
  return `INSERT INTO "${table}" (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${values} FROM unnest(${arrays}) AS moved (${names}) ${keepsFirst ? 'ON CONFLICT DO NOTHING' : ''}`
}

/** Groups rows. The last group may be smaller. */
function* portionsOf(rows: Iterable<QueryRow>, size: number): Generator<QueryRow[]> {
  let portion: QueryRow[] = []
  for (const row of rows) {
    portion.push(row)
    if (portion.length < size) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}

const startTable = `
  INSERT INTO moved_table (name, source, rows) VALUES ($1, $2, 0)
  ON CONFLICT (name) DO UPDATE SET source = moved_table.source RETURNING rows`
/** Changes nothing if the portion is already stored. */
const advance = 'UPDATE moved_table SET rows = $3 WHERE name = $1 AND rows = $2 RETURNING 1'

/**
 * Moves the rows that no earlier run has moved, in portions of one transaction each, and returns the number of rows in
 * the table. Throws an Error if the table lacks a column, or has other rows too.
 */
export async function moveRows(
  database: Database,
  rowSource: RowSource,
  { source, portion }: MoveRun,
): Promise<number> {
  const { table, rowsAfter, alsoWrite, keepsFirst } = rowSource
  const known = await columnsOfTable(database, table)
  const columnOf = (name: string) => {
    const column = known.get(name)
    if (!column) throw new Error(`The table ${table} has no column ${name}.`)
    return column
  }
  const [started] = await database.sql<{ rows: number }>(startTable, [table, source])
  let moved = started!.rows
  for (const rows of portionsOf(rowsAfter(moved), portion)) {
    const columns = Object.keys(rows[0]!).map(columnOf)
    const values = columns.map((column) => rows.map((row) => toValue(row[column.name], column)))
    const from = moved
    moved += rows.length
    await repeatUnknown(() =>
      database.transaction(async (sql) => {
        const advanced = await sql(advance, [table, from, from + rows.length])
        if (advanced.length === 0) return
        await sql(insertText(rowSource, columns), values)
        await alsoWrite?.(sql, rows)
      }),
    )
  }
  await continueIdentity(database, table, known)
  const stored = await countRows(database, table)
  if (keepsFirst ? stored > moved : stored !== moved)
    throw new Error(`The table ${table} has ${stored} rows, but ${moved} were moved. Restore into an empty database.`)
  return stored
}

/** Continues the numbers of new rows after the moved rows. */
async function continueIdentity({ sql }: Database, table: string, columns: Map<string, TableColumn>): Promise<void> {
  for (const { name, isIdentity } of columns.values())
    if (isIdentity)
      await sql(
        `SELECT setval(pg_get_serial_sequence($1, $2), max("${name}")) FROM "${table}" HAVING max("${name}") IS NOT NULL`,
        [table, name],
      )
}

async function countRows({ sql }: Database, table: string): Promise<number> {
  const [row] = await sql<{ count: number }>(`SELECT count(*) AS count FROM "${table}"`)
  return row!.count
}
