import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { ReplayCandidatePage, ReplayFilter } from '#store/replays.ts'
import { asksFailedOnly, placesPage, replaySlackMs, toCandidatePage } from '#store/sql/deliveryRows.ts'
import { findPositionSpan } from './positionSpan.ts'
import { readRef, selectId, selectRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'

const columns = `${selectId} AS id, delivery.position, delivery.idx, script.id AS script, provider.id AS provider, status,
    event.name, received_at`
const joined = `delivery JOIN event USING (tag, position, idx) JOIN ref AS script ON script.no = delivery.script
    JOIN ref AS provider ON provider.no = delivery.provider`

/** Uses the partial index of failed deliveries. */
const selectFailed = `
  SELECT delivery.script AS no, ${columns} FROM ${joined}
  WHERE delivery.tag = ${selectRef} AND status IN ('dead', 'refused') AND (position, idx, delivery.script) > (?, ?, ?)
  ORDER BY position, idx, delivery.script LIMIT ?`

const selectSlice = `
  WITH event AS MATERIALIZED (
    SELECT position, idx, name, received_at FROM main.event
    WHERE tag = ${selectRef} AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?
  )
  SELECT event.*, iif(delivery.script IS NULL, NULL, ${selectId}) AS id, script.id AS script, provider.id AS provider, status
  FROM event LEFT JOIN delivery ON delivery.position = event.position AND delivery.idx = event.idx
    LEFT JOIN ref AS script ON script.no = delivery.script LEFT JOIN ref AS provider ON provider.no = delivery.provider
  ORDER BY event.position, event.idx, delivery.script`
const selectOfEvent = `
  SELECT ${columns} FROM ${joined}
  WHERE delivery.tag = ${selectRef} AND position = ? AND idx = ? ORDER BY delivery.script`

const maxNumber = Number.MAX_SAFE_INTEGER

/** Before the first event that may have been received at `fromMs` or later. */
function cursorBefore(read: SqlReader, tagId: string, fromMs: number): readonly number[] {
  const { from } = findPositionSpan(read, readRef(read, tagId), { fromMs }, replaySlackMs)
  return [from - 1, maxNumber, maxNumber]
}

/** A page of the deliveries that match a filter. `limit` is the number of scanned rows, not of matches. */
export function findCandidates(
  read: SqlReader,
  tagId: string,
  filter: ReplayFilter,
  after: string | undefined,
  limit: number,
): ReplayCandidatePage {
  const { places, from = 0 } = filter
  if (places) {
    const { some, toPage } = placesPage({ ...filter, places }, after, limit)
    return toPage(some.flatMap((place) => read.all(selectOfEvent, tagId, ...place)))
  }
  const [position, index, no] = after ? decodeCursor(after, 3) : cursorBefore(read, tagId, from)
  const rows = asksFailedOnly(filter)
    ? read.all(selectFailed, tagId, position!, index!, no!, limit)
    : read.all(selectSlice, tagId, position!, index!, limit)
  return toCandidatePage(rows, filter, (last) =>
    encodeCursor(Number(last.position), Number(last.idx), Number(last.no ?? 0)),
  )
}
