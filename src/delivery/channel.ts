import type { DueDelivery } from '#store/store.ts'

/** How many attempts of one channel are made at once, and how many of its deliveries wait in memory. */
export const perChannel = { inFlight: 64, queued: 1_000 }

/** What the worker holds of one channel (a deployed script). All else of it waits in the store. */
export type Channel = {
  scriptId: string
  /** Deliveries that wait for their turn, oldest first. */
  queue: DueDelivery[]
  inFlight: number
  /** Ids of what waits or is in flight: what the store gives again is not taken twice. */
  held: Set<string>
  /** The store has, or may have, deliveries of this channel that are due and not held. New ones wait behind them. */
  hasMore: boolean
  /** Ids of what ended while the store was being asked: its answer may be older than their end. */
  endedMeanwhile: Set<string> | undefined
  /** The vendor asked to be left alone until then (epoch ms). */
  pausedUntil: number
  /** Answers of 403 in a row. */
  forbidden: number
  /** Whether it stands in the round of channels that can start an attempt. */
  isInRound: boolean
}

export const openChannel = (scriptId: string): Channel => ({
  scriptId,
  queue: [],
  inFlight: 0,
  held: new Set(),
  hasMore: false,
  endedMeanwhile: undefined,
  pausedUntil: 0,
  forbidden: 0,
  isInRound: false,
})

/** What a vendor may ask for. A longer pause comes from a clock that was set back, and is none. */
const longestPauseMs = 6 * 3_600_000

const isPaused = ({ pausedUntil }: Channel, now: number) => pausedUntil > now && pausedUntil <= now + longestPauseMs

export const canStart = (channel: Channel, now: number): boolean =>
  channel.queue.length > 0 && channel.inFlight < perChannel.inFlight && !isPaused(channel, now)

/** It has more in the store, and half of its room in memory is free. */
export const isHungry = (channel: Channel, now: number): boolean =>
  channel.hasMore && channel.queue.length <= perChannel.queued / 2 && !isPaused(channel, now)

/** Nothing is known of it that would be missed. */
export const isIdle = (channel: Channel, now: number): boolean =>
  channel.held.size === 0 && !channel.hasMore && !isPaused(channel, now) && channel.forbidden === 0
