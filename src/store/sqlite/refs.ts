import type { Statement } from '#kit/writeBatch.ts'
import type { SqlReader } from './sqlReader.ts'

/** The number of a tag or script id, which large tables store instead of the id. */
export const selectRef = '(SELECT no FROM ref WHERE id = ?)'

/** The same as a number; 0 for an id that has none. */
export const readRef = (read: SqlReader, id: string) => Number(read.one('SELECT no FROM ref WHERE id = ?', id)?.no ?? 0)

/** Assigns a number to each of these ids that has none. */
export const addRefs = (ids: Iterable<string>): Statement => ({
  sql: 'INSERT INTO ref (id) VALUES (?) ON CONFLICT (id) DO NOTHING',
  rows: Array.from(new Set(ids), (id) => [id]),
})
