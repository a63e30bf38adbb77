import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { ReplayCandidate, ReplayCandidatePage, ReplayFilter } from '#store/replays.ts'
import { createDeliveryReads } from './deliveryReads.ts'
import type { Dialect } from './dialect.ts'
import { keyOf } from './places.ts'
import { positionSpans } from './positionSpan.ts'
import type { Read } from './read.ts'
import { mapRow, same } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

/** Events are in order of arrival. If a clock was changed, their times may be out of order by this much. */
const slackMs = 86_400_000
const maxNumber = Number.MAX_SAFE_INTEGER
const maxIndex = 2 ** 31 - 1

const candidate = mapRow<ReplayCandidate>({
  ...{ deliveryId: 'id', index: 'idx', scriptId: 'script_id', providerId: 'provider' },
  ...same('position', 'status'),
})

const matchesFilter = (row: SqlRow, { statuses, from = 0, to = maxNumber, eventNames, scriptIds }: ReplayFilter) =>
  statuses.some((status) => status === row.status) &&
  Number(row.received_at) >= from &&
  Number(row.received_at) <= to &&
  (eventNames?.includes(String(row.name)) ?? true) &&
  (scriptIds?.includes(String(row.script_id)) ?? true)

const asksFailedOnly = ({ statuses }: ReplayFilter): boolean =>
  statuses.every((status) => status === 'dead' || status === 'refused')

/** Pages of the deliveries that match a filter. `limit`: scanned events per page. */
export function findCandidates(dialect: Dialect) {
  const deliveries = createDeliveryReads(dialect)
  const { findSpan } = positionSpans(dialect)
  const after = `tag = ${dialect.ref('?1')} AND (position, idx) > (?2, ?3)`
  /** Uses the partial index of failed deliveries. */
  const selectFailed = `
    SELECT DISTINCT position, idx FROM delivery WHERE ${after} AND status IN ('dead', 'refused')
    ORDER BY position, idx LIMIT ?4`
  const selectEvents = `SELECT position, idx, received_at FROM event WHERE ${after} ORDER BY position, idx LIMIT ?4`

  /** The place before the first event that may have been received at `fromMs` or later. */
  function* cursorBefore(tagId: string, fromMs: number): Read<number[]> {
    const { from } = yield* findSpan(tagId, { fromMs }, slackMs)
    return [from - 1, maxIndex]
  }
  return function* (
    tagId: string,
    filter: ReplayFilter,
    cursor: string | undefined,
    limit: number,
  ): Read<ReplayCandidatePage> {
    const candidates = (rows: readonly SqlRow[]) => rows.filter((row) => matchesFilter(row, filter)).map(candidate.read)
    const { places, from = 0, to = maxNumber } = filter
    if (places) {
      const begin = cursor ? decodeCursor(cursor, 1)[0]! : 0
      const end = begin + limit
      const some = places.slice(begin, end).map(([position, idx]) => ({ position, idx }))
      const rows = candidates(yield* deliveries.at(tagId, some))
      return { rows, ...(end < places.length && { cursor: encodeCursor(end) }) }
    }
    const [position, idx] = cursor ? decodeCursor(cursor, 2) : yield* cursorBefore(tagId, from)
    const events = yield [asksFailedOnly(filter) ? selectFailed : selectEvents, tagId, position!, idx!, limit]
    const rows = yield* deliveries.at(tagId, events.map(keyOf))
    const last = events.at(-1)
    const isLast = !last || Number(last.received_at ?? rows.at(-1)?.received_at) > to + slackMs
    return {
      rows: candidates(rows),
      ...(!isLast && { cursor: encodeCursor(Number(last.position), Number(last.idx)) }),
    }
  }
}
