import type { Statement, Unit } from '#kit/units.ts'
import type { PlannedEvent, Settled } from '#store/store.ts'
import { holding } from './held.ts'
import { addRefs, refOf } from './refs.ts'

/** The deliveries go before their event: only an event that is not there yet takes them, so that the first plan stands. */
const deliver = `
  INSERT INTO delivery (id, tag, position, idx, script, provider, status, reason, next_at)
  SELECT ?1, tag.no, ?3, ?4, script.no, ?6, ?7, ?8, ?9 FROM ref AS tag, ref AS script
  WHERE tag.id = ?2 AND script.id = ?5
    AND NOT EXISTS (SELECT 1 FROM event WHERE event.tag = tag.no AND event.position = ?3 AND event.idx = ?4)
  ON CONFLICT (position, idx, script) DO NOTHING`
const happen = `
  INSERT INTO event (tag, position, idx, name, user, received_at, consent, place, joined)
  VALUES (${refOf}, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tag, position, idx) DO NOTHING`

const outcome = `
  UPDATE delivery SET status = ?1, reason = ?2, next_at = iif(?1 = 'pending', coalesce(?3, next_at), NULL), free = free + ?4
  WHERE id = ?5`
/** An outcome that is written again after its first write was in doubt finds its attempt there. */
const attempt = `
  INSERT INTO attempt (delivery, number, at, duration_ms, http_status, message)
  SELECT no, ?, ?, ?, ?, ? FROM delivery WHERE id = ?
  ON CONFLICT (delivery, number) DO NOTHING`

const deliveriesOf = ({ tagId, position, index, receivedAt, deliveries }: PlannedEvent): Statement['rows'] =>
  deliveries.map(({ deliveryId, scriptId, providerId, status, reason }) => {
    const nextAt = status === 'pending' ? receivedAt : null
    return [deliveryId, tagId, position, index, scriptId, providerId, status, reason ?? null, nextAt]
  })

/** What writes these events and their deliveries, where they have not been planned before. */
export function planned(events: readonly PlannedEvent[]): Unit {
  const ids = events.flatMap(({ tagId, deliveries }) => [tagId, ...deliveries.map(({ scriptId }) => scriptId)])
  return [
    addRefs(ids),
    { sql: deliver, rows: events.flatMap(deliveriesOf) },
    {
      sql: happen,
      rows: events.map(({ tagId, position, index, eventName, userId, receivedAt, consent, place, joined }) => {
        const decided = [JSON.stringify(consent), JSON.stringify(place)]
        return [tagId, position, index, eventName, userId, receivedAt, ...decided, joined ?? null]
      }),
    },
    holding(events),
  ]
}

/** What writes how these deliveries stand now, and their attempts. */
export const settled = (outcomes: readonly Settled[]): Unit => [
  {
    sql: outcome,
    rows: outcomes.map(({ deliveryId, status, reason, nextAt, free }) => {
      return [status, reason ?? null, nextAt ?? null, free ? 1 : 0, deliveryId]
    }),
  },
  {
    sql: attempt,
    rows: outcomes.flatMap(({ attempt }) =>
      attempt
        ? [
            [
              attempt.number,
              attempt.at,
              attempt.durationMs,
              attempt.httpStatus ?? null,
              attempt.message ?? null,
              attempt.deliveryId,
            ],
          ]
        : [],
    ),
  },
]
