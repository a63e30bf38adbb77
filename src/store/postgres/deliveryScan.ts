import type { QueryRow, Sql } from '#postgres/database.ts'
import { isStatusSelective, matchesEvent, matchesState } from '#store/deliveryMatch.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { type DeliveryPlace, type PlaceRange, readGroups, selectEvents } from './eventScan.ts'
import { keyColumns, ofEachKey, type StatusKey, scanStatuses } from './statusScan.ts'

const deliveryColumns =
  'delivery.id, delivery.provider, delivery.status, delivery.reason, delivery.attempts, delivery.next_at, delivery.at'
/** The columns of a scanned delivery, and of its event. */
export const selectDelivery = `
  SELECT event.position, event.idx, event.name, event.user_id, event.received_at, delivery.script, ${deliveryColumns}`

/**
 * Each delivery after the cursor, and before it a row without script for the end of an event that was listed whole.
 * `script`: the parameter with the only script of the list.
 */
const joinDeliveries = (events: string, script: string | undefined) => `
  WITH event AS MATERIALIZED (${events})
  SELECT * FROM (
    ${selectDelivery} FROM event JOIN delivery ON delivery.position = event.position AND delivery.idx = event.idx
      AND delivery.tag = $1 ${script ? `AND delivery.script = ${script}` : ''}
    UNION ALL
    SELECT position, idx, name, user_id, received_at, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM event
  ) AS scanned`
const inOrder = 'ORDER BY position DESC, idx DESC, script DESC'

/** The first group has few events, because each has several deliveries. */
const eventsPerRead = { first: 50, later: 200 }
const rowsPerRead = { first: 200, later: 1_000 }

/** Scans the deliveries of a tag's events. A row with an empty script follows the deliveries of each event. */
async function* scanByEvent(sql: Sql, range: PlaceRange, filter: DeliveryFilter): AsyncGenerator<QueryRow[]> {
  let { after } = range
  for (let limit = eventsPerRead.first; ; limit = eventsPerRead.later) {
    const [events, values] = selectEvents({ ...range, after }, filter, limit)
    const [script, own] = filter.scriptId === undefined ? [] : [`$${values.length + 1}`, filter.scriptId]
    const rows = await sql(
      `${joinDeliveries(events, script)} ${inOrder}`,
      own === undefined ? values : [...values, own],
    )
    const { position, idx, script: last } = after
    yield rows.filter((row) => !(row.position === position && row.idx === idx && String(row.script) >= last))
    if (rows.filter((row) => row.script === '').length < limit) return
    after = placeOf(rows.at(-1)!)
  }
}

const afterCursor = `AND position >= $5 AND (position, idx) <= ($6, $7) AND (position, idx, delivery.script) < ($6, $7, $8)`
const ofKeys = ofEachKey('position, idx, delivery.script', { condition: afterCursor, order: 'DESC', limit: '$9' })
const selectByKeys = `
  WITH place AS MATERIALIZED (
    SELECT found.* ${ofKeys} ${inOrder} LIMIT $9
  )
  ${selectDelivery} FROM place
    JOIN delivery ON delivery.position = place.position AND delivery.idx = place.idx AND delivery.script = place.script
    JOIN event ON event.tag = $1 AND event.position = place.position AND event.idx = place.idx
  ORDER BY delivery.position DESC, delivery.idx DESC, delivery.script DESC`

/** Scans the deliveries with some scripts, statuses and reasons. */
const scanByKeys = (sql: Sql, range: PlaceRange, keys: readonly StatusKey[]): AsyncGenerator<QueryRow[]> =>
  readGroups(
    range,
    rowsPerRead,
    ({ tagId, from, after }, limit) =>
      sql(selectByKeys, [tagId, ...keyColumns(keys), from, after.position, after.idx, after.script, limit]),
    placeOf,
  )

/** The place of a scanned row. */
export const placeOf = (row: QueryRow): DeliveryPlace => ({
  position: Number(row.position),
  idx: Number(row.idx),
  script: String(row.script),
})

/** Most deliveries are delivered, and no index has them by status. They have no reason. */
const mayBeDelivered = ({ statuses, reasons }: DeliveryFilter) =>
  reasons === undefined && (statuses?.includes('delivered') ?? true)

/** Scans the deliveries that may match a filter, newest first, in groups. */
export async function* scanDeliveries(sql: Sql, range: PlaceRange, filter: DeliveryFilter): AsyncGenerator<QueryRow[]> {
  if (!isStatusSelective(filter) || mayBeDelivered(filter)) return yield* scanByEvent(sql, range, filter)
  const scripts = filter.scriptId === undefined ? undefined : [filter.scriptId]
  const keys = await scanStatuses(sql, range.tagId, filter, scripts)
  if (keys.length > 0) yield* scanByKeys(sql, range, keys)
}

export const matchesEventRow = (row: QueryRow, filter: DeliveryFilter): boolean =>
  matchesEvent({ eventName: row.name, userId: row.user_id, receivedAt: Number(row.received_at) }, filter)

const matchesRow = (row: QueryRow, filter: DeliveryFilter): boolean =>
  row.script !== '' &&
  matchesEventRow(row, filter) &&
  matchesState({ status: row.status, reason: row.reason, scriptId: row.script }, filter)

const selectLastAttempts = `
  SELECT wanted.id, last.http_status, last.message FROM unnest($1::text[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT http_status, message FROM every_attempt WHERE delivery = wanted.id ORDER BY number DESC LIMIT 1
  ) AS last`

export type LastAttempt = { id: string; http_status: number | null; message: string | null }

/** The last attempts of deliveries, by their ids. */
export async function readLastAttempts(sql: Sql, ids: readonly string[]): Promise<Map<string, LastAttempt>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<LastAttempt>(selectLastAttempts, [ids])
  return new Map(rows.map((row) => [row.id, row]))
}

/** The rows of a group that match a filter. Reads attempts only of those for which all else matches. */
export async function matchingRows(
  sql: Sql,
  rows: readonly QueryRow[],
  filter: DeliveryFilter,
): Promise<ReadonlySet<QueryRow>> {
  const found = rows.filter((row) => matchesRow(row, filter))
  if (!filter.httpStatuses) return new Set(found)
  const attempts = await readLastAttempts(
    sql,
    found.map(({ id }) => String(id)),
  )
  return new Set(
    found.filter(({ id }) => filter.httpStatuses!.some((each) => each === attempts.get(String(id))?.http_status)),
  )
}
