import { slotOf } from '#cluster/slotOf.ts'
import { erasedUserId } from '#event/eraseEvents.ts'
import type { Sql } from '#postgres/database.ts'
import type { ReplayRecord } from '#store/replays.ts'
import { replay } from '#store/sql/tables.ts'
import { insertRow } from '#store/sql/writeRow.ts'
import type { StoreChange } from '#store/store.ts'
import { changeDeliveries } from './changeDeliveries.ts'
import { columnsOf } from './columns.ts'
import { storePlannedOf } from './plannedDeliveries.ts'
import { runStatements } from './statements.ts'

const eventsOfUser = `
  SELECT tag, position, idx FROM event WHERE tag = $1 AND user_id = $2 UNION
  SELECT tag, position, idx FROM event WHERE tag = $1 AND joined = $2`

const deleteHolds = `
  WITH waiting AS MATERIALIZED (
    SELECT held.tag, held.position, held.idx FROM (${eventsOfUser}) AS event JOIN held USING (tag, position, idx)
    ORDER BY held.position, held.idx FOR UPDATE OF held
  )
  DELETE FROM held USING waiting
  WHERE held.tag = waiting.tag AND held.position = waiting.position AND held.idx = waiting.idx`

const endDeliveries = changeDeliveries(
  `SELECT delivery.position, delivery.idx, delivery.script
    FROM (${eventsOfUser}) AS event
      JOIN delivery ON delivery.position = event.position AND delivery.idx = event.idx
    WHERE delivery.status IN ('pending', 'held')`,
  `status = 'dead', reason = 'erased', next_at = NULL`,
)

/** Marks the waiting deliveries of a user's events dead. */
export async function eraseUserDeliveries(
  sql: Sql,
  { tagId, userId }: Extract<StoreChange, { erase: 'user' }>,
): Promise<void> {
  const user = [tagId, userId]
  await storePlannedOf(sql, tagId)
  await sql(deleteHolds, user)
  await endDeliveries(sql, user)
}

const disownEvents = `
  WITH owned AS MATERIALIZED (
    SELECT event.tag, event.position, event.idx
    FROM unnest($1::text[], $2::bigint[], $3::int[]) AS owned (tag, position, idx)
      JOIN event ON event.tag = owned.tag AND event.position = owned.position AND event.idx = owned.idx
    ORDER BY event.position, event.idx FOR UPDATE OF event
  )
  UPDATE event SET user_id = '${erasedUserId}', joined = NULL, order_hash = NULL
  FROM owned WHERE event.tag = owned.tag AND event.position = owned.position AND event.idx = owned.idx`

/** A vendor's message may repeat user data that it received. */
const deleteMessages = `
  WITH said AS MATERIALIZED (
    SELECT attempt.delivery, attempt.number
    FROM unnest($1::text[], $2::bigint[], $3::int[]) AS erased (tag, position, idx)
      JOIN delivery ON delivery.position = erased.position AND delivery.idx = erased.idx AND delivery.tag = erased.tag
      JOIN attempt ON attempt.delivery = delivery.id
    WHERE attempt.message IS NOT NULL
    ORDER BY attempt.delivery, attempt.number FOR UPDATE OF attempt
  )
  UPDATE attempt SET message = NULL
  FROM said WHERE attempt.delivery = said.delivery AND attempt.number = said.number`

/** The first attempt of a delivery may stand in its row. */
const deleteFirstMessages = `
  WITH said AS MATERIALIZED (
    SELECT delivery.position, delivery.idx, delivery.script
    FROM unnest($1::text[], $2::bigint[], $3::int[]) AS erased (tag, position, idx)
      JOIN delivery ON delivery.position = erased.position AND delivery.idx = erased.idx AND delivery.tag = erased.tag
    WHERE delivery.message IS NOT NULL
    ORDER BY delivery.position, delivery.idx, delivery.script FOR UPDATE OF delivery
  )
  UPDATE delivery SET message = NULL
  FROM said WHERE delivery.position = said.position AND delivery.idx = said.idx AND delivery.script = said.script`

/** Removes the user and the vendor messages from these events. */
export async function eraseEvents(sql: Sql, { events }: Extract<StoreChange, { erase: 'events' }>): Promise<void> {
  const places = events.map(({ tagId, position, index }) => [tagId, position, index])
  await sql(deleteMessages, columnsOf(places, 3))
  await sql(deleteFirstMessages, columnsOf(places, 3))
  await sql(disownEvents, columnsOf(places, 3))
}

const deleteJoins = `
  WITH joined AS MATERIALIZED (
    SELECT attempt.delivery, attempt.number FROM unnest($1::text[], $2::int[]) AS joined (delivery, number)
      JOIN attempt ON attempt.delivery = joined.delivery AND attempt.number = joined.number
    ORDER BY attempt.delivery, attempt.number FOR UPDATE OF attempt
  )
  UPDATE attempt SET joined = '${erasedUserId}', message = NULL
  FROM joined WHERE attempt.delivery = joined.delivery AND attempt.number = joined.number`

/** Removes from these attempts the user whose click ids and cookies they sent too. */
export async function eraseJoins(sql: Sql, { joins }: Extract<StoreChange, { erase: 'joins' }>): Promise<void> {
  const attempts = joins.map(({ deliveryId, number }) => [deliveryId, number])
  await sql(deleteJoins, columnsOf(attempts, 2))
}

export const addReplay = (sql: Sql, { row }: Extract<StoreChange, { add: 'replay' }>): Promise<void> =>
  runStatements(
    sql,
    insertRow(
      { ...replay, columns: (each: ReplayRecord) => ({ ...replay.columns(each), slot: slotOf(row.tagId) }) },
      row,
    ),
  )
