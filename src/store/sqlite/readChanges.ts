import { readEventRef } from '#store/sql/deliveryRows.ts'
import type { ReadNewEvents } from '#store/sql/watch.ts'
import { maxCountedBehind } from '#store/watchChanges.ts'
import { selectRef } from './refs.ts'

const selectAfter = `SELECT position, idx FROM event WHERE tag = ${selectRef} AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?`

/** Events become visible in order. */
export const readNewEvents: ReadNewEvents = function* (tagId, { after, events }) {
  const [position, idx] = after ? [after.position, after.index] : [-1, -1]
  const rows = yield [selectAfter, tagId, position, idx, events + maxCountedBehind]
  return { refs: rows.map((row) => readEventRef(row, tagId)), late: [] }
}
