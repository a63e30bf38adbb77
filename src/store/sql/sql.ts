import type { SqlParam, Statement } from '#kit/writeBatch.ts'

export type SqlRow = Record<string, unknown>

/** Reads the control tables. `?` stands for a parameter, and `?1` for the first. */
export type SqlReads = {
  one(sql: string, ...params: SqlParam[]): SqlRow | undefined | Promise<SqlRow | undefined>
  all(sql: string, ...params: SqlParam[]): SqlRow[] | Promise<SqlRow[]>
}

export const toStatement = (sql: string, ...params: SqlParam[]): Statement => ({ sql, rows: [params] })
