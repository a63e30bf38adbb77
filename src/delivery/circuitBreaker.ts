import type { DeliveryReason } from '#contract/deliveryStatus.ts'

/** Answers counted in the time slot that begins at `from` (epoch ms). */
type Slot = { from: number; good: number; bad: number }
type OpenState = { reason: DeliveryReason; since: number; times: number }

/**
 * The circuit breaker of a channel. `open`: no call until `until`, because the vendor is down or rejects the key.
 * `probing`: one call is allowed. All times are epoch ms; `times` counts consecutive openings.
 */
export type Breaker =
  | { state: 'closed'; slots: readonly Slot[]; badInRow: number; since: number; times: number }
  | ({ state: 'open'; until: number } & OpenState)
  | ({ state: 'probing'; from: number } & OpenState)

/**
 * The result of a call. `rejected`: the vendor rejects the key. `reason` is the reason of the pause if the breaker
 * opens.
 */
type CallResult = { result: 'good' | 'bad' | 'rejected'; reason: DeliveryReason; startedAt: number; now: number }

const slotMs = 5_000
const slots = 12
/** The failure share only counts if there were this many answers within the last minute. */
const minAnswers = 20
const maxFailureShare = 0.5
const badInRow = 10
export const firstOpenMs = 10_000
const maxOpenMs = 600_000
/** A rejected key is tried once an hour, because somebody has to change it first. */
export const probeMs = 3_600_000
/** After the breaker was closed for this long, its next opening is a short one again. */
const steadyMs = 60_000

/** A breaker that has been closed since `since` (epoch ms), after this many consecutive openings. */
export const closedAt = (since: number, times = 0): Breaker => ({
  state: 'closed',
  slots: [],
  badInRow: 0,
  since,
  times,
})
export const closedBreaker: Breaker = closedAt(0)

/** The breaker after an answer. Answers to calls that began before it closed or began probing are ignored. */
export function recordResult(breaker: Breaker, call: CallResult): Breaker {
  const { result, now } = call
  if (isStale(breaker, call)) return breaker
  if (breaker.state === 'open') return result === 'rejected' && !isRejecting(breaker) ? opened(breaker, call) : breaker
  if (result === 'rejected') return opened(breaker, call)
  if (breaker.state === 'probing') return result === 'good' ? closedAt(now, breaker.times) : opened(breaker, call)
  const counted = count(breaker, call)
  return isTooBad(counted) ? opened(counted, call) : counted
}

/**
 * The call began before the breaker's current state. A state in the future results from a clock that was set back.
 */
function isStale(breaker: Breaker, { startedAt, now }: CallResult): boolean {
  const since = breaker.state === 'closed' ? breaker.since : breaker.state === 'probing' ? breaker.from : 0
  return startedAt < since && since <= now
}

const isRejecting = (breaker: Breaker) => breaker.state === 'open' && breaker.reason === 'keyRejected'

function opened(before: Breaker, { result, reason, now }: CallResult): Breaker {
  const times = (before.state === 'closed' && now - before.since > steadyMs ? 0 : before.times) + 1
  const since = before.state === 'closed' ? now : before.since
  const forMs = result === 'rejected' ? probeMs : Math.min(firstOpenMs * 2 ** (times - 1), maxOpenMs)
  return { state: 'open', reason, since, times, until: now + forMs }
}

type Closed = Extract<Breaker, { state: 'closed' }>

function count(breaker: Closed, { result, now }: CallResult): Closed {
  const from = now - (now % slotMs)
  const earlier = breaker.slots.filter((slot) => slot.from > from - slots * slotMs && slot.from < from)
  const current = breaker.slots.find((slot) => slot.from === from) ?? { from, good: 0, bad: 0 }
  const updated = result === 'good' ? { ...current, good: current.good + 1 } : { ...current, bad: current.bad + 1 }
  return { ...breaker, slots: [...earlier, updated], badInRow: result === 'good' ? 0 : breaker.badInRow + 1 }
}

function isTooBad({ slots, badInRow: inRow }: Closed): boolean {
  const good = slots.reduce((sum, slot) => sum + slot.good, 0)
  const bad = slots.reduce((sum, slot) => sum + slot.bad, 0)
  return inRow >= badInRow || (good + bad >= minAnswers && bad >= maxFailureShare * (good + bad))
}

/** The maximum calls in flight. An `until` beyond the longest opening results from a clock that was set back. */
export function allowedCalls(breaker: Breaker, now: number): number {
  if (breaker.state === 'closed') return Number.POSITIVE_INFINITY
  if (breaker.state === 'probing') return 1
  return breaker.until > now && breaker.until <= now + probeMs ? 0 : 1
}

/** The breaker after a call starts: an open breaker begins probing. */
export const callStarted = (breaker: Breaker, now: number): Breaker =>
  breaker.state === 'open'
    ? { state: 'probing', from: now, reason: breaker.reason, since: breaker.since, times: breaker.times }
    : breaker

/** The breaker when no call is in flight. If the probe ended without an answer, the next call is the probe. */
export const callsEnded = (breaker: Breaker, now: number): Breaker =>
  breaker.state === 'probing'
    ? { state: 'open', until: now, reason: breaker.reason, since: breaker.since, times: breaker.times }
    : breaker
