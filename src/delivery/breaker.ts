import type { Reason } from '#contract/outcome.ts'

/** Answers of the last minute, counted in slots. */
type Slot = { from: number; good: number; bad: number }
type Shut = { reason: Reason; since: number; times: number }

/**
 * Whether a vendor is called. `open`: not until then, because it is down or rejects the key. `probing`: one call finds out.
 * All times are epoch ms; `times` is how often in a row it opened.
 */
export type Breaker =
  | { is: 'closed'; slots: readonly Slot[]; badInRow: number; since: number; times: number }
  | ({ is: 'open'; until: number } & Shut)
  | ({ is: 'probing'; from: number } & Shut)

/** What an answer says of its vendor; `rejected`: it wants another key. */
export type Answered = { was: 'good' | 'bad' | 'rejected'; reason: Reason; begunAt: number; now: number }

const slotMs = 5_000
const slots = 12
/** So many answers of a minute must have come for their share to count. */
const leastAnswers = 20
const worstShare = 0.5
const badInRow = 10
export const firstOpenMs = 10_000
const longestOpenMs = 600_000
/** A rejected key is tried again by the hour: somebody has to change it first. */
export const probeMs = 3_600_000
/** What stays closed for so long begins anew with short openings. */
const steadyMs = 60_000

/** Since then it is closed, after so many openings in a row. */
export const closedAt = (since: number, times = 0): Breaker => ({ is: 'closed', slots: [], badInRow: 0, since, times })
export const closed: Breaker = closedAt(0)

/** The breaker after an answer. What was begun before it opened or closed tells it nothing new. */
export function heard(breaker: Breaker, answered: Answered): Breaker {
  const { was, now } = answered
  if (isStale(breaker, answered)) return breaker
  if (breaker.is === 'open') return was === 'rejected' && !isRejecting(breaker) ? opened(breaker, answered) : breaker
  if (was === 'rejected') return opened(breaker, answered)
  if (breaker.is === 'probing') return was === 'good' ? closedAt(now, breaker.times) : opened(breaker, answered)
  const counted = count(breaker, answered)
  return isTooBad(counted) ? opened(counted, answered) : counted
}

/** A moment that has not come yet is from a clock that was set back, and says nothing. */
function isStale(breaker: Breaker, { begunAt, now }: Answered): boolean {
  const since = breaker.is === 'closed' ? breaker.since : breaker.is === 'probing' ? breaker.from : 0
  return begunAt < since && since <= now
}

const isRejecting = (breaker: Breaker) => breaker.is === 'open' && breaker.reason === 'keyRejected'

function opened(before: Breaker, { was, reason, now }: Answered): Breaker {
  const times = (before.is === 'closed' && now - before.since > steadyMs ? 0 : before.times) + 1
  const since = before.is === 'closed' ? now : before.since
  const forMs = was === 'rejected' ? probeMs : Math.min(firstOpenMs * 2 ** (times - 1), longestOpenMs)
  return { is: 'open', reason, since, times, until: now + forMs }
}

type Closed = Extract<Breaker, { is: 'closed' }>

function count(breaker: Closed, { was, now }: Answered): Closed {
  const from = now - (now % slotMs)
  const kept = breaker.slots.filter((slot) => slot.from > from - slots * slotMs && slot.from < from)
  const last = breaker.slots.find((slot) => slot.from === from) ?? { from, good: 0, bad: 0 }
  const one = was === 'good' ? { ...last, good: last.good + 1 } : { ...last, bad: last.bad + 1 }
  return { ...breaker, slots: [...kept, one], badInRow: was === 'good' ? 0 : breaker.badInRow + 1 }
}

function isTooBad({ slots, badInRow: inRow }: Closed): boolean {
  const good = slots.reduce((sum, slot) => sum + slot.good, 0)
  const bad = slots.reduce((sum, slot) => sum + slot.bad, 0)
  return inRow >= badInRow || (good + bad >= leastAnswers && bad >= worstShare * (good + bad))
}

/** How many calls may be under way now. An opening that ends later than any may comes from a clock that was set back. */
export function allowed(breaker: Breaker, now: number): number {
  if (breaker.is === 'closed') return Number.POSITIVE_INFINITY
  if (breaker.is === 'probing') return 1
  return breaker.until > now && breaker.until <= now + probeMs ? 0 : 1
}

/** A call begins: where it was open, this one finds out. */
export const begun = (breaker: Breaker, now: number): Breaker =>
  breaker.is === 'open'
    ? { is: 'probing', from: now, reason: breaker.reason, since: breaker.since, times: breaker.times }
    : breaker

/** All calls have ended. Where the one that should have found out was never made, the next one shall. */
export const idle = (breaker: Breaker, now: number): Breaker =>
  breaker.is === 'probing'
    ? { is: 'open', until: now, reason: breaker.reason, since: breaker.since, times: breaker.times }
    : breaker
