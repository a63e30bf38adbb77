import { slotsOfTag } from '#cluster/postgres/spread.ts'
import { slotOf } from '#cluster/slotOf.ts'
import type { Sql } from '#postgres/database.ts'
import { readAttempt, readDelivery, readEventRow } from '#store/sql/deliveryRows.ts'
import type { JournalEvent } from '#store/store.ts'

const selectEvent = 'SELECT * FROM event WHERE tag = $1 AND position = $2 AND idx = $3'

/** The deliveries of an event, including those without a row. */
const selectDeliveries = `
  WITH listed AS (
    SELECT id, script AS script_id, provider, status, reason, at, next_at, replay AS replay_id
    FROM delivery WHERE position = $2 AND idx = $3
    UNION ALL
    SELECT each.value ->> 0, each.value ->> 1, each.value ->> 2, 'pending', NULL, event.received_at, event.received_at, NULL
    FROM planned JOIN event USING (tag, position, idx) CROSS JOIN LATERAL json_array_elements(planned.deliveries::json) AS each
    WHERE planned.slot = ANY(${slotsOfTag('$4', '$1')}) AND planned.position = $2 AND planned.idx = $3 AND NOT EXISTS (
      SELECT 1 FROM delivery WHERE position = $2 AND idx = $3 AND delivery.script = each.value ->> 1)
  )
  SELECT listed.*, pause.reason AS paused_for FROM listed
    LEFT JOIN channel_pause AS pause ON pause.script = listed.script_id AND listed.status = 'pending'
  ORDER BY listed.script_id`
const selectAttempts =
  'SELECT every_attempt.*, delivery AS delivery_id FROM every_attempt WHERE delivery = ANY($1) ORDER BY number'

/** An event with its deliveries and their attempts. */
export async function readJournalEvent(
  sql: Sql,
  tagId: string,
  position: number,
  index: number,
): Promise<JournalEvent | undefined> {
  const [row] = await sql(selectEvent, [tagId, position, index])
  if (!row) return undefined
  const rows = await sql(selectDeliveries, [slotOf(tagId), position, index, tagId])
  const attempts = await sql(selectAttempts, [rows.map(({ id }) => String(id))])
  const journalAttempts = attempts.map(readAttempt)
  return { ...readEventRow(row, tagId), deliveries: rows.map((each) => readDelivery(each, journalAttempts)) }
}
