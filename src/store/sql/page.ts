import type { SqlParam } from '#kit/writeBatch.ts'
import { decodeCursor, encodeCursor, type PageRequest, type ResultPage } from '#store/cursor.ts'
import type { SqlReads, SqlRow } from './sql.ts'

/** `columns`: the numeric sort columns. `sql` must end in a WHERE clause, because a condition is added. */
export type PageSelect = { sql: string; params: readonly SqlParam[]; columns: readonly string[] }

/** The rows of one owner, in order of insertion. */
export const rowsOf = (table: string, owner: string, id: string): PageSelect => ({
  sql: `SELECT * FROM ${table} WHERE ${owner} = ?`,
  params: [id],
  columns: ['no'],
})

/** Selects the page before a cursor, newest first, and one more row that shows whether there is a next page. */
export function selectPage(
  { sql, params, columns }: PageSelect,
  { cursor, limit }: PageRequest,
): [sql: string, ...params: SqlParam[]] {
  const before =
    cursor === undefined
      ? columns.map((_, n) => (n === 0 ? Number.MAX_SAFE_INTEGER : 0))
      : decodeCursor(cursor, columns.length)
  const placeholders = columns.map(() => '?').join(', ')
  const order = columns.map((column) => `${column} DESC`).join(', ')
  const text = `${sql} AND (${columns.join(', ')}) < (${placeholders}) ORDER BY ${order} LIMIT ?`
  return [text, ...params, ...before, limit + 1]
}

/** The page of the rows that `selectPage` reads. */
export function toPage<Out>(
  rows: readonly SqlRow[],
  { columns }: Pick<PageSelect, 'columns'>,
  { limit }: PageRequest,
  read: (row: SqlRow) => Out,
): ResultPage<Out> {
  const pageRows = rows.slice(0, limit)
  const last = pageRows.at(-1)
  const next =
    last && rows.length > limit ? { next: encodeCursor(...columns.map((column) => Number(last[column]))) } : {}
  return { rows: pageRows.map(read), ...next }
}

/** Reads the page before a cursor, newest first. */
export async function readPageOf<Out>(
  reads: SqlReads,
  select: PageSelect,
  page: PageRequest,
  read: (row: SqlRow) => Out,
): Promise<ResultPage<Out>> {
  return toPage(await reads.all(...selectPage(select, page)), select, page, read)
}
