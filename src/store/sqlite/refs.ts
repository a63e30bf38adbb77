import type { Statement } from '#kit/units.ts'

/** The number that stands for a tag or script id where there are millions of rows. */
export const refOf = '(SELECT no FROM ref WHERE id = ?)'

/** Gives each of these ids its number, unless it has one. */
export const addRefs = (ids: Iterable<string>): Statement => ({
  sql: 'INSERT INTO ref (id) VALUES (?) ON CONFLICT (id) DO NOTHING',
  rows: Array.from(new Set(ids), (id) => [id]),
})
