import type { SqlParam, Statement } from '#kit/writeBatch.ts'
import { type CountTable, countTables } from './countTables.ts'
import type { Dialect } from './dialect.ts'

type Row = readonly SqlParam[]

/**
 * Merges rows with the same key, the first `width` values. The rows are sorted by key, so that concurrent writes of the
 * same rows wait instead of deadlocking.
 */
export function mergeRows(rows: readonly Row[], width: number, merge: (one: Row, other: Row) => Row): Row[] {
  const merged = new Map<string, Row>()
  for (const row of rows) {
    const key = row.slice(0, width).join('\0')
    const known = merged.get(key)
    merged.set(key, known ? merge(known, row) : row)
  }
  return [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

/** Adds the count of one row, its last value, to that of the other. */
export const addUp = (one: Row, other: Row): Row => [...one.slice(0, -1), Number(one.at(-1)) + Number(other.at(-1))]

/**
 * A statement that adds to the counts of a table. Its rows: tag, minute, the other columns of the key, and the count.
 */
export function addCounts({ insert }: Pick<Dialect, 'insert'>, table: CountTable): (rows: readonly Row[]) => Statement {
  const key = { tag: 'ref', minute: 'int8', ...countTables[table] } as const
  const names = Object.keys(key)
  const add = `ON CONFLICT (${names.join(', ')}) DO UPDATE SET count = ${table}.count + excluded.count`
  const statement = insert(table, { ...key, count: 'int8' }, add)
  return (rows) => statement(mergeRows(rows, names.length, addUp))
}
