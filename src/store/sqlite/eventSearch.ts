import { encodeCursor } from '#store/cursor.ts'
import { hasDeliveryFilter, maxScannedRows } from '#store/deliveryMatch.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { EventListRow } from '#store/journalQueries.ts'
import { readEventListRow } from '#store/sql/deliveryRows.ts'
import type { PageRequest, ResultPage } from '#store/store.ts'
import { matchesDelivery, matchesEventRow, openScan, rowPosition, scanRange } from './deliverySearch.ts'
import { scanEvents } from './eventScan.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

const selectEvent = `
  SELECT position, idx, name, user, received_at FROM event WHERE tag = ? AND position = ? AND idx = ?`
const selectCounts = 'SELECT status, count(*) AS count FROM delivery WHERE position = ? AND idx = ? GROUP BY status'

/** The row of a list, with the deliveries of the event counted by status. */
export const readListedEvent = (read: SqlReader, row: SqlRow): EventListRow =>
  readEventListRow(row, read.all(selectCounts, Number(row.position), Number(row.idx)))

/** The row of one event. */
export const readEventAt = (read: SqlReader, tag: number, position: number, idx: number): SqlRow | undefined =>
  read.one(selectEvent, tag, position, idx)

/** A scanned row, with its event if the event matches. */
type ScannedEvent = { at: readonly [position: number, idx: number, no: number]; event?: SqlRow }

function* scanMatchingEvents(
  read: SqlReader,
  filter: DeliveryFilter,
  range: ReturnType<typeof scanRange>,
): Generator<ScannedEvent> {
  if (hasDeliveryFilter(filter)) {
    for (const row of openScan(read, filter, range)) {
      const isMatch = !row.isEventEnd && matchesDelivery(read, row, filter)
      yield { at: rowPosition(row), ...(isMatch && { event: row }) }
    }
    return
  }
  const [position, idx, no] = range.before
  // A cursor inside an event is after its row of the list.
  for (const key of scanEvents(read, { ...range, before: [position, no > 0 ? idx + 1 : idx] }, filter)) {
    const row = readEventAt(read, range.tag, key.position, key.idx)
    const isMatch = row !== undefined && matchesEventRow(row, filter)
    yield { at: [key.position, key.idx, 0], ...(isMatch && { event: row }) }
  }
}

/** The events of a tag that match a filter, newest first: those with at least one delivery that matches. */
export function findEvents(
  read: SqlReader,
  tagId: string,
  filter: DeliveryFilter,
  { cursor, limit }: PageRequest,
): ResultPage<EventListRow> {
  const rows: EventListRow[] = []
  let scannedRows = 0
  let last: ScannedEvent['at'] | undefined
  for (const { at, event } of scanMatchingEvents(read, filter, scanRange(read, tagId, filter, cursor))) {
    if (event && !(last?.[0] === at[0] && last[1] === at[1])) {
      rows.push(readListedEvent(read, event))
      last = at
    }
    if (rows.length === limit) return { rows, next: encodeCursor(at[0], at[1], 0) }
    // The other deliveries of a listed event are skipped.
    const isListed = last?.[0] === at[0] && last[1] === at[1]
    if (++scannedRows === maxScannedRows) return { rows, next: encodeCursor(at[0], at[1], isListed ? 0 : at[2]) }
  }
  return { rows }
}
