import type { Sql } from '#postgres/database.ts'
import { recoveryDelay } from '#store/sql/recoveryDelay.ts'
import { columnsOf } from './columns.ts'

/** Rows are locked in the order of their places before they are updated. */
const recoverRows = `
  WITH locked AS MATERIALIZED (
    SELECT position, idx, script, status FROM delivery WHERE under_way AND slot = ANY($2)
    ORDER BY position, idx, script FOR UPDATE
  )
  UPDATE delivery SET next_at = $1::bigint + ${recoveryDelay}, under_way = false, crash_count = crash_count + 1
  FROM locked
  WHERE delivery.position = locked.position AND delivery.idx = locked.idx AND delivery.script = locked.script
    AND locked.status = 'pending'`

/** Makes the deliveries of these slots due that an ended process had in flight. Each has crashed once more. */
export async function recoverRowsOf(sql: Sql, nowMs: number, slots: readonly number[]): Promise<void> {
  await sql(recoverRows, [nowMs, slots])
}

/** An attempt that was marked by an earlier write whose outcome is unknown is not counted again. */
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

/** Counts attempts before they start, and returns those of deliveries that have no row. */
export async function markStarted(sql: Sql, deliveries: readonly StartedDelivery[]): Promise<StartedDelivery[]> {
  if (deliveries.length === 0) return []
  const rows = deliveries.map(({ deliveryId, untilMs }) => [deliveryId, untilMs])
  const found = new Set((await sql(markRows, columnsOf(rows, 2))).map(({ id }) => id))
  return deliveries.filter(({ deliveryId }) => !found.has(deliveryId))
}
