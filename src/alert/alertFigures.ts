import type { Period } from './usual.ts'

/** A share of a whole that came together: `part` of `all`. */
export type Share = { part: number; all: number }

/**
 * What rules are evaluated by. Every figure is of one tag. A figure that a server does not have is absent, and rules
 * about it say nothing.
 */
export type AlertFigures = {
  events(tag: WatchedTag, period: Period, eventName?: string): Promise<number>
  /** The deliveries that ended, and those of them that failed, by channel. */
  failures(tag: WatchedTag, period: Period): Promise<ReadonlyMap<string, Share>>
  /** The channels that are stopped, with the time and the reason. */
  stopped(tag: WatchedTag): Promise<readonly { scriptId: string; since: number; reason?: string }[]>
  /** The events that lack a value, of all of that name. */
  valuesMissing(tag: WatchedTag, period: Period, eventName: string): Promise<Share>
  /** The events that have a key by which a vendor can find the person. */
  matchKeys?(tag: WatchedTag, period: Period): Promise<Share>
  /** The orders of the shop without an event. */
  ordersMissing?(tag: WatchedTag, period: Period): Promise<Share>
  /** The free part of the disk; undefined if the server does not know. */
  freeDisk(): Promise<number | undefined>
}

/** `createdAt` (epoch ms): there are no counts before. */
export type WatchedTag = { tagId: string; teamId: string; name: string; createdAt: number }
