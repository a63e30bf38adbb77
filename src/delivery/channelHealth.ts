import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { Judgement } from '#provider/engine/judgement.ts'
import {
  allowedCalls,
  type Breaker,
  callStarted,
  callsEnded,
  closedAt,
  closedBreaker,
  recordResult,
} from './circuitBreaker.ts'
import {
  type ConcurrencyWindow,
  growWindow,
  initialWindow,
  shrinkWindow,
  slowStartWindow,
} from './concurrencyWindow.ts'

/**
 * The health of a channel, measured by its vendor's answers: whether calls may start, and how many at once. Times:
 * epoch ms.
 */
export type ChannelHealth = ReturnType<typeof openChannelHealth>

/**
 * The longest pause that a vendor may ask for. A longer pause can only result from a clock that was set back, and is
 * ignored.
 */
const maxPauseMs = 6 * 3_600_000

/** This many consecutive answers with status 403 mean that the key is rejected, not the event. */
const forbiddenInARow = 5

type HealthState = {
  breaker: Breaker
  window: ConcurrencyWindow
  /** The end of the pause that the vendor asked for with Retry-After. */
  pausedUntil: number
  /** Consecutive answers with status 403. */
  forbidden: number
}
type AnswerTimes = { startedAt: number; now: number; inFlight: number }

const isPaused = ({ pausedUntil }: HealthState, now: number) => pausedUntil > now && pausedUntil <= now + maxPauseMs

/** Turns a judgement into a rejected key after enough consecutive answers with status 403. */
function countForbidden(state: HealthState, judgement: Judgement): Judgement {
  state.forbidden = judgement.forbidden ? state.forbidden + 1 : 0
  if (state.forbidden < forbiddenInARow) return judgement
  state.forbidden = 0
  return { verdict: 'keyRejected', reason: 'keyRejected', message: judgement.message ?? '' }
}

function countVerdict(state: HealthState, judgement: Judgement, { startedAt, now, inFlight }: AnswerTimes): void {
  const { verdict, reason = 'vendorDown', retryAfterMs } = judgement
  const isGood = verdict === 'delivered' || verdict === 'refused'
  state.window = isGood ? growWindow(state.window, inFlight) : shrinkWindow(state.window, { startedAt, now })
  if (retryAfterMs !== undefined) {
    state.pausedUntil = now + retryAfterMs
    return // a vendor that sends Retry-After is not down
  }
  const wasProbing = state.breaker.state === 'probing'
  state.breaker = recordResult(state.breaker, {
    result: isGood ? 'good' : verdict === 'keyRejected' ? 'rejected' : 'bad',
    // customer code that hangs opens the breaker, like a vendor that is down
    reason: reason === 'poison' ? 'vendorDown' : reason,
    startedAt,
    now,
  })
  if (wasProbing && state.breaker.state === 'closed') state.window = slowStartWindow
}

export function openChannelHealth() {
  const state: HealthState = { breaker: closedBreaker, window: initialWindow, pausedUntil: 0, forbidden: 0 }
  let persistedBreaker: Breaker = closedBreaker

  return {
    get breaker() {
      return state.breaker
    },
    /** Why no call may start now; undefined if one may. */
    stopReason(now: number): DeliveryReason | undefined {
      if (isPaused(state, now)) return 'throttled'
      const { breaker } = state
      return breaker.state === 'open' && allowedCalls(breaker, now) === 0 ? breaker.reason : undefined
    },
    /** The maximum of calls in flight. */
    allowedCalls: (now: number) =>
      isPaused(state, now) ? 0 : Math.min(state.window.size, allowedCalls(state.breaker, now)),
    /** A call starts: an open breaker begins probing. */
    callStarted(now: number): void {
      state.breaker = callStarted(state.breaker, now)
    },
    /** No call is in flight: a probe without an answer is repeated. */
    callsEnded(now: number): void {
      state.breaker = callsEnded(state.breaker, now)
    },
    /** Counts an answer. Returns the judgement that applies to the deliveries of the call. */
    recordAnswer(judgement: Judgement, when: AnswerTimes): Judgement {
      const applied = countForbidden(state, judgement)
      countVerdict(state, applied, when)
      return applied
    },
    /** Restores the breaker from the journal. */
    restore(stored: Breaker): void {
      state.breaker = persistedBreaker = stored
    },
    /** Closes the breaker: the channel was resumed. */
    close(now: number): void {
      state.breaker = closedAt(now)
    },
    /** The journal has the breaker as open. */
    isStoppedInJournal: () => persistedBreaker.state !== 'closed',
    /** Returns the breaker change that is not in the journal yet, and marks it as written. */
    takeBreakerChange(): { before: Breaker; after: Exclude<Breaker, { state: 'probing' }> } | undefined {
      const { breaker } = state
      if (breaker === persistedBreaker || breaker.state === 'probing') return undefined
      const before = persistedBreaker
      persistedBreaker = breaker
      return { before, after: breaker }
    },
    /** True if the state equals that of a new channel and can be dropped. */
    isInitial: (now: number) =>
      !isPaused(state, now) &&
      state.forbidden === 0 &&
      state.breaker.state === 'closed' &&
      state.breaker.badInRow === 0,
  }
}
