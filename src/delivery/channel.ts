import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { Judgement } from '#provider/engine/judgement.ts'
import type { BatchLimits } from '#provider/form/batch.ts'
import type { DueDelivery } from '#store/store.ts'
import { type ChannelHealth, openChannelHealth } from './channelHealth.ts'
import { type DeliveryQueues, openDeliveryQueues } from './deliveryQueues.ts'

/** The first delivery of a batch waits this long for others, unless its script sets another time. */
export const lingerMs = 25

/**
 * The maximum calls of a channel that are in flight or have ended without being stored. A crash repeats these calls. While
 * the store cannot write, a channel soon starts no more.
 */
export const maxUnstoredCalls = 256

/** The tag and the team of a channel, and the limits of its calls. */
type ChannelFacts = { tagId: string; teamId: string; batch: BatchLimits }

/** How an attempt queries its channel and reports to it. */
export type CallControl = {
  /** Why no call may start now; undefined if one may. */
  stopReason(now: number): DeliveryReason | undefined
  /** A call to this host begins. */
  beginCall(host: string): void
  /** Counts the answer of a call. Returns the judgement that applies to its deliveries. Times: epoch ms. */
  recordAnswer(judgement: Judgement, when: { startedAt: number; now: number }): Judgement
}

/**
 * The worker's state of one channel (a deployed script). Only these methods change it. Deliveries that are not in
 * memory wait in the store.
 */
export type Channel = CallControl & {
  readonly scriptId: string
  /** `tagId` and `teamId` are empty until the channel has had a delivery in memory. */
  readonly facts: Readonly<ChannelFacts>
  /** The host of its last call. */
  readonly host: string
  readonly queues: DeliveryQueues
  readonly health: Omit<ChannelHealth, 'stopReason' | 'recordAnswer' | 'callStarted' | 'callsEnded'>
  describe(facts: Partial<ChannelFacts>): void
  /** Lets an incomplete batch wait for more deliveries. */
  linger(now: number): void
  /** Whether a call may start now. */
  canStart(now: number): boolean
  /** Starts the next call and returns its deliveries; empty if all wait for a delivery with their order key. */
  startCall(now: number): DueDelivery[]
  /** A call has ended; its outcomes are being stored. */
  callEnded(now: number): void
  /** The outcomes of a call are stored: its deliveries are dropped from memory. */
  outcomesStored(deliveries: readonly DueDelivery[]): void
  /** The channel has no state that would be lost if it were dropped from memory. */
  isIdle(now: number): boolean
}

export function openChannel(scriptId: string): Channel {
  const queues = openDeliveryQueues()
  const health = openChannelHealth()
  let facts: ChannelFacts = { tagId: '', teamId: '', batch: { maxEvents: 1, waitMs: 0 } }
  let host = ''
  let inFlight = 0
  /** Calls that have ended and are not stored. */
  let unstored = 0
  /** An incomplete batch waits for more deliveries until this time (epoch ms). */
  let lingerUntil = 0

  return {
    scriptId,
    queues,
    health,
    get facts() {
      return facts
    },
    get host() {
      return host
    },
    describe(more) {
      facts = { ...facts, ...more }
    },
    linger(now) {
      lingerUntil = now + facts.batch.waitMs
    },
    stopReason: health.stopReason,
    beginCall(calledHost) {
      host = calledHost
    },
    recordAnswer: (judgement, when) => health.recordAnswer(judgement, { ...when, inFlight }),
    canStart(now) {
      if (inFlight >= health.allowedCalls(now) || inFlight + unstored >= maxUnstoredCalls) return false
      const queued = queues.queued()
      const isLingering = lingerUntil > now && lingerUntil <= now + facts.batch.waitMs
      return queued > 0 && (!isLingering || queued >= facts.batch.maxEvents)
    },
    startCall(now) {
      const deliveries = queues.take(facts.batch.maxEvents)
      if (deliveries.length === 0) return []
      inFlight++
      health.callStarted(now)
      return deliveries
    },
    callEnded(now) {
      inFlight--
      unstored++
      if (inFlight === 0) health.callsEnded(now)
    },
    outcomesStored(deliveries) {
      unstored--
      queues.forget(deliveries)
    },
    isIdle: (now) => queues.inMemory() === 0 && !queues.hasStored() && health.isInitial(now),
  }
}
