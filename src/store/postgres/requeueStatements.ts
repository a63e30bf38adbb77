import type { Sql } from '#postgres/database.ts'
import { recoveryDelay } from '#store/sql/recoveryDelay.ts'
import type { RequeuedDelivery } from '#store/store.ts'
import { columnsOf } from './columns.ts'
import { updateLocked } from './lockedRows.ts'
import { touchOrders } from './orderTables.ts'

/** The delay for deliveries in another worker's slot, so that its poll has not passed them when they become due. */
export const otherOwnerMs = 2_000

/**
 * Restarts the retry schedule: earlier attempts no longer count. `$5`: the replay, if this is one; it stores the
 * earlier state, and requeues a delivery only once. `$6`: the slots of this worker. Deliveries in other slots become
 * due a little later (`otherOwnerMs`).
 */
const requeueDeliveries = updateLocked('delivery', {
  from: `unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[]) AS again (position, idx, script, next_at)
    JOIN delivery USING (position, idx, script)`,
  columns: 'again.next_at',
  set: `status = 'pending', reason = NULL, priority = 2,
    next_at = found.next_at + CASE WHEN delivery.slot = ANY($6) THEN 0 ELSE ${otherOwnerMs} END,
    uncounted = delivery.attempts,
    crash_count = 0, queue = NULL, steps = NULL, replay = coalesce($5::text, delivery.replay),
    before = CASE WHEN $5::text IS NULL THEN delivery.before ELSE concat_ws(' ', delivery.status, delivery.reason) END`,
  where: `delivery.status NOT IN ('held', 'pending') AND ($5::text IS NULL OR delivery.replay IS DISTINCT FROM $5::text)`,
})

const insertDeliveries = `
  INSERT INTO delivery (position, idx, slot, next_at, at, priority, id, tag, script, provider, status, name)
  SELECT again.position, again.idx, event.slot, again.next_at, again.next_at, 2, again.id, again.tag, again.script,
    again.provider, 'pending', event.name
  FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[])
      AS again (position, idx, script, next_at, id, tag, provider)
    JOIN event ON event.tag = again.tag AND event.position = again.position AND event.idx = again.idx
  ORDER BY again.position, again.idx, again.script COLLATE "C"
  ON CONFLICT DO NOTHING`

/** Makes these deliveries due. Planned deliveries must already have rows. */
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

/** Inserts missing deliveries as due. */
export async function insertMissing(sql: Sql, deliveries: readonly RequeuedDelivery[]): Promise<void> {
  const rows = deliveries.map(({ deliveryId, tagId, position, index, scriptId, providerId, nextAt }) => {
    return [position, index, scriptId, nextAt, deliveryId, tagId, providerId]
  })
  await sql(insertDeliveries, columnsOf(rows, 7))
}

const recoverRows = updateLocked('delivery', {
  from: 'delivery WHERE under_way AND slot = ANY($2)',
  columns: 'delivery.status',
  set: `next_at = $1::bigint + ${recoveryDelay}, under_way = false, crash_count = crash_count + 1`,
  where: `found.status = 'pending'`,
})

/** Makes deliveries of these slots due that were in flight when a process ended, and counts one more crash of each. */
export async function recoverRowsOf(sql: Sql, nowMs: number, slots: readonly number[]): Promise<void> {
  await sql(recoverRows, [nowMs, slots])
}

/** Does not count an attempt again that an earlier write with an unknown result has marked. */
const markRows = `
  WITH started AS MATERIALIZED (
    SELECT delivery.position, delivery.idx, delivery.script, started.until_ms, started.id,
      delivery.status = 'pending' AND NOT (delivery.under_way AND delivery.next_at = started.until_ms) AS is_new
    FROM unnest($1::text[], $2::bigint[]) AS started (id, until_ms) JOIN delivery ON delivery.id = started.id
    ORDER BY delivery.position, delivery.idx, delivery.script FOR UPDATE OF delivery
  ), marked AS (
    UPDATE delivery SET attempts = attempts + 1, under_way = true, next_at = started.until_ms
    FROM started
    WHERE delivery.position = started.position AND delivery.idx = started.idx AND delivery.script = started.script
      AND started.is_new
  )
  SELECT id FROM started`

type StartedDelivery = { deliveryId: string; untilMs: number }

/** Counts attempts before they start. Returns the attempts of deliveries that have no row. */
export async function markStarted(sql: Sql, deliveries: readonly StartedDelivery[]): Promise<StartedDelivery[]> {
  if (deliveries.length === 0) return []
  const rows = deliveries.map(({ deliveryId, untilMs }) => [deliveryId, untilMs])
  const found = new Set((await sql(markRows, columnsOf(rows, 2))).map(({ id }) => id))
  return deliveries.filter(({ deliveryId }) => !found.has(deliveryId))
}
