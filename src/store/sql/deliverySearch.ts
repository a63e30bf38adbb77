import type { PageRequest, ResultPage } from '#store/cursor.ts'
import { hasDeliveryFilter, maxScannedRows } from '#store/deliveryMatch.ts'
import type { DeliveryFilter, DeliveryRecord } from '#store/deliveryQueries.ts'
import type { EventListRow } from '#store/journalQueries.ts'
import type { DeliveryPlace, Dialect, PlaceRange } from './dialect.ts'
import { createEventReads } from './eventReads.ts'
import { createListScan, scanEvents } from './listScan.ts'
import { encodePlace, isSameEvent, placeOf, scanRange } from './places.ts'
import type { Read } from './read.ts'
import type { SqlRow } from './sql.ts'

/** A page of deliveries. The next page starts after the last scanned row. */
export function findDeliveries(dialect: Dialect) {
  const rangeOf = scanRange(dialect)
  const { deliveries, open, matching } = createListScan(dialect)
  return function* (
    tagId: string,
    filter: DeliveryFilter,
    { cursor, limit }: PageRequest,
  ): Read<ResultPage<DeliveryRecord>> {
    const found: SqlRow[] = []
    let scanned = 0
    const next = yield* open(yield* rangeOf(tagId, filter, cursor), filter)
    for (let rows = yield* next(); rows; rows = yield* next()) {
      const matches = yield* matching(rows, filter)
      for (const row of rows) {
        if (matches.has(row)) found.push(row)
        if (found.length === limit || ++scanned === maxScannedRows)
          return { rows: yield* deliveries.records(tagId, found), next: encodePlace(placeOf(row)) }
      }
    }
    return { rows: yield* deliveries.records(tagId, found) }
  }
}

type ScannedEvent = { row: SqlRow; isMatch: boolean }

/** The events of a tag with at least one delivery that matches a filter, newest first. */
export function findEvents(dialect: Dialect) {
  const rangeOf = scanRange(dialect)
  const { noScript } = dialect.delivery
  const scan = createListScan(dialect)
  const events = createEventReads(dialect)

  function* openScan(range: PlaceRange, filter: DeliveryFilter): Read<() => Read<ScannedEvent[] | undefined>> {
    if (!hasDeliveryFilter(filter)) {
      const next = scanEvents(dialect, range, filter)
      return function* () {
        const keys = yield* next()
        const rows = keys && (yield* events.at(range.tagId, keys))
        return rows?.map((row) => ({ row: { ...row, script: noScript }, isMatch: scan.matchesEvent(row, filter) }))
      }
    }
    const next = yield* scan.open(range, filter)
    return function* () {
      const rows = yield* next()
      const matches = rows && (yield* scan.matching(rows, filter))
      return rows?.map((row) => ({ row, isMatch: matches!.has(row) }))
    }
  }
  return function* (
    tagId: string,
    filter: DeliveryFilter,
    { cursor, limit }: PageRequest,
  ): Read<ResultPage<EventListRow>> {
    const found: SqlRow[] = []
    let scanned = 0
    let last: DeliveryPlace | undefined
    const next = yield* openScan(yield* rangeOf(tagId, filter, cursor), filter)
    for (let rows = yield* next(); rows; rows = yield* next())
      for (const { row, isMatch } of rows) {
        const place = placeOf(row)
        if (isMatch && !isSameEvent(place, last)) {
          found.push(row)
          last = place
        }
        if (found.length < limit && ++scanned < maxScannedRows) continue
        // The other deliveries of a listed event are skipped.
        const end = isSameEvent(place, last) ? { ...place, script: noScript } : place
        return { rows: yield* events.listed(found), next: encodePlace(end) }
      }
    return { rows: yield* events.listed(found) }
  }
}
