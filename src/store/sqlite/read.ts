import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { statements } from '#kit/sqlite.ts'
import { cursorOf, readCursor } from '#store/cursor.ts'
import type { Page, PageOf } from '#store/store.ts'

export type Row = Record<string, unknown>

/** Reads of a connection that cannot write. Each sees what has been committed when it is called. */
export type Read = {
  one(sql: string, ...params: SQLInputValue[]): Row | undefined
  all(sql: string, ...params: SQLInputValue[]): Row[]
}

export function reading(db: DatabaseSync): Read {
  const prepared = statements(db)
  return {
    one: (sql, ...params) => prepared(sql).get(...params),
    all: (sql, ...params) => prepared(sql).all(...params),
  }
}

/**
 * A page, newest first, of what comes before its cursor: `columns` are the numbers that order the rows.
 * `sql` ends where a condition may follow, and its parameters are `params`.
 */
export function readPage<Out>(
  on: Read,
  { sql, params, columns }: { sql: string; params: readonly SQLInputValue[]; columns: readonly string[] },
  { cursor, limit }: PageOf,
  read: (row: Row) => Out,
): Page<Out> {
  const before = cursor === undefined ? columns.map(() => Number.MAX_SAFE_INTEGER) : readCursor(cursor, columns.length)
  const marks = columns.map(() => '?').join(', ')
  const order = columns.map((column) => `${column} DESC`).join(', ')
  // One row more than is shown tells whether there is a next page.
  const rows = on.all(
    `${sql} AND (${columns.join(', ')}) < (${marks}) ORDER BY ${order} LIMIT ?`,
    ...params,
    ...before,
    limit + 1,
  )
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const next = last && rows.length > limit ? { next: cursorOf(...columns.map((column) => Number(last[column]))) } : {}
  return { rows: shown.map(read), ...next }
}
