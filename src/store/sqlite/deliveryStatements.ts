import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import { unreadable } from '#store/plannedEvent.ts'
import { issuePath, outcomeAt, stepsOf } from '#store/sql/deliveryRows.ts'
import type { DeliveryOutcome, DueDelivery, Journal, RequeuedDelivery } from '#store/store.ts'
import { addPurchases, touchOrders } from './orderStatements.ts'
import { addRefs, isDelivery, keyParams, selectRef } from './refs.ts'

/** The columns for counting a delivery in its new state (fold/countSums.ts). */
export const reached = `tag, script, status, reason, at, (
    SELECT name FROM event WHERE event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx
  ) AS name`

const updateDelivery = `
  UPDATE delivery SET status = ?1, reason = ?2, next_at = iif(?1 = 'pending', coalesce(?3, next_at), NULL),
    uncounted = uncounted + ?4, priority = iif(attempts > 0, max(priority, 1), priority), under_way = 0,
    crash_count = iif(?5, crash_count + 1, 0),
    at = coalesce(?7, at), steps = ?8
  WHERE ${isDelivery(['?6', '?9', '?10'])} RETURNING ${reached}`

const nameEvent = `UPDATE event SET name = ?, user = ?, consent = ?, place = ?, joined = ?, order_hash = unhex(?)
  WHERE tag = ${selectRef} AND position = ? AND idx = ? AND user = '${unreadable}'`

/** Sets the names of events that were unreadable when they were planned. */
export const nameUnreadableStatements = (events: Parameters<Journal['nameUnreadable']>[0]): WriteUnit => [
  ...addPurchases(events),
  {
    sql: nameEvent,
    rows: events.map(({ tagId, position, index, eventName, userId, consent, place, ...keys }) => {
      const { emailMatch = null, orderHash = null } = keys
      const decided = [JSON.stringify(consent), JSON.stringify(place), emailMatch, orderHash]
      return [eventName, userId, ...decided, tagId, position, index]
    }),
  },
]

/** Restarts the retry schedule: earlier attempts no longer count. */
const requeueDelivery = `
  UPDATE delivery SET status = 'pending', reason = NULL, next_at = ?1, priority = 2, uncounted = attempts,
    crash_count = 0, queue = NULL, steps = NULL
  WHERE position = ?2 AND idx = ?3 AND script = (SELECT no FROM ref WHERE id = ?4) AND status NOT IN ('held', 'pending')`
const insertReplayDelivery = `
  INSERT INTO delivery (tag, position, idx, script, provider, status, next_at, priority, at)
  SELECT tag.no, ?2, ?3, script.no, provider.no, 'pending', ?6, 2, ?6
  FROM ref AS tag, ref AS script, ref AS provider, event
  WHERE tag.id = ?1 AND script.id = ?4 AND provider.id = ?5
    AND event.tag = tag.no AND event.position = ?2 AND event.idx = ?3
  ON CONFLICT (position, idx, script) DO NOTHING
  RETURNING ${reached}, position`

/** Makes these deliveries due, and inserts the missing ones. */
export const requeueStatements = (deliveries: readonly RequeuedDelivery[]): WriteUnit => [
  ...touchOrders(deliveries),
  addRefs(deliveries.flatMap(({ scriptId, providerId }) => [scriptId, providerId])),
  {
    sql: requeueDelivery,
    rows: deliveries.map(({ position, index, scriptId, nextAt }) => [nextAt, position, index, scriptId]),
  },
  {
    sql: insertReplayDelivery,
    rows: deliveries.map(({ tagId, position, index, scriptId, providerId, nextAt }) => {
      return [tagId, position, index, scriptId, providerId, nextAt]
    }),
  },
]

/** Inserts or updates the row of an attempted delivery. All values are absolute, so it may be written twice. */
const upsertDelivery = `
  INSERT INTO delivery (tag, position, idx, script, provider, status, reason, next_at, attempts, uncounted, priority,
    queue, crash_count,
    at, steps, first_at, first_ms, http_status, bodies, part)
  SELECT tag.no, ?2, ?3, script.no, provider.no, ?6, ?7, iif(?6 = 'pending', coalesce(?8, event.received_at), NULL), ?9, ?10,
    1, ?11, ?12, coalesce(?13, event.received_at), ?14, ?15, ?16, ?17, ?18, ?19
  FROM ref AS tag, ref AS script, ref AS provider, event
  WHERE tag.id = ?1 AND script.id = ?4 AND provider.id = ?5
    AND event.tag = tag.no AND event.position = ?2 AND event.idx = ?3
  ON CONFLICT (position, idx, script) DO UPDATE SET status = excluded.status, reason = excluded.reason,
    next_at = excluded.next_at, attempts = excluded.attempts, uncounted = excluded.uncounted,
    priority = max(priority, 1), under_way = 0,
    crash_count = excluded.crash_count, at = excluded.at, steps = excluded.steps,
    first_at = coalesce(first_at, excluded.first_at), first_ms = coalesce(first_ms, excluded.first_ms),
    http_status = coalesce(http_status, excluded.http_status), bodies = coalesce(bodies, excluded.bodies),
    part = coalesce(part, excluded.part)
  RETURNING ${reached}`

