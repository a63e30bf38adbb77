import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { Judgement } from '#provider/engine/judgement.ts'
import { type DueDelivery, type Priority, priorities } from '#store/store.ts'
import { allowedCalls, type Breaker, closedBreaker, recordResult } from './circuitBreaker.ts'
import {
  type ConcurrencyWindow,
  growWindow,
  initialWindow,
  shrinkWindow,
  slowStartWindow,
} from './concurrencyWindow.ts'

/** The maximum of deliveries in one priority queue of a channel in memory. */
export const queueLimits = { queued: 1_000 }
/** The first delivery of a batch waits this long for others. */
export const lingerMs = 25

/** The waiting deliveries of one priority of a channel. */
export type PriorityQueue = {
  /** Oldest first. */
  deliveries: DueDelivery[]
  /**
   * The store has, or may have, due deliveries of this priority that are not in memory. New deliveries wait behind
   * them.
   */
  hasMore: boolean
  /** Ids of deliveries that ended during a read of the store. The rows that the read returns may predate their end. */
  endedDuringRead: Set<string> | undefined
}

/** The worker's state of one channel (a deployed script). Deliveries that are not in memory wait in the store. */
export type Channel = {
  scriptId: string
  /** Empty until the channel has had a delivery in memory, like `teamId`. */
  tagId: string
  teamId: string
  /** The host of its last call. */
  host: string
  queues: Readonly<Record<Priority, PriorityQueue>>
  /** Calls in flight. */
  inFlight: number
  /** The maximum of deliveries in one call. */
  maxBatchSize: number
  /** An incomplete batch waits for more deliveries until then (epoch ms). */
  lingerUntil: number
  /** Batches taken so far. Decides which priority comes first in the next batch. */
  batchCount: number
  /** Ids of the deliveries that are queued or in flight. The store may return them again; they are not queued twice. */
  inMemoryIds: Set<string>
  /** The order keys of the deliveries in flight. */
  activeOrderKeys: Set<string>
  /** The end of the pause that the vendor asked for with Retry-After (epoch ms). */
  pausedUntil: number
  /** Consecutive answers with status 403. */
  forbidden: number
  breaker: Breaker
  /** The breaker as last written to the journal. */
  persistedBreaker: Breaker
  window: ConcurrencyWindow
  /** The channel is in the queue of channels that can start a call. */
  isQueued: boolean
}

const emptyQueue = (): PriorityQueue => ({ deliveries: [], hasMore: false, endedDuringRead: undefined })

export const openChannel = (scriptId: string): Channel => ({
  scriptId,
  tagId: '',
  teamId: '',
  host: '',
  queues: { fresh: emptyQueue(), retry: emptyQueue(), replay: emptyQueue() },
  inFlight: 0,
  maxBatchSize: 1,
  lingerUntil: 0,
  batchCount: 0,
  inMemoryIds: new Set(),
  activeOrderKeys: new Set(),
  pausedUntil: 0,
  forbidden: 0,
  breaker: closedBreaker,
  persistedBreaker: closedBreaker,
  window: initialWindow,
  isQueued: false,
})

export const queuesOf = ({ queues }: Channel): PriorityQueue[] => priorities.map((priority) => queues[priority])
export const queuedCount = (channel: Channel): number =>
  queuesOf(channel).reduce((sum, { deliveries }) => sum + deliveries.length, 0)

/** The longest pause that a vendor may ask for. A longer one results from a clock that was set back, and is ignored. */
const maxPauseMs = 6 * 3_600_000

const isPaused = ({ pausedUntil }: Channel, now: number) => pausedUntil > now && pausedUntil <= now + maxPauseMs

/** Why no call of the channel may start now; undefined if one may. */
export function stopReason(channel: Channel, now: number): DeliveryReason | undefined {
  if (isPaused(channel, now)) return 'throttled'
  const { breaker } = channel
  return breaker.state === 'open' && allowedCalls(breaker, now) === 0 ? breaker.reason : undefined
}

export function canStart(channel: Channel, now: number): boolean {
  const { inFlight, window, breaker, lingerUntil, maxBatchSize } = channel
  if (isPaused(channel, now) || inFlight >= Math.min(window.size, allowedCalls(breaker, now))) return false
  const queued = queuedCount(channel)
  return queued > 0 && (lingerUntil <= now || lingerUntil > now + lingerMs || queued >= maxBatchSize)
}

/** The store has more deliveries of this priority, and at least half of the queue is free. */
export const wantsRefill = (queue: PriorityQueue): boolean =>
  queue.hasMore && queue.deliveries.length <= queueLimits.queued / 2

/** The channel has no state that would be lost if it was dropped from memory. */
export const isIdle = (channel: Channel, now: number): boolean =>
  channel.inMemoryIds.size === 0 &&
  !queuesOf(channel).some(({ hasMore }) => hasMore) &&
  !isPaused(channel, now) &&
  channel.forbidden === 0 &&
  channel.breaker.state === 'closed' &&
  channel.breaker.badInRow === 0

/** This many consecutive answers with status 403 mean that the key is rejected, not the event. */
const forbiddenInARow = 5

/** Updates the channel by the answer of a call. Returns the judgement that applies to the deliveries of the call. */
export function recordAnswer(
  channel: Channel,
  judgement: Judgement,
  when: { begunAt: number; now: number },
): Judgement {
  channel.forbidden = judgement.forbidden ? channel.forbidden + 1 : 0
  if (judgement.forbidden && channel.forbidden >= forbiddenInARow)
    return recordAnswer(
      channel,
      { verdict: 'keyRejected', reason: 'keyRejected', message: judgement.message ?? '' },
      when,
    )
  const { verdict, reason = 'vendorDown', retryAfterMs } = judgement
  const isGood = verdict === 'delivered' || verdict === 'refused'
  const hasRetryAfter = retryAfterMs !== undefined
  if (hasRetryAfter) channel.pausedUntil = when.now + retryAfterMs
  channel.window = isGood ? growWindow(channel.window, channel.inFlight) : shrinkWindow(channel.window, when)
  if (hasRetryAfter) return judgement // a vendor that sends Retry-After is not down
  const result = isGood ? 'good' : verdict === 'keyRejected' ? 'rejected' : 'bad'
  const wasProbing = channel.breaker.state === 'probing'
  // customer code that does not end opens the breaker like a vendor that is down
  channel.breaker = recordResult(channel.breaker, {
    result: result,
    reason: reason === 'poison' ? 'vendorDown' : reason,
    ...when,
  })
  if (wasProbing && channel.breaker.state === 'closed') channel.window = slowStartWindow
  return judgement
}
