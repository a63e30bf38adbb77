import type { SqlParam, Statement, WriteUnit } from '#kit/writeBatch.ts'

export type SqlRow = Record<string, unknown>

/** Reads the control tables. `?` stands for a parameter, and `?1` for the first. */
export type SqlReads = {
  one(sql: string, ...params: SqlParam[]): SqlRow | undefined | Promise<SqlRow | undefined>
  all(sql: string, ...params: SqlParam[]): SqlRow[] | Promise<SqlRow[]>
}

/** What a column takes. `ref`: the id of a tag or script, in a large table. */
type ColumnType = 'ref' | 'text' | 'int8' | 'float8' | 'bytea'

/** What the databases write differently. */
export type Dialect = {
  /** Makes statements that insert rows, in their order. `conflict`: what the statement ends with. */
  insert(
    table: string,
    columns: Readonly<Record<string, ColumnType>>,
    conflict?: string,
  ): (rows: readonly (readonly SqlParam[])[]) => Statement
  /** Assigns numbers to ids of tags and scripts, before the rows of large tables that have them. */
  addRefs(ids: Iterable<string>): WriteUnit
  /** A query of the texts in a JSON array. `param` is its placeholder. */
  elements(param: string): string
  /** A query of the hashes of parts that the deployments of a tag have. `param` is the placeholder of the tag. */
  deployedParts(param: string): string
  /** The tag or script of an id as large tables have it. `param` is the placeholder of the id. */
  ref(param: string): string
  /** The condition that a column of a large table is one of the ids in a JSON array. `table` has the ids, by default of tags and scripts. */
  isRefOf(column: string, param: string, table?: 'replay'): string
  /** The id of a column of a large table. */
  idOf(column: string, table?: 'replay'): string
  /** The events of the tag `?1` with the user id `?2`, and those that matched this user by e-mail. */
  eventsOfUser: { own: string; joined: string }
  /** Locks a tag against deployments that are being written, where writes run at the same time. */
  lockTag(tagId: string): WriteUnit
  /**
   * Adds the counts of the tag `?1` in the minutes after `?2`, of a step, to those of the minute `?2`. `by`: the columns of
   * the key besides these.
   */
  rollUpCounts(table: string, by: string, stepMinutes: number): string[]
  /** A read of counts that takes longer (ms) makes the next one shorter. */
  longReadMs: number
}

export const toStatement = (sql: string, ...params: SqlParam[]): Statement => ({ sql, rows: [params] })
