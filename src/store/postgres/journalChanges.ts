import { slotOf } from '#cluster/slotOf.ts'
import { erasedUserId } from '#event/eraseEvents.ts'
import type { Sql } from '#postgres/database.ts'
import type { ReplayRecord } from '#store/replays.ts'
import { replay } from '#store/sql/tables.ts'
import { insertRow } from '#store/sql/writeRow.ts'
import type { StoreChange } from '#store/store.ts'
import { changeDeliveries } from './changeDeliveries.ts'
import { columnsOf } from './columns.ts'
import { deleteLocked, eventPlaces, updateLocked } from './lockedRows.ts'
import { storePlannedOf } from './plannedDeliveries.ts'
import { runStatements } from './statements.ts'

const eventsOfUser = `
  SELECT tag, position, idx FROM event WHERE tag = $1 AND user_id = $2 UNION
  SELECT tag, position, idx FROM event WHERE tag = $1 AND joined = $2`

const deleteHolds = deleteLocked('held', `(${eventsOfUser}) AS event JOIN held USING (tag, position, idx)`)

const endDeliveries = changeDeliveries(
  `SELECT delivery.position, delivery.idx, delivery.script
    FROM (${eventsOfUser}) AS event
      JOIN delivery ON delivery.position = event.position AND delivery.idx = event.idx
    WHERE delivery.status IN ('pending', 'held')`,
  `status = 'dead', reason = 'erased', next_at = NULL`,
)

/** Ends the waiting deliveries of a user's events as dead. */
export async function eraseUserDeliveries(
  sql: Sql,
  { tagId, userId }: Extract<StoreChange, { erase: 'user' }>,
): Promise<void> {
  const user = [tagId, userId]
  await storePlannedOf(sql, tagId)
  await sql(deleteHolds, user)
  await endDeliveries(sql, user)
}

const disownEvents = updateLocked('event', {
  from: `${eventPlaces} JOIN event USING (tag, position, idx)`,
  set: `user_id = '${erasedUserId}', joined = NULL, order_hash = NULL`,
})

/** A vendor's message may repeat user data that it received. */
const deleteMessages = updateLocked('attempt', {
  from: `${eventPlaces} JOIN delivery USING (tag, position, idx) JOIN attempt ON attempt.delivery = delivery.id
    WHERE attempt.message IS NOT NULL`,
  set: 'message = NULL',
})

/** The first attempt of a delivery may be stored in its row. */
const deleteFirstMessages = updateLocked('delivery', {
  from: `${eventPlaces} JOIN delivery USING (tag, position, idx) WHERE delivery.message IS NOT NULL`,
  set: 'message = NULL',
})

/** Removes the user and the vendor messages from these events. */
export async function eraseEvents(sql: Sql, { events }: Extract<StoreChange, { erase: 'events' }>): Promise<void> {
  const places = events.map(({ tagId, position, index }) => [tagId, position, index])
  await sql(deleteMessages, columnsOf(places, 3))
  await sql(deleteFirstMessages, columnsOf(places, 3))
  await sql(disownEvents, columnsOf(places, 3))
}

const deleteJoins = updateLocked('attempt', {
  from: 'unnest($1::text[], $2::int[]) AS wanted (delivery, number) JOIN attempt USING (delivery, number)',
  set: `joined = '${erasedUserId}', message = NULL`,
})

/** Removes from these attempts the user whose click ids and cookies they also sent. */
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
