import type { Statement } from '#kit/writeBatch.ts'

/** The number of a tag or script id, which large tables store instead of the id. */
export const selectRef = '(SELECT no FROM ref WHERE id = ?)'

/** Assigns a number to each of these ids that has none. */
export const addRefs = (ids: Iterable<string>): Statement => ({
  sql: 'INSERT INTO ref (id) VALUES (?) ON CONFLICT (id) DO NOTHING',
  rows: Array.from(new Set(ids), (id) => [id]),
})
