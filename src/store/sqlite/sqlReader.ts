import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { preparedStatements } from '#kit/sqlite.ts'
import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { PageRequest, ResultPage } from '#store/store.ts'

export type SqlRow = Record<string, unknown>

/** Reads on a read-only connection. Each read sees everything committed before it. */
export type SqlReader = {
  one(sql: string, ...params: SQLInputValue[]): SqlRow | undefined
  all(sql: string, ...params: SQLInputValue[]): SqlRow[]
}

export function createSqlReader(db: DatabaseSync): SqlReader {
  const prepared = preparedStatements(db)
  return {
    one: (sql, ...params) => prepared(sql).get(...params),
    all: (sql, ...params) => prepared(sql).all(...params),
  }
}

/**
 * Reads the page before a cursor, newest first. `columns` are the numeric sort columns. `sql` must end in a WHERE
 * clause, to which a condition is added; `params` are its parameters.
 */
export function readPage<Out>(
  deps: SqlReader,
  { sql, params, columns }: { sql: string; params: readonly SQLInputValue[]; columns: readonly string[] },
  { cursor, limit }: PageRequest,
  read: (row: SqlRow) => Out,
): ResultPage<Out> {
  const before =
    cursor === undefined ? columns.map(() => Number.MAX_SAFE_INTEGER) : decodeCursor(cursor, columns.length)
  const placeholders = columns.map(() => '?').join(', ')
  const order = columns.map((column) => `${column} DESC`).join(', ')
  // Reads one more row than the page, to know whether there is a next page.
  const rows = deps.all(
    `${sql} AND (${columns.join(', ')}) < (${placeholders}) ORDER BY ${order} LIMIT ?`,
    ...params,
    ...before,
    limit + 1,
  )
  const pageRows = rows.slice(0, limit)
  const last = pageRows.at(-1)
  const next =
    last && rows.length > limit ? { next: encodeCursor(...columns.map((column) => Number(last[column]))) } : {}
  return { rows: pageRows.map(read), ...next }
}
