import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { isInRow } from './attemptStatements.ts'

export const stepsOf = ({ stepResults }: DeliveryOutcome) =>
  stepResults ? JSON.stringify(stepResults.map((result) => result ?? null)) : null

/** When the state of an outcome began; null: when its event was received. */
export const outcomeAt = ({ at, attempt }: DeliveryOutcome): number | null =>
  at ?? (attempt ? attempt.at + attempt.durationMs : null)

/** The columns of a delivery that an attempt has. The last ones are its first attempt, if it is stored in the row. */
export const outcomeTypes = {
  ...({ position: 'int8', idx: 'int4', attempts: 'int4', next_at: 'int8', at: 'int8', uncounted: 'int4' } as const),
  ...({ crash_count: 'int4', id: 'text', tag: 'text', script: 'text', provider: 'text', status: 'text' } as const),
  ...({ reason: 'text', queue: 'text', steps: 'text', first_at: 'int8', first_ms: 'int4' } as const),
  ...({ http_status: 'int4', bodies: 'int8', part: 'int4', message: 'text' } as const),
}

const noAttempt = [null, null, null, null, null, null]

function firstAttempt(outcome: DeliveryOutcome, packNumbers: readonly number[]) {
  if (!isInRow(outcome)) return noAttempt
  const { at, durationMs, httpStatus = null, packed, message = null } = outcome.attempt
  const bodies = packed ? [packNumbers[packed.pack] ?? null, packed.part] : [null, null]
  return [at, durationMs, httpStatus, ...bodies, message]
}

/** The values of these columns. */
export function outcomeValues(outcome: DeliveryOutcome, delivery: DueDelivery, packNumbers: readonly number[]) {
  const { status, reason = null, nextAt, isUncounted, isCrash } = outcome
  const { deliveryId, tagId, position, index, scriptId, providerId, orderKey = null, receivedAt } = delivery
  const times = [status === 'pending' ? (nextAt ?? receivedAt) : null, outcomeAt(outcome) ?? receivedAt]
  const counts = [delivery.uncountedAttempts + (isUncounted ? 1 : 0), isCrash ? (delivery.crashCount ?? 0) + 1 : 0]
  const texts = [deliveryId, tagId, scriptId, providerId, status, reason, orderKey, stepsOf(outcome)]
  const place = [position, index, delivery.attempts + 1]
  return [...place, ...times, ...counts, ...texts, ...firstAttempt(outcome, packNumbers)]
}
