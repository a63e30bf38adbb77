import type { Statement, Unit } from '#kit/units.ts'
import type { Pack } from '#store/found.ts'
import type { PlannedEvent, Replayed, Settled } from '#store/store.ts'
import { attempted } from './attempts.ts'
import { holding } from './held.ts'
import { addRefs, refOf } from './refs.ts'

/** The deliveries go before their event: only an event that is not there yet takes them, so that the first plan stands. */
const deliver = `
  INSERT INTO delivery (id, tag, position, idx, script, provider, status, reason, next_at, name, at, queue)
  SELECT ?1, tag.no, ?3, ?4, script.no, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM ref AS tag, ref AS script
  WHERE tag.id = ?2 AND script.id = ?5
    AND NOT EXISTS (SELECT 1 FROM event WHERE event.tag = tag.no AND event.position = ?3 AND event.idx = ?4)
  ON CONFLICT (position, idx, script) DO NOTHING`
const happen = `
  INSERT INTO event (tag, position, idx, name, user, received_at, consent, place, joined)
  VALUES (${refOf}, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tag, position, idx) DO NOTHING`

const outcome = `
  UPDATE delivery SET status = ?1, reason = ?2, next_at = iif(?1 = 'pending', coalesce(?3, next_at), NULL),
    free = free + ?4, lane = iif(attempts > 0, max(lane, 1), lane), under_way = 0, spoilt = iif(?5, spoilt + 1, 0),
    at = coalesce(?7, at), steps = ?8
  WHERE id = ?6`

/** Its schedule begins anew: no attempt until now counts in it. */
const again = `
  UPDATE delivery SET status = 'pending', reason = NULL, next_at = ?1, lane = 2, free = attempts, spoilt = 0, queue = NULL, steps = NULL
  WHERE position = ?2 AND idx = ?3 AND script = (SELECT no FROM ref WHERE id = ?4) AND status NOT IN ('held', 'pending')`
const late = `
  INSERT INTO delivery (id, tag, position, idx, script, provider, status, next_at, lane, name, at)
  SELECT ?1, tag.no, ?3, ?4, script.no, ?6, 'pending', ?7, 2, event.name, ?7 FROM ref AS tag, ref AS script, event
  WHERE tag.id = ?2 AND script.id = ?5 AND event.tag = tag.no AND event.position = ?3 AND event.idx = ?4
  ON CONFLICT (position, idx, script) DO NOTHING`

/** What makes these deliveries due again, or for the first time. */
export const replayed = (deliveries: readonly Replayed[]): Unit => [
  addRefs(deliveries.map(({ scriptId }) => scriptId)),
  {
    sql: again,
    rows: deliveries.map(({ position, index, scriptId, nextAt }) => [nextAt, position, index, scriptId]),
  },
  {
    sql: late,
    rows: deliveries.map(({ deliveryId, tagId, position, index, scriptId, providerId, nextAt }) => {
      return [deliveryId, tagId, position, index, scriptId, providerId, nextAt]
    }),
  },
]

const deliveriesOf = ({ deliveries, ...event }: PlannedEvent): Statement['rows'] => {
  const { tagId, position, index, eventName, receivedAt, queue = null } = event
  return deliveries.map(({ deliveryId, scriptId, providerId, status, reason }) => {
    const nextAt = status === 'pending' ? receivedAt : null
    const stands = [status, reason ?? null, nextAt]
    return [deliveryId, tagId, position, index, scriptId, providerId, ...stands, eventName, receivedAt, queue]
  })
}

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

const endedAt = ({ at, attempt }: Settled): number | null => at ?? (attempt ? attempt.at + attempt.durationMs : null)

/** What writes how these deliveries stand now, and their attempts. */
export const settled = (outcomes: readonly Settled[], packs: readonly Pack[] = []): Unit => [
  {
    sql: outcome,
    rows: outcomes.map((each) => {
      const { deliveryId, status, reason, nextAt, free, spoilt, stepResults } = each
      const steps = stepResults ? JSON.stringify(stepResults.map((result) => result ?? null)) : null
      return [status, reason ?? null, nextAt ?? null, free ? 1 : 0, spoilt ? 1 : 0, deliveryId, endedAt(each), steps]
    }),
  },
  ...attempted(outcomes, packs),
]
