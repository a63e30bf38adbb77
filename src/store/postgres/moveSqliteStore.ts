import type { DatabaseSync } from 'node:sqlite'
import { slotOf } from '#cluster/slotOf.ts'
import type { Database, QueryRow, Sql, SqlValue } from '#postgres/database.ts'
import type { DayStart } from '#postgres/movedPositions.ts'
import { type MoveRun, moveRows, type RowSource } from '#postgres/moveRows.ts'
import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { ReplayFilter } from '#store/replays.ts'
import { addDeliveryId } from '../sqlite/sqlReader.ts'
import { type MovedTable, movedTables } from './movedTables.ts'

/** Converts the position of a record of files to its position in PostgreSQL. */
type ToPosition = (position: number) => number

type ColumnRow = { name: string; type: string; pk: number }

const columnsOf = (db: DatabaseSync, table: string) =>
  db.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(table) as ColumnRow[]

/** In large tables, tags and scripts are numbers of `ref`. */
const isRef = ({ name, type }: ColumnRow) => type === 'INTEGER' && (name === 'tag' || name === 'script')

/** Selects rows with the columns of PostgreSQL, in the order of their key. */
function selectRows(
  db: DatabaseSync,
  { name: table, columns = {}, added = {}, left = [] }: MovedTable,
  known: ReadonlySet<string>,
): string {
  const all = columnsOf(db, table)
  const expressions = all.flatMap((column) => {
    const { as = column.name, sql } = columns[column.name] ?? {}
    if ((column.name === 'no' && !known.has('no')) || left.includes(column.name)) return []
    const own = `"${table}"."${column.name}"`
    return [`${sql ?? (isRef(column) ? `(SELECT id FROM ref WHERE no = ${own})` : own)} AS "${as}"`]
  })
  const key = all.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
  const order = key.map(({ name }) => `"${table}"."${name}"`).join(', ')
  for (const [name, sql] of Object.entries(added)) expressions.push(`${sql} AS "${name}"`)
  return `SELECT ${expressions.join(', ')} FROM "${table}" ORDER BY ${order} LIMIT -1 OFFSET ?`
}

function toReplayCursor(cursor: string, filter: ReplayFilter, toPosition: ToPosition): string {
  if (filter.places) return cursor
  const [position, index] = decodeCursor(cursor, 2) as [number, number]
  return encodeCursor(toPosition(position), index)
}

function toReplay(row: QueryRow, toPosition: ToPosition): QueryRow {
  const filter = JSON.parse(String(row.filter)) as ReplayFilter
  const places = filter.places?.map(([position, index]) => [toPosition(position), index])
  return {
    ...row,
    filter: JSON.stringify({ ...filter, ...(places && { places }) }),
    reached: row.reached === null ? null : toReplayCursor(String(row.reached), filter, toPosition),
  }
}

const addLastDeliveries = `
  INSERT INTO last_delivery AS stored (tag, script, at)
  SELECT tag, script, max(at) FROM unnest($1::text[], $2::text[], $3::bigint[]) AS delivered (tag, script, at) GROUP BY 1, 2
  ON CONFLICT (tag, script) DO UPDATE SET at = greatest(stored.at, excluded.at)`

const addDelivered = async (sql: Sql, rows: readonly QueryRow[]) => {
  const delivered = rows.filter(({ status }) => status === 'delivered')
  const column = (name: string) => delivered.map((row) => row[name] as SqlValue)
  if (delivered.length > 0) await sql(addLastDeliveries, [column('tag'), column('script'), column('at')])
}

/** Rows of other tables that follow from the rows of a table. */
const alsoWritten: Partial<Record<string, RowSource['alsoWrite']>> = { delivery: addDelivered }

/** The rows of a table, with slots and positions of PostgreSQL. */
function rowSource(db: DatabaseSync, moved: MovedTable, known: ReadonlySet<string>, toPosition: ToPosition): RowSource {
  const text = selectRows(db, moved, known)
  const alsoWrite = alsoWritten[moved.name]
  const convert = (row: QueryRow): QueryRow => ({
    ...(moved.name === 'replay' ? toReplay(row, toPosition) : row),
    ...(known.has('slot') && { slot: slotOf(String(row.tag)) }),
    ...(row.position !== undefined && { position: toPosition(Number(row.position)) }),
  })
  return {
    table: moved.name,
    *rowsAfter(skipped) {
      for (const row of db.prepare(text).iterate(skipped)) yield convert(row)
    },
    ...(alsoWrite && { alsoWrite }),
  }
}

export const readEventDays = (db: DatabaseSync): DayStart[] =>
  db
    .prepare('SELECT received_at / 86400000 AS day, min(position) AS position FROM event GROUP BY 1')
    .all() as DayStart[]

const selectLiveMember = 'SELECT id FROM member WHERE until_ms >= extract(epoch FROM clock_timestamp()) * 1000 LIMIT 1'
const isEmpty = 'SELECT 1 FROM (SELECT id FROM team UNION ALL SELECT name FROM setting) AS kept LIMIT 1'

/** Throws an Error if the database has data that no earlier run of this move wrote. */
async function refuseOtherData({ sql, schema }: Database, source: string): Promise<void> {
  const [member] = await sql(selectLiveMember)
  if (member) throw new Error(`Aglet is running on the schema ${schema}. Stop it, then restore.`)
  const [other] = await sql<{ source: string }>('SELECT source FROM moved_table WHERE source <> $1 LIMIT 1', [source])
  if (other)
    throw new Error(`The schema ${schema} has data from the backup of ${other.source}. Restore into an empty schema.`)
  const [moved] = await sql('SELECT 1 FROM moved_table LIMIT 1')
  const [kept] = await sql(isEmpty)
  if (kept && !moved) throw new Error(`The schema ${schema} is not empty. Restore into an empty database.`)
}

/**
 * Moves an SQLite store, which is open in `db` and not in use, into an empty migrated schema. An interrupted move
 * continues when it is run again. Returns the number of rows per table. Throws an Error if the schema has other data,
 * or if the number of written rows differs from that of the moved ones.
 */
export async function moveSqliteStore(
  db: DatabaseSync,
  database: Database,
  { toPosition, ...run }: MoveRun & { toPosition: ToPosition },
): Promise<Record<string, number>> {
  await refuseOtherData(database, run.source)
  addDeliveryId(db)
  const columns = await database.sql<{ table: string; names: string[] }>(
    `SELECT table_name::text AS "table", array_agg(column_name::text) AS names FROM information_schema.columns
    WHERE table_schema = $1 GROUP BY table_name`,
    [database.schema],
  )
  const namesOf = new Map(columns.map(({ table, names }) => [table, new Set(names)]))
  const counts: Record<string, number> = {}
  for (const each of movedTables(db))
    counts[each.name] = await moveRows(database, rowSource(db, each, namesOf.get(each.name)!, toPosition), run)
  return counts
}
