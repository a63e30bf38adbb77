import type { SqlParam, Statement } from '#kit/writeBatch.ts'

export type SqlRow = Record<string, unknown>

/** Reads the control tables. `?` stands for a parameter, and `?1` for the first. */
export type SqlReads = {
  one(sql: string, ...params: SqlParam[]): SqlRow | undefined | Promise<SqlRow | undefined>
  all(sql: string, ...params: SqlParam[]): SqlRow[] | Promise<SqlRow[]>
}

/** What the databases write differently. */
export type Dialect = {
  /** A query of the texts in a JSON array. `param` is its placeholder. */
  elements(param: string): string
  /** A query of the hashes of parts that the deployments of a tag have. `param` is the placeholder of the tag. */
  deployedParts(param: string): string
  /** The id of the script of a row of `delivery`. */
  scriptOfDelivery: string
}

export const toStatement = (sql: string, ...params: SqlParam[]): Statement => ({ sql, rows: [params] })
