import type { Sql } from '#postgres/database.ts'
import type { RequeuedDelivery } from '#store/store.ts'
import { columnsOf } from './columns.ts'
import { touchOrders } from './orderTables.ts'

/** What a worker makes due in the slot of another one is due this much later, so that its owner has not polled past it. */
export const otherOwnerMs = 2_000

/**
 * Restarts the retry schedule: no earlier attempt counts in it. `$5` is the replay, if it is one: it stores the earlier
 * state, and requeues a delivery once. `$6`: the slots of this worker. The owner of another slot finds what becomes due
 * after its next poll.
 */
const requeueDeliveries = `
  WITH again AS MATERIALIZED (
    SELECT delivery.position, delivery.idx, delivery.script, again.next_at
    FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[]) AS again (position, idx, script, next_at)
      JOIN delivery ON delivery.position = again.position AND delivery.idx = again.idx AND delivery.script = again.script
    ORDER BY delivery.position, delivery.idx, delivery.script FOR UPDATE OF delivery
  )
  UPDATE delivery SET status = 'pending', reason = NULL, priority = 2,
    next_at = again.next_at + CASE WHEN delivery.slot = ANY($6) THEN 0 ELSE ${otherOwnerMs} END,
    uncounted = delivery.attempts,
    crash_count = 0, queue = NULL, steps = NULL, replay = coalesce($5::text, delivery.replay),
    before = CASE WHEN $5::text IS NULL THEN delivery.before ELSE concat_ws(' ', delivery.status, delivery.reason) END
  FROM again
  WHERE delivery.position = again.position AND delivery.idx = again.idx AND delivery.script = again.script
    AND delivery.status NOT IN ('held', 'pending') AND ($5::text IS NULL OR delivery.replay IS DISTINCT FROM $5::text)`

const insertDeliveries = `
  INSERT INTO delivery (position, idx, slot, next_at, at, priority, id, tag, script, provider, status, name)
  SELECT again.position, again.idx, event.slot, again.next_at, again.next_at, 2, again.id, again.tag, again.script,
    again.provider, 'pending', event.name
  FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[])
      AS again (position, idx, script, next_at, id, tag, provider)
    JOIN event ON event.tag = again.tag AND event.position = again.position AND event.idx = again.idx
  ORDER BY again.position, again.idx, again.script COLLATE "C"
  ON CONFLICT DO NOTHING`

/** Makes these deliveries due. Planned deliveries have their rows already. */
export async function requeue(
  sql: Sql,
  deliveries: readonly RequeuedDelivery[],
  ownSlots: readonly number[],
  replayId?: string,
): Promise<void> {
  if (deliveries.length === 0) return
  await touchOrders(sql, deliveries)
  const rows = deliveries.map(({ position, index, scriptId, nextAt }) => [position, index, scriptId, nextAt])
  await sql(requeueDeliveries, [...columnsOf(rows, 4), replayId ?? null, ownSlots])
}

/** Inserts those of these deliveries that do not exist, due. */
export async function insertMissing(sql: Sql, deliveries: readonly RequeuedDelivery[]): Promise<void> {
  const rows = deliveries.map(({ deliveryId, tagId, position, index, scriptId, providerId, nextAt }) => {
    return [position, index, scriptId, nextAt, deliveryId, tagId, providerId]
  })
  await sql(insertDeliveries, columnsOf(rows, 7))
}