function attemptedParams(outcome: DeliveryOutcome, delivery: DueDelivery): Statement['rows'][number] {
  const { status, reason = null, nextAt = null, isUncounted, isCrash } = outcome
  const { tagId, position, index, scriptId, providerId, orderKey = null, crashCount = 0 } = delivery
  const counts = [delivery.attempts + 1, delivery.uncountedAttempts + (isUncounted ? 1 : 0)]
  const rest = [orderKey, isCrash ? crashCount + 1 : 0, outcomeAt(outcome), stepsOf(outcome)]
  return [tagId, position, index, scriptId, providerId, status, reason, nextAt, ...counts, ...rest]
}

/** `first`: the columns of its first attempt, if it is stored in this row. */
export const upsertStatement = (
  outcome: DeliveryOutcome,
  delivery: DueDelivery,
  first: readonly (number | null)[],
): Statement => ({ sql: upsertDelivery, rows: [[...attemptedParams(outcome, delivery), ...first]] })

/** The state of a delivery that was given up without an attempt, or that another delivery changes. */
export function settleStatement(outcome: DeliveryOutcome): Statement {
  const { deliveryId, status, reason = null, nextAt = null, isUncounted, isCrash } = outcome
  const counts = [isUncounted ? 1 : 0, isCrash ? 1 : 0]
  const [position, idx, code] = keyParams(deliveryId)
  const row = [status, reason, nextAt, ...counts, position, outcomeAt(outcome), stepsOf(outcome), idx, code]
  return { sql: updateDelivery, rows: [row] }
}

const markInFlight = `
  UPDATE delivery SET attempts = attempts + 1, under_way = 1, next_at = ? WHERE ${isDelivery()} AND status = 'pending'`

/** Counts attempts before they start. */
export const beginStatements = (deliveries: readonly { deliveryId: string; untilMs: number }[]): WriteUnit => [
  { sql: markInFlight, rows: deliveries.map(({ deliveryId, untilMs }) => [untilMs, ...keyParams(deliveryId)]) },
]

const minuteMs = 60_000

/**
 * Runs before the attempt is inserted: an attempt that exists was already counted. Names must be counted separately on
 * that day; the earlier update of the delivery has added the event's name to them.
 */
const insertIssueCount = `
  INSERT INTO issue_count (tag, minute, name, path, message, count)
  SELECT event.tag, ?1, iif(
    EXISTS (SELECT 1 FROM own_name WHERE own_name.name = event.name) OR EXISTS (
      SELECT 1 FROM counted_name
      WHERE day = CAST(?1 AS INTEGER) / 1440 AND counted_name.tag = event.tag AND counted_name.name = event.name
    ), name, '(other)'
  ), ?2, ?3, 1 FROM delivery JOIN event USING (tag, position, idx)
  WHERE delivery.position = ?4 AND delivery.idx = ?6 AND delivery.script IN (SELECT no FROM ref WHERE code = ?7)
    AND NOT EXISTS (
      SELECT 1 FROM every_attempt AS attempt
      WHERE attempt.position = ?4 AND attempt.idx = ?6 AND attempt.script = delivery.script AND attempt.number = ?5
    )
  ON CONFLICT DO UPDATE SET count = count + 1`

export const issueCountStatement = (outcomes: readonly DeliveryOutcome[]): Statement => ({
  sql: insertIssueCount,
  rows: outcomes.flatMap(({ deliveryId, attempt }) => {
    const { at = 0, number = 0, issues = [] } = attempt ?? {}
    const [position, idx, code] = keyParams(deliveryId)
    const minute = Math.floor(at / minuteMs)
    return issues.map((issue) => [minute, issuePath(issue), issue.message, position, number, idx, code])
  }),
})
