import type { DeliveryRecord } from '#store/deliveryQueries.ts'
import { readDeliveryRecord } from './deliveryRows.ts'
import type { DeliveryPlace, Dialect, EventKey, ScriptKey } from './dialect.ts'
import type { Read } from './read.ts'
import type { SqlRow } from './sql.ts'

export const placesParam = (places: readonly (EventKey & Partial<DeliveryPlace>)[]): string =>
  JSON.stringify(places.map(({ position, idx, script = null }) => [position, idx, script]))

/** The rows of `placesParam` as a FROM item. */
export const placeRows = ({ tuples }: Dialect, param: string): string =>
  tuples(param, 'wanted', { position: 'bigint', idx: 'int', script: 'ref' })
export const isOfPlace = 'delivery.position = wanted.position AND delivery.idx = wanted.idx'

/** Joins the event of a delivery, and the names of its script and provider. */
export const joinEvent = ({ delivery: { joins } }: Dialect): string =>
  `JOIN event ON event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx ${joins}`

const byPlace = (one: SqlRow, other: SqlRow) =>
  Number(one.no) - Number(other.no) || ((one.script as ScriptKey) < (other.script as ScriptKey) ? -1 : 1)

/** Reads deliveries as lists show them. */
export function createDeliveryReads(dialect: Dialect) {
  const { id, columns, user, selectPlaces, idsParam, isOfAttempt, firstMessage } = dialect.delivery
  const isOfTag = `delivery.tag = ${dialect.ref('?1')}`
  const listed = `delivery.position, delivery.idx, delivery.script, delivery.status, delivery.reason, delivery.attempts,
    delivery.next_at, delivery.at, event.name, event.received_at, ${id} AS id, ${columns}, ${user} AS user_id,
    delivery.http_status, ${firstMessage} AS message`
  const selectAt = `
    SELECT wanted.no, ${listed} FROM ${placeRows(dialect, '?2')} CROSS JOIN delivery ${joinEvent(dialect)}
    WHERE ${isOfPlace} AND delivery.script = coalesce(wanted.script, delivery.script) AND ${isOfTag}`
  const last = (column: string) =>
    `(SELECT attempt.${column} FROM attempt WHERE ${isOfAttempt} ORDER BY attempt.number DESC LIMIT 1) AS ${column}`
  const selectLast = `
    SELECT wanted.no, ${['number', 'http_status', 'message'].map(last).join(', ')}
    FROM ${placeRows(dialect, '?1')} CROSS JOIN delivery WHERE ${isOfPlace} AND delivery.script = wanted.script`

  /**
   * The deliveries at these places, or all deliveries of these events, in the order of `places` and then of scripts.
   */
  function* at(tagId: string, places: readonly (EventKey & Partial<DeliveryPlace>)[]): Read<SqlRow[]> {
    if (places.length === 0) return []
    return (yield [selectAt, tagId, placesParam(places)]).sort(byPlace)
  }
  /** The rows with their last attempts. If no attempt is stored separately, the row has the only one. */
  function* withLastAttempts(rows: readonly SqlRow[]): Read<SqlRow[]> {
    if (rows.length === 0) return []
    const found = yield [selectLast, placesParam(rows as readonly DeliveryPlace[])]
    const stored = found.filter(({ number }) => number !== null)
    const attempts = new Map(stored.map((attempt) => [Number(attempt.no), attempt]))
    return rows.map((row, n) => ({ ...row, ...attempts.get(n) }))
  }
  function* records(tagId: string, rows: readonly SqlRow[]): Read<DeliveryRecord[]> {
    return (yield* withLastAttempts(rows)).map((row) => readDeliveryRecord(row, tagId))
  }
  function* withIds(tagId: string, ids: readonly string[]): Read<DeliveryRecord[]> {
    if (ids.length === 0) return []
    const places = yield [selectPlaces, idsParam(ids)]
    const rows = yield* at(tagId, places as EventKey[])
    return yield* records(
      tagId,
      rows.filter((row) => ids.includes(String(row.id))),
    )
  }
  return { at, withLastAttempts, records, withIds }
}
