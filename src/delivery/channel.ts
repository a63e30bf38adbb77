import type { Reason } from '#contract/outcome.ts'
import type { Judgement } from '#provider/engine/judgement.ts'
import { type DueDelivery, type Lane, lanes } from '#store/store.ts'
import { allowed, type Breaker, closed, heard } from './breaker.ts'
import { firstWindow, grown, shrunk, slowStart, type Window } from './window.ts'

/** How many deliveries of one lane of a channel wait in memory. */
export const perLane = { queued: 1_000 }
/** What can be sent together waits so long for company. */
export const lingerMs = 25

/** What waits in one lane of a channel. */
export type Line = {
  /** Oldest first. */
  queue: DueDelivery[]
  /** The store has, or may have, deliveries of this lane that are due and not held. New ones wait behind them. */
  hasMore: boolean
  /** Ids of what ended while the store was being asked: its answer may be older than their end. */
  endedMeanwhile: Set<string> | undefined
}

/** What the worker holds of one channel (a deployed script). All else of it waits in the store. */
export type Channel = {
  scriptId: string
  /** Known once it has held a delivery. */
  tagId: string
  teamId: string
  /** Where its last call went. */
  host: string
  lines: Readonly<Record<Lane, Line>>
  /** Calls under way. */
  inFlight: number
  /** How many of its deliveries go in one call. */
  most: number
  /** What is to go together waits for company until then (epoch ms). */
  ripeAt: number
  /** Calls made until now: it decides which lane has its turn. */
  turn: number
  /** Ids of what waits or is in flight: what the store gives again is not taken twice. */
  held: Set<string>
  /** The queues of which a delivery is in flight. */
  serving: Set<string>
  /** The vendor asked to be left alone until then (epoch ms). */
  pausedUntil: number
  /** Answers of 403 in a row. */
  forbidden: number
  breaker: Breaker
  /** The breaker as it stands in the journal. */
  noted: Breaker
  window: Window
  /** Whether it stands in the round of channels that can start a call. */
  isInRound: boolean
}

const openLine = (): Line => ({ queue: [], hasMore: false, endedMeanwhile: undefined })

export const openChannel = (scriptId: string): Channel => ({
  scriptId,
  tagId: '',
  teamId: '',
  host: '',
  lines: { fresh: openLine(), retry: openLine(), replay: openLine() },
  inFlight: 0,
  most: 1,
  ripeAt: 0,
  turn: 0,
  held: new Set(),
  serving: new Set(),
  pausedUntil: 0,
  forbidden: 0,
  breaker: closed,
  noted: closed,
  window: firstWindow,
  isInRound: false,
})

export const linesOf = ({ lines }: Channel): Line[] => lanes.map((lane) => lines[lane])
export const queuedIn = (channel: Channel): number => linesOf(channel).reduce((sum, { queue }) => sum + queue.length, 0)

/** What a vendor may ask for. A longer pause comes from a clock that was set back, and is none. */
const longestPauseMs = 6 * 3_600_000

const isPaused = ({ pausedUntil }: Channel, now: number) => pausedUntil > now && pausedUntil <= now + longestPauseMs

/** Why nothing is sent to the channel now, if so. */
export function stopOf(channel: Channel, now: number): Reason | undefined {
  if (isPaused(channel, now)) return 'throttled'
  const { breaker } = channel
  return breaker.is === 'open' && allowed(breaker, now) === 0 ? breaker.reason : undefined
}

export function canStart(channel: Channel, now: number): boolean {
  const { inFlight, window, breaker, ripeAt, most } = channel
  if (isPaused(channel, now) || inFlight >= Math.min(window.size, allowed(breaker, now))) return false
  const queued = queuedIn(channel)
  return queued > 0 && (ripeAt <= now || ripeAt > now + lingerMs || queued >= most)
}

/** A lane has more in the store, and half of its room in memory is free. */
export const isHungry = (line: Line): boolean => line.hasMore && line.queue.length <= perLane.queued / 2

/** Nothing is known of it that would be missed. */
export const isIdle = (channel: Channel, now: number): boolean =>
  channel.held.size === 0 &&
  !linesOf(channel).some(({ hasMore }) => hasMore) &&
  !isPaused(channel, now) &&
  channel.forbidden === 0 &&
  channel.breaker.is === 'closed' &&
  channel.breaker.badInRow === 0

/** So many answers of 403 in a row, and it is not the event but the key. */
const forbiddenInARow = 5

/** Takes in what a call was answered, and says what it means for its deliveries. */
export function hear(channel: Channel, judgement: Judgement, when: { begunAt: number; now: number }): Judgement {
  channel.forbidden = judgement.forbidden ? channel.forbidden + 1 : 0
  if (judgement.forbidden && channel.forbidden >= forbiddenInARow)
    return hear(channel, { verdict: 'keyRejected', reason: 'keyRejected', message: judgement.message ?? '' }, when)
  const { verdict, reason = 'vendorDown', retryAfterMs } = judgement
  const isGood = verdict === 'delivered' || verdict === 'refused'
  const isFree = retryAfterMs !== undefined
  if (isFree) channel.pausedUntil = when.now + retryAfterMs
  channel.window = isGood ? grown(channel.window, channel.inFlight) : shrunk(channel.window, when)
  if (isFree) return judgement // a vendor that says when to come again is not down
  const was = isGood ? 'good' : verdict === 'keyRejected' ? 'rejected' : 'bad'
  const isBack = channel.breaker.is === 'probing'
  // code that ends no more stops its channel as a vendor does that is down
  channel.breaker = heard(channel.breaker, { was, reason: reason === 'poison' ? 'vendorDown' : reason, ...when })
  if (isBack && channel.breaker.is === 'closed') channel.window = slowStart
  return judgement
}
