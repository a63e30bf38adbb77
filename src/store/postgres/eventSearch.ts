import type { QueryRow, Sql } from '#postgres/database.ts'
import type { PageRequest, ResultPage } from '#store/cursor.ts'
import { hasDeliveryFilter, maxScannedRows } from '#store/deliveryMatch.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { EventListRow } from '#store/journalQueries.ts'
import { readEventListRow } from '#store/sql/deliveryRows.ts'
import { matchesEventRow, matchingRows, placeOf, scanDeliveries } from './deliveryScan.ts'
import { type DeliveryPlace, encodePlace, type PlaceRange, scanEvents, scanRange } from './eventScan.ts'

const selectCounts = `
  SELECT wanted.position, wanted.idx, delivery.status, count(*) AS count
  FROM unnest($1::bigint[], $2::int[]) AS wanted (position, idx)
    JOIN delivery ON delivery.position = wanted.position AND delivery.idx = wanted.idx
  GROUP BY 1, 2, 3`
const keyOf = ({ position, idx }: QueryRow) => `${position} ${idx}`

/** The rows of a list, with the deliveries of each event counted by status. */
export async function toEventListRows(sql: Sql, events: readonly QueryRow[]): Promise<EventListRow[]> {
  if (events.length === 0) return []
  const columns = [events.map(({ position }) => Number(position)), events.map(({ idx }) => Number(idx))]
  const counts = Map.groupBy(await sql(selectCounts, columns), keyOf)
  return events.map((row) => readEventListRow(row, counts.get(keyOf(row)) ?? []))
}

/** A scanned row, and whether its event matches. */
type ScannedEvent = { place: DeliveryPlace; row: QueryRow; isMatch: boolean }

async function* scanMatchingEvents(
  sql: Sql,
  filter: DeliveryFilter,
  range: PlaceRange,
): AsyncGenerator<ScannedEvent[]> {
  if (hasDeliveryFilter(filter)) {
    for await (const group of scanDeliveries(sql, range, filter)) {
      const matching = await matchingRows(sql, group, filter)
      yield group.map((row) => ({ place: placeOf(row), row, isMatch: matching.has(row) }))
    }
    return
  }
  for await (const group of scanEvents(sql, range, filter))
    yield group.map((row) => {
      return { place: placeOf({ ...row, script: '' }), row, isMatch: matchesEventRow(row, filter) }
    })
}

const isSameEvent = (one: DeliveryPlace, other: DeliveryPlace | undefined) =>
  one.position === other?.position && one.idx === other.idx

/** The events of a tag that match a filter, newest first: those with at least one delivery that matches. */
export async function findEvents(
  sql: Sql,
  tagId: string,
  filter: DeliveryFilter,
  { cursor, limit }: PageRequest,
): Promise<ResultPage<EventListRow>> {
  const found: QueryRow[] = []
  let scannedRows = 0
  let last: DeliveryPlace | undefined
  for await (const group of scanMatchingEvents(sql, filter, await scanRange(sql, tagId, filter, cursor)))
    for (const { place, row, isMatch } of group) {
      if (isMatch && !isSameEvent(place, last)) {
        found.push(row)
        last = place
      }
      if (found.length < limit && ++scannedRows < maxScannedRows) continue
      // The other deliveries of a listed event are skipped.
      const next = isSameEvent(place, last) ? { ...place, script: '' } : place
      return { rows: await toEventListRows(sql, found), next: encodePlace(next) }
    }
  return { rows: await toEventListRows(sql, found) }
}
