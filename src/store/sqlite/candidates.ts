import { cursorOf, readCursor } from '#store/cursor.ts'
import type { Candidate, Candidates, ReplayFilter } from '#store/replays.ts'
import type { Read, Row } from './read.ts'
import { refOf } from './refs.ts'
import { present } from './rows.ts'

/** An index has what failed, which is little of all there is. */
const failed = `
  SELECT delivery.no, delivery.id, position, idx, script.id AS script, provider, status, event.name, received_at
  FROM delivery JOIN event USING (tag, position, idx) JOIN ref AS script ON script.no = delivery.script
  WHERE delivery.tag = ${refOf} AND status IN ('dead', 'refused') AND (position, idx, delivery.no) > (?, ?, ?)
  ORDER BY position, idx, delivery.no LIMIT ?`

const first = `SELECT position, received_at FROM event WHERE tag = ${refOf} AND position >= ? ORDER BY position LIMIT 1`
const last = `SELECT position FROM event WHERE tag = ${refOf} ORDER BY position DESC LIMIT 1`
const slice = `
  WITH slice AS MATERIALIZED (
    SELECT position, idx, name, received_at FROM event
    WHERE tag = ${refOf} AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?
  )
  SELECT slice.*, delivery.id, script.id AS script, provider, status
  FROM slice LEFT JOIN delivery ON delivery.position = slice.position AND delivery.idx = slice.idx
    LEFT JOIN ref AS script ON script.no = delivery.script
  ORDER BY slice.position, slice.idx, delivery.no`
const ofEvent = `
  SELECT delivery.id, position, idx, script.id AS script, provider, status, event.name, received_at
  FROM delivery JOIN event USING (tag, position, idx) JOIN ref AS script ON script.no = delivery.script
  WHERE delivery.tag = ${refOf} AND position = ? AND idx = ? ORDER BY delivery.no`

/** Events stand in the order they came; a clock that was set may have given them times out of order by this much. */
const slackMs = 86_400_000
const noLater = Number.MAX_SAFE_INTEGER

const candidate = (row: Row) =>
  present<Candidate>({
    deliveryId: row.id,
    position: row.position,
    index: row.idx,
    scriptId: row.script,
    providerId: row.provider,
    status: row.status,
  })

const isAsked = (row: Row, { statuses, from = 0, to = noLater, eventNames, scriptIds }: ReplayFilter) =>
  statuses.some((status) => status === row.status) &&
  Number(row.received_at) >= from &&
  Number(row.received_at) <= to &&
  (eventNames?.includes(String(row.name)) ?? true) &&
  (scriptIds?.includes(String(row.script)) ?? true)

/** The position of the first event that was received at this time or later, found in a few dozen looks. */
function positionAt(read: Read, tagId: string, atMs: number): number {
  let low = 0
  let high = Number(read.one(last, tagId)?.position ?? 0) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = read.one(first, tagId, middle)
    if (row && Number(row.received_at) < atMs) low = Number(row.position) + 1
    else high = middle
  }
  return low
}

const before = (position: number) => [position - 1, noLater, noLater] as const

const ofFailed = ({ statuses }: ReplayFilter) => statuses.every((status) => status === 'dead' || status === 'refused')

/** Some of the deliveries that a filter asks for; `limit` is how many rows are looked at, whatever comes of them. */
export function candidatesOf(
  read: Read,
  tagId: string,
  filter: ReplayFilter,
  after: string | undefined,
  limit: number,
): Candidates {
  const { places, from = 0, to = noLater } = filter
  if (places) return ofPlaces(read, tagId, filter, after, limit)
  const [position, index, no] = after ? readCursor(after, 3) : before(positionAt(read, tagId, from - slackMs))
  const rows = ofFailed(filter)
    ? read.all(failed, tagId, position!, index!, no!, limit)
    : read.all(slice, tagId, position!, index!, limit)
  const end = rows.at(-1)
  const isOver = !end || Number(end.received_at) > to + slackMs
  const reached = isOver ? {} : { reached: cursorOf(Number(end.position), Number(end.idx), Number(end.no ?? 0)) }
  return { rows: rows.filter((row) => row.id !== null && isAsked(row, filter)).map(candidate), ...reached }
}

function ofPlaces(
  read: Read,
  tagId: string,
  filter: ReplayFilter,
  after: string | undefined,
  limit: number,
): Candidates {
  const begin = after ? readCursor(after, 1)[0]! : 0
  const end = begin + limit
  const rows = (filter.places ?? []).slice(begin, end).flatMap((place) => read.all(ofEvent, tagId, ...place))
  const isOver = end >= (filter.places?.length ?? 0)
  return {
    rows: rows.filter((row) => isAsked(row, filter)).map(candidate),
    ...(!isOver && { reached: cursorOf(end) }),
  }
}
