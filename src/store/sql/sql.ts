import type { SqlParam, Statement } from '#kit/writeBatch.ts'

export type SqlRow = Record<string, unknown>

/** `?` is a parameter, `?1` the first one. */
export type SqlReads = {
  one(sql: string, ...params: SqlParam[]): SqlRow | undefined | Promise<SqlRow | undefined>
  all(sql: string, ...params: SqlParam[]): SqlRow[] | Promise<SqlRow[]>
}

export const toStatement = (sql: string, ...params: SqlParam[]): Statement => ({ sql, rows: [params] })
