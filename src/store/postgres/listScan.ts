import type { SqlParam } from '#kit/writeBatch.ts'
import { toBinaryColumns } from '#postgres/binaryArrays.ts'
import type { DeliveryPlace, EventFilter, EventRange, PlaceRange, StateKey } from '#store/sql/dialect.ts'
import { placeOf } from '#store/sql/places.ts'
import type { Read } from '#store/sql/read.ts'

const selectRange = (condition = '') => `
  SELECT position, idx FROM event WHERE tag = ?1 AND position >= ?2 AND (position, idx) < (?3, ?4) ${condition}
  ORDER BY position DESC, idx DESC LIMIT ?5`

/** The keys of the events of an order, of people or of one user, otherwise of one name, otherwise of all events. */
export function selectEvents(
  { tagId, from, before }: EventRange,
  { orderHash, people, userId, eventName }: EventFilter,
  limit: number,
): [sql: string, ...params: SqlParam[]] {
  const params = [tagId, from, before.position, before.idx, limit]
  if (orderHash !== undefined) return [selectRange('AND order_hash = ?6'), ...params, orderHash]
  if (people) {
    const isOfPeople = 'ANY(ARRAY(SELECT json_array_elements_text(?6::json)))'
    return [selectRange(`AND (user_id = ${isOfPeople} OR joined = ${isOfPeople})`), ...params, JSON.stringify(people)]
  }
  if (userId !== undefined) return [selectRange('AND user_id = ?6'), ...params, userId]
  return eventName === undefined ? [selectRange(), ...params] : [selectRange('AND name = ?6'), ...params, eventName]
}

/**
 * The index `delivery_status` has the deliveries of a status and reason in order of arrival. Two reads per state,
 * because PostgreSQL uses no index for IS NOT DISTINCT FROM; one of them ends at once. The reason is a sort column too,
 * because the planner does not take IS NULL as one value.
 */
const ofState = (reason: string) => `
  SELECT position, idx, delivery.script FROM delivery
  WHERE tag = ?1 AND delivery.status <> 'delivered' AND delivery.script = state.script AND delivery.status = state.status
    AND ${reason} AND position >= ?5 AND (position, idx) <= (?6, ?7) AND (position, idx, delivery.script) < (?6, ?7, ?8)
  ORDER BY delivery.reason DESC, position DESC, idx DESC LIMIT ?9`
const selectPlaces = `
  SELECT found.* FROM unnest(?2::text[], ?3::text[], ?4::text[]) AS state (script, status, reason) CROSS JOIN LATERAL (
    (${ofState('delivery.reason = state.reason')})
    UNION ALL
    (${ofState('delivery.reason IS NULL AND state.reason IS NULL')})
  ) AS found ORDER BY position DESC, idx DESC, script DESC LIMIT ?9`

/** The deliveries of some states, newest first. */
export function scanPlaces({ tagId, from, after }: PlaceRange, keys: readonly StateKey[]) {
  const states = toBinaryColumns(keys, ['text', 'text', 'text'])
  let last: DeliveryPlace | undefined = after
  return function* (limit: number): Read<DeliveryPlace[]> {
    if (!last || keys.length === 0) return []
    const { position, idx, script } = last
    const rows = yield [selectPlaces, tagId, ...states, from, position, idx, script, limit]
    const places: DeliveryPlace[] = rows.map(placeOf)
    last = rows.length < limit ? undefined : places.at(-1)
    return places
  }
}
