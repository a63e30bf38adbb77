import type { DeliveryRecord } from '#store/deliveryQueries.ts'
import type { EventListRow, WatchRequest, WatchResult } from '#store/journalQueries.ts'
import { readEventRef } from '#store/sql/deliveryRows.ts'
import { compareOpen, maxCountedBehind, maxWatchedRows } from '#store/watchChanges.ts'
import { newestOf } from './deliveryQueries.ts'
import { deliveriesOfEvent, findDeliveriesById } from './deliverySearch.ts'
import { readEventAt, readListedEvent } from './eventSearch.ts'
import { selectRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'

const selectAfter = `SELECT position, idx FROM event WHERE tag = ${selectRef} AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?`

/** Reads the changes of a tag since an event. */
export function readChanges(
  read: SqlReader,
  tagId: string,
  { open, after, events, hasEvents }: WatchRequest,
): WatchResult {
  const openIds = [...new Set(open.map(({ deliveryId }) => deliveryId))]
  const opened = compareOpen(open, findDeliveriesById(read, tagId, openIds))
  const [position, idx] = after ? [after.position, after.index] : [-1, -1]
  const eventRefs = read
    .all(selectAfter, tagId, position, idx, events + maxCountedBehind)
    .map((row) => readEventRef(row, tagId))
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const rows: DeliveryRecord[] = []
  const listed: EventListRow[] = []
  let eventCount = 0
  while (eventCount < Math.min(events, eventRefs.length) && rows.length < maxWatchedRows) {
    const each = eventRefs[eventCount++]!
    rows.push(...deliveriesOfEvent(read, tagId, each.position, each.index))
    const event = hasEvents && readEventAt(read, tag, each.position, each.index)
    if (event) listed.push(readListedEvent(read, event))
  }
  const [last, more] = [eventRefs[eventCount - 1], eventRefs.length - eventCount]
  const newest = more > 0 ? newestOf(read, tagId) : undefined
  return { ...opened, listed, rows, more, ...(last && { last }), ...(newest && { newest }) }
}
