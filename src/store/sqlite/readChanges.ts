import type { DeliveryRecord } from '#store/deliveryQueries.ts'
import type { EventListRow, WatchRequest, WatchResult } from '#store/journalQueries.ts'
import { newestOf, readEventRef } from './deliveryQueries.ts'
import { deliveriesOfEvent, findDeliveriesById } from './deliverySearch.ts'
import { readEventAt, readEventListRow } from './eventSearch.ts'
import { selectRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'

const selectAfter = `SELECT position, idx FROM event WHERE tag = ${selectRef} AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?`

/** The maximum that the count of later events reaches. */
const maxCountedBehind = 10_000
/** No further event is read after this number of deliveries. */
const maxRows = 1_000

type KnownDelivery = WatchRequest['open'][number]
const hasChanged = (before: KnownDelivery, now: KnownDelivery) =>
  before.status !== now.status || before.reason !== now.reason || before.at !== now.at

/** Reads the changes of a tag since an event. */
export function readChanges(
  read: SqlReader,
  tagId: string,
  { open, after, events, hasEvents }: WatchRequest,
): WatchResult {
  const before = new Map(open.map((each) => [each.deliveryId, each]))
  const current = findDeliveriesById(read, tagId, [...before.keys()])
  const changed = current.filter((row) => hasChanged(before.get(row.deliveryId)!, row))
  for (const { deliveryId } of current) before.delete(deliveryId)
  const [position, idx] = after ? [after.position, after.index] : [-1, -1]
  const eventRefs = read.all(selectAfter, tagId, position, idx, events + maxCountedBehind).map(readEventRef(tagId))
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const rows: DeliveryRecord[] = []
  const listed: EventListRow[] = []
  let eventCount = 0
  while (eventCount < Math.min(events, eventRefs.length) && rows.length < maxRows) {
    const each = eventRefs[eventCount++]!
    rows.push(...deliveriesOfEvent(read, tagId, each.position, each.index))
    const event = hasEvents && readEventAt(read, tag, each.position, each.index)
    if (event) listed.push(readEventListRow(read, event))
  }
  const [last, more] = [eventRefs[eventCount - 1], eventRefs.length - eventCount]
  const newest = more > 0 ? newestOf(read, tagId) : undefined
  return { changed, gone: [...before.keys()], listed, rows, more, ...(last && { last }), ...(newest && { newest }) }
}
