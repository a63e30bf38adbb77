import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { PlannedEvent, ReleasedEvent } from '#store/store.ts'
import { reached } from './deliveryStatements.ts'
import { isDelivery, keyParams, selectRef } from './refs.ts'

export const selectHeldOfUser = `
  SELECT ref.id AS tag_id, position, idx FROM held JOIN ref ON ref.no = held.tag
  WHERE tag = ${selectRef} AND user = ? ORDER BY position, idx`
export const selectOverdueHolds = `
  SELECT ref.id AS tag_id, position, idx FROM held JOIN ref ON ref.no = held.tag
  WHERE until <= ? ORDER BY until, position, idx LIMIT ?`

/** Requires a held delivery in the journal, because an event that is planned again may already be released. */
const insertHold = `
  INSERT INTO held (tag, user, position, idx, until)
  SELECT tag.no, ?2, ?3, ?4, ?5 FROM ref AS tag WHERE tag.id = ?1
    AND EXISTS (SELECT 1 FROM delivery WHERE position = ?3 AND idx = ?4 AND status = 'held')
  ON CONFLICT DO NOTHING`

export const holdStatement = (events: readonly PlannedEvent[]): Statement => ({
  sql: insertHold,
  rows: events.flatMap(({ tagId, position, index, held }) =>
    held ? [[tagId, held.waitsFor, position, index, held.until]] : [],
  ),
})

const releaseDelivery = `
  UPDATE delivery SET status = ?1, reason = ?2, next_at = iif(?1 = 'pending', (
    SELECT received_at FROM event WHERE event.tag = delivery.tag
      AND event.position = delivery.position AND event.idx = delivery.idx
  ), NULL), queue = iif(?1 = 'pending', (
    SELECT user FROM held WHERE held.tag = delivery.tag
      AND held.position = delivery.position AND held.idx = delivery.idx
  ), NULL)
  WHERE ${isDelivery(['?3', '?4', '?5'])} AND status = 'held' RETURNING ${reached}`
const updateEvent = `UPDATE event SET consent = ?, place = ? WHERE tag = ${selectRef} AND position = ? AND idx = ?`
const deleteHold = `DELETE FROM held WHERE tag = ${selectRef} AND position = ? AND idx = ?`

/** Updates and releases held events. */
export const releaseStatements = (events: readonly ReleasedEvent[]): WriteUnit => [
  {
    sql: releaseDelivery,
    rows: events.flatMap(({ deliveries }) =>
      deliveries.map(({ deliveryId, status, reason }) => [status, reason ?? null, ...keyParams(deliveryId)]),
    ),
  },
  {
    sql: updateEvent,
    rows: events.map(({ tagId, position, index, consent, place }) => {
      return [JSON.stringify(consent), JSON.stringify(place), tagId, position, index]
    }),
  },
  { sql: deleteHold, rows: events.map(({ tagId, position, index }) => [tagId, position, index]) },
]
