import type { Statement, Unit } from '#kit/units.ts'
import type { EventRef, PlannedEvent, Released } from '#store/store.ts'
import type { Row } from './read.ts'
import { refOf } from './refs.ts'
import { present } from './rows.ts'

export const heldOf = `
  SELECT ref.id AS tag_id, position, idx FROM held JOIN ref ON ref.no = held.tag
  WHERE tag = ${refOf} AND user = ? ORDER BY position, idx`
export const heldUntil = `
  SELECT ref.id AS tag_id, position, idx FROM held JOIN ref ON ref.no = held.tag
  WHERE until <= ? ORDER BY until, position, idx LIMIT ?`

export const eventRef = (row: Row) => present<EventRef>({ tagId: row.tag_id, position: row.position, index: row.idx })

/** Only what is held in the journal waits: an event that was planned before may have been let go long ago. */
const hold = `
  INSERT INTO held (tag, user, position, idx, until)
  SELECT tag.no, ?2, ?3, ?4, ?5 FROM ref AS tag WHERE tag.id = ?1
    AND EXISTS (SELECT 1 FROM delivery WHERE position = ?3 AND idx = ?4 AND status = 'held')
  ON CONFLICT DO NOTHING`

/** What writes down which of these events wait, and for whom. */
export const holding = (events: readonly PlannedEvent[]): Statement => ({
  sql: hold,
  rows: events.flatMap(({ tagId, position, index, held }) =>
    held ? [[tagId, held.waitsFor, position, index, held.until]] : [],
  ),
})

const letGo = `
  UPDATE delivery SET status = ?1, reason = ?2, next_at = iif(?1 = 'pending', (
    SELECT received_at FROM event WHERE event.tag = delivery.tag
      AND event.position = delivery.position AND event.idx = delivery.idx
  ), NULL), queue = iif(?1 = 'pending', (
    SELECT user FROM held WHERE held.tag = delivery.tag
      AND held.position = delivery.position AND held.idx = delivery.idx
  ), NULL)
  WHERE id = ?3 AND status = 'held'`
const decide = `UPDATE event SET consent = ?, place = ? WHERE tag = ${refOf} AND position = ? AND idx = ?`
const forget = `DELETE FROM held WHERE tag = ${refOf} AND position = ? AND idx = ?`

/** What writes how held events were decided. */
export const released = (events: readonly Released[]): Unit => [
  {
    sql: letGo,
    rows: events.flatMap(({ deliveries }) =>
      deliveries.map(({ deliveryId, status, reason }) => [status, reason ?? null, deliveryId]),
    ),
  },
  {
    sql: decide,
    rows: events.map(({ tagId, position, index, consent, place }) => {
      return [JSON.stringify(consent), JSON.stringify(place), tagId, position, index]
    }),
  },
  { sql: forget, rows: events.map(({ tagId, position, index }) => [tagId, position, index]) },
]
