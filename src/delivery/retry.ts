import type { Reason, Status } from '#contract/outcome.ts'
import type { Keep } from '#journal/keep.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** How long after the attempt before it each attempt is made: thirteen in 47 h 42 m. */
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
 * How long after its event was received a delivery may wait. None outlives its event, and one that was asked for again lives
 * as long as failures are kept; an operator who keeps less than is usual cuts no schedule short.
 */
export const waitMs = ({ eventsMs, failuresMs }: Pick<Keep, 'eventsMs' | 'failuresMs'>, isReplay: boolean): number =>
  isReplay ? Math.max(eventsMs, failuresMs, month) : Math.max(eventsMs, week)

/** An attempt that was in vain. `retryAfterMs` is what the vendor asked for. While its key is rejected the whole channel waits. */
export type Failure = { verdict: 'retry' | 'keyRejected'; reason: Reason; retryAfterMs?: number }

/** Where a delivery stands when an attempt has failed. Times are epoch ms. */
export type Standing = {
  /** attempts made that count, this one included */
  counted: number
  now: number
  /** when the event happened, by its own timestamp */
  eventAt: number
  receivedAt: number
  /** the provider takes no older events */
  maxAgeMs?: number
  /** so long after its event was received it may wait */
  waitMs: number
  /** 0 to 1 */
  random: number
}

export type Next =
  | { status: Extract<Status, 'pending'>; reason: Reason; nextAt: number; free?: true }
  | { status: Extract<Status, 'dead'>; reason: Reason }

/** ±20 %, so that what failed together does not come again together. */
const jittered = (ms: number, random: number) => Math.round(ms * (0.8 + 0.4 * random))

/** When a failed delivery is tried again, or why never. What the vendor's own word delays costs no attempt. */
export function retry(failure: Failure, standing: Standing): Next {
  const { counted, now, eventAt, receivedAt, maxAgeMs, random } = standing
  const free = failure.verdict === 'keyRejected' || failure.retryAfterMs !== undefined
  const scheduled = scheduleMs[counted]
  if (!free && scheduled === undefined) return { status: 'dead', reason: failure.reason }
  const nextAt = now + (free ? (failure.retryAfterMs ?? 0) : jittered(scheduled ?? 0, random))
  if (maxAgeMs !== undefined && nextAt > eventAt + maxAgeMs) return { status: 'dead', reason: 'tooOld' }
  if (nextAt > receivedAt + standing.waitMs) return { status: 'dead', reason: 'expired' }
  return { status: 'pending', reason: failure.reason, nextAt, ...(free && { free }) }
}
