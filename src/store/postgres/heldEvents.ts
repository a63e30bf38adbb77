import type { Sql } from '#postgres/database.ts'
import { readEventRef } from '#store/sql/deliveryRows.ts'
import type { EventRef, ReleasedEvent } from '#store/store.ts'
import { changeDeliveries } from './changeDeliveries.ts'
import { columnsOf } from './columns.ts'
import { deleteLocked, eventPlaces } from './lockedRows.ts'
import { otherOwnerMs } from './requeueStatements.ts'

const selectHeldOfUser =
  'SELECT tag AS tag_id, position, idx FROM held WHERE tag = $1 AND user_id = $2 ORDER BY position, idx'
const selectOverdueHolds = `
  SELECT held.tag AS tag_id, held.position, held.idx FROM unnest($1::int[]) AS own (slot) CROSS JOIN LATERAL (
    SELECT * FROM held WHERE slot = own.slot AND until <= $2 ORDER BY slot, until, position, idx LIMIT $3
  ) AS held ORDER BY held.until, held.position, held.idx LIMIT $3`

/** The events that wait for this user's consent, in order of arrival. */
export const readHeldEvents = async (sql: Sql, tagId: string, waitsFor: string): Promise<EventRef[]> =>
  (await sql(selectHeldOfUser, [tagId, waitsFor])).map((row) => readEventRef(row))

/** At most `limit` events of these slots whose wait is over. */
export const readOverdueHolds = async (
  sql: Sql,
  slots: readonly number[],
  nowMs: number,
  limit: number,
): Promise<EventRef[]> => (await sql(selectOverdueHolds, [slots, nowMs, limit])).map((row) => readEventRef(row))

/** The process that deletes the row also releases the event. */
const deleteHolds = `${deleteLocked('held', `${eventPlaces} JOIN held USING (tag, position, idx)`)}
  RETURNING held.position, held.idx, held.user_id`

const updateEvents = `
  UPDATE event SET consent = released.consent, place = released.place
  FROM unnest($1::text[], $2::bigint[], $3::int[], $4::text[], $5::text[]) AS released (tag, position, idx, consent, place)
  WHERE event.tag = released.tag AND event.position = released.position AND event.idx = released.idx`

/**
 * The deliveries of an event become due at its receipt, and keep the order in which the user's events arrived. `$5`:
 * that order. `$6`: the slots of this worker. Events in slots of other workers become due a little later, in order.
 */
const releaseDeliveries = changeDeliveries(
  `SELECT delivery.position, delivery.idx, delivery.script, released.status, released.reason, released.queue,
      CASE WHEN delivery.slot = ANY($6) THEN event.received_at
        ELSE (extract(epoch FROM statement_timestamp()) * 1000)::bigint + ${otherOwnerMs} + released.place END AS due_at,
      delivery.status AS old_status
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[]) AS released (id, status, reason, queue, place)
      JOIN delivery ON delivery.id = released.id
      JOIN event ON event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx`,
  `status = found.status, reason = found.reason,
      next_at = CASE WHEN found.status = 'pending' THEN found.due_at END,
      queue = CASE WHEN found.status = 'pending' THEN found.queue END`,
  `found.old_status = 'held'`,
)

const placeKey = (position: unknown, index: unknown) => `${position} ${index}`

/** Updates and releases the events that are still held. */
export async function releaseEvents(
  sql: Sql,
  events: readonly ReleasedEvent[],
  ownSlots: readonly number[],
): Promise<void> {
  const places = events.map(({ tagId, position, index }) => [tagId, position, index])
  const deleted = await sql(deleteHolds, columnsOf(places, 3))
  const users = new Map(deleted.map(({ position, idx, user_id }) => [placeKey(position, idx), String(user_id)]))
  const released = events.filter(({ position, index }) => users.has(placeKey(position, index)))
  if (released.length === 0) return
  const eventRows = released.map(({ tagId, position, index, consent, place }) => {
    return [tagId, position, index, JSON.stringify(consent), JSON.stringify(place)]
  })
  await sql(updateEvents, columnsOf(eventRows, 5))
  const rows = released.flatMap(({ position, index, deliveries }, place) =>
    deliveries.map(({ deliveryId, status, reason = null }) => {
      return [deliveryId, status, reason, users.get(placeKey(position, index))!, place]
    }),
  )
  if (rows.length === 0) return
  await releaseDeliveries(sql, [...columnsOf(rows, 5), ownSlots])
}
