import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { Judgement } from '#provider/engine/judgement.ts'
import type { BatchLimits } from '#provider/form/batch.ts'
import { type DueDelivery, priorities } from '#store/store.ts'
import { openChannelHealth } from './channelHealth.ts'
import { openDeliveryQueues } from './deliveryQueues.ts'

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
  recordAnswer(judgement: Judgement, when: { begunAt: number; now: number }): Judgement
}

/**
 * The worker's state of one channel (a deployed script). Only these methods change it. Deliveries that are not in
 * memory wait in the store.
 */
export type Channel = ReturnType<typeof openChannel>

export function openChannel(scriptId: string) {
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
    /** `tagId` and `teamId` are empty until the channel has had a delivery in memory. */
    get facts(): Readonly<ChannelFacts> {
      return facts
    },
    /** The host of its last call. */
    get host(): string {
      return host
    },
    describe(more: Partial<ChannelFacts>): void {
      facts = { ...facts, ...more }
    },
    /** Lets an incomplete batch wait for more deliveries. */
    linger(now: number): void {
      lingerUntil = now + facts.batch.waitMs
    },
    stopReason: health.stopReason,
    beginCall(calledHost: string): void {
      host = calledHost
    },
    recordAnswer: (judgement: Judgement, when: { begunAt: number; now: number }) =>
      health.recordAnswer(judgement, { ...when, inFlight }),
    /** Whether a call may start now. */
    canStart(now: number): boolean {
      if (inFlight >= health.allowedCalls(now) || inFlight + unstored >= maxUnstoredCalls) return false
      const queued = queues.queued()
      const isLingering = lingerUntil > now && lingerUntil <= now + facts.batch.waitMs
      return queued > 0 && (!isLingering || queued >= facts.batch.maxEvents)
    },
    /** Starts the next call and returns its deliveries; empty if all wait for a delivery with their order key. */
    startCall(now: number): DueDelivery[] {
      const deliveries = queues.take(facts.batch.maxEvents)
      if (deliveries.length === 0) return []
      inFlight++
      health.callStarted(now)
      return deliveries
    },
    /** A call has ended; its outcomes are being stored. */
    callEnded(now: number): void {
      inFlight--
      unstored++
      if (inFlight === 0) health.callsEnded(now)
    },
    /** The outcomes of a call are stored: its deliveries are dropped from memory. */
    outcomesStored(deliveries: readonly DueDelivery[]): void {
      unstored--
      queues.forget(deliveries)
    },
    /** The channel has no state that would be lost if it were dropped from memory. */
    isIdle: (now: number) =>
      queues.inMemory() === 0 && !priorities.some((priority) => queues.hasStored(priority)) && health.isInitial(now),
  }
}
