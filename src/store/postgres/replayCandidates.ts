import type { Sql } from '#postgres/database.ts'
import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { ReplayCandidatePage, ReplayFilter } from '#store/replays.ts'
import { asksFailedOnly, placesPage, replaySlackMs, toCandidatePage } from '#store/sql/deliveryRows.ts'
import { columnsOf } from './columns.ts'
import { findPositionSpan } from './positionSpan.ts'

const columns = `delivery.id, delivery.position, delivery.idx, delivery.script, delivery.provider, delivery.status,
    event.name, event.received_at`
const joinEvent =
  'JOIN event ON event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx'

/** Uses the partial index of failed deliveries. A page has all of those of its last event. */
const selectFailed = `
  SELECT ${columns} FROM (
    SELECT * FROM delivery WHERE tag = $1 AND status IN ('dead', 'refused') AND (position, idx) > ($2, $3)
    ORDER BY position, idx FETCH FIRST $4 ROWS WITH TIES
  ) AS delivery ${joinEvent}
  ORDER BY delivery.position, delivery.idx, delivery.script`

const selectSlice = `
  SELECT delivery.id, event.position, event.idx, delivery.script, delivery.provider, delivery.status, event.name,
    event.received_at
  FROM (
    SELECT * FROM event WHERE tag = $1 AND (position, idx) > ($2, $3) ORDER BY tag, position, idx LIMIT $4
  ) AS event LEFT JOIN delivery ON delivery.position = event.position AND delivery.idx = event.idx
  ORDER BY event.position, event.idx, delivery.script`

const selectOfEvents = `
  SELECT ${columns}
  FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS wanted (position, idx, no)
    JOIN delivery ON delivery.position = wanted.position AND delivery.idx = wanted.idx AND delivery.tag = $1 ${joinEvent}
  ORDER BY wanted.no, delivery.script`

const maxIndex = 2 ** 31 - 1

/** Before the first event that may have been received at `fromMs` or later. */
async function cursorBefore(sql: Sql, tagId: string, fromMs: number): Promise<readonly number[]> {
  const { from } = await findPositionSpan(sql, tagId, { fromMs }, replaySlackMs)
  return [from - 1, maxIndex]
}

/** A page of the deliveries that match a filter. `limit` is the number of scanned rows, not of matches. */
export async function findCandidates(
  sql: Sql,
  tagId: string,
  filter: ReplayFilter,
  after: string | undefined,
  limit: number,
): Promise<ReplayCandidatePage> {
  const { places, from = 0 } = filter
  if (places) {
    const { some, toPage } = placesPage({ ...filter, places }, after, limit)
    return toPage(await sql(selectOfEvents, [tagId, ...columnsOf(some, 2)]))
  }
  const place = after ? decodeCursor(after, 2) : await cursorBefore(sql, tagId, from)
  const rows = await sql(asksFailedOnly(filter) ? selectFailed : selectSlice, [tagId, ...place, limit])
  return toCandidatePage(rows, filter, (last) => encodeCursor(Number(last.position), Number(last.idx)))
}
