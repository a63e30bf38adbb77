import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { RetentionPolicy } from '#journal/retentionPolicy.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The delay of each attempt after the previous one: thirteen attempts in 47 h 42 m 35 s. */
export const scheduleMs: readonly number[] = [
  0,
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  8 * hour,
  12 * hour,
  14 * hour,
]
const week = 7 * 24 * hour
const month = 30 * 24 * hour

/**
 * The maximum wait of a delivery after its event was received (ms): the retention of events, or of failures for
 * replays. A retention shorter than the default does not shorten the schedule.
 */
export const maxWaitMs = (
  { eventsMs, failuresMs }: Pick<RetentionPolicy, 'eventsMs' | 'failuresMs'>,
  isReplay: boolean,
): number => (isReplay ? Math.max(eventsMs, failuresMs, month) : Math.max(eventsMs, week))

/** A failed attempt. `retryAfterMs`: the delay that the vendor asked for. `keyRejected`: the whole channel waits. */
export type FailedAttempt = { verdict: 'retry' | 'keyRejected'; reason: DeliveryReason; retryAfterMs?: number }

/** The state of a delivery after a failed attempt. Times are epoch ms. */
export type DeliveryState = {
  /** Attempts that count, including this one. */
  counted: number
  now: number
  /** The event's own timestamp. */
  eventAt: number
  receivedAt: number
  /** The provider accepts no older events. */
  maxAgeMs?: number
  /** The longest wait after `receivedAt`. */
  waitMs: number
  /** From 0 to 1. */
  random: number
}

type NextAttempt =
  | { status: Extract<DeliveryStatus, 'pending'>; reason: DeliveryReason; nextAt: number; isUncounted?: true }
  | { status: Extract<DeliveryStatus, 'dead'>; reason: DeliveryReason }

/** Adds ±20 % of jitter, so that deliveries that failed together are not retried together. */
const jittered = (ms: number, random: number) => Math.round(ms * (0.8 + 0.4 * random))

/** When a failed delivery is retried, or why it is dead. A delay that the vendor asked for costs no attempt. */
export function nextAttempt(failure: FailedAttempt, state: DeliveryState): NextAttempt {
  const { counted, now, eventAt, receivedAt, maxAgeMs, random } = state
  const isUncounted = failure.verdict === 'keyRejected' || failure.retryAfterMs !== undefined
  const scheduled = scheduleMs[counted]
  if (!isUncounted && scheduled === undefined) return { status: 'dead', reason: failure.reason }
  const nextAt = now + (isUncounted ? (failure.retryAfterMs ?? 0) : jittered(scheduled ?? 0, random))
  if (maxAgeMs !== undefined && nextAt > eventAt + maxAgeMs) return { status: 'dead', reason: 'tooOld' }
  if (nextAt > receivedAt + state.waitMs) return { status: 'dead', reason: 'expired' }
  return { status: 'pending', reason: failure.reason, nextAt, ...(isUncounted && { isUncounted }) }
}
