import type { Period } from './usual.ts'

export type StopReason = 'isPaused' | 'isKeyRejected' | 'isVendorDown'

/** `part` of `all`. */
export type Share = { part: number; all: number }

/**
 * The figures of one tag that rules are evaluated with. The rules of an optional figure never fire if the server lacks
 * it.
 */
export type AlertFigures = {
  events(tag: WatchedTag, period: Period, eventName?: string): Promise<number>
  /** Per channel, the failed deliveries among those that ended. */
  failures(tag: WatchedTag, period: Period): Promise<ReadonlyMap<string, Share>>
  /** The stopped channels, with time and reason. */
  stopped(tag: WatchedTag): Promise<readonly { scriptId: string; since: number; reason?: StopReason }[]>
  /** When the event of the oldest waiting delivery arrived, by channel. */
  waiting(tag: WatchedTag): Promise<ReadonlyMap<string, number>>
  /** The 95th percentile of delivery times, in ms. */
  latency(tag: WatchedTag, period: Period): Promise<{ p95Ms: number; count: number } | undefined>
  /** The deliveries that were skipped for consent, among all deliveries. */
  consentSkipped(tag: WatchedTag, period: Period): Promise<Share>
  /** Events by `accepted`, `duplicate` and `rejected`, and refused calls by the code of their Error object. */
  intake(tag: WatchedTag, period: Period): Promise<ReadonlyMap<string, number>>
  /** Counts of events by name. `isWhole`: no name is left out. */
  eventNames(tag: WatchedTag, period: Period): Promise<{ names: ReadonlyMap<string, number>; isWhole: boolean }>
  /** The events of this name that lack a value. */
  valuesMissing(tag: WatchedTag, period: Period, eventName: string): Promise<Share>
  /** The events of this name with its most frequent issue, and the field of that issue. */
  eventIssues(tag: WatchedTag, period: Period, eventName: string): Promise<Share & { path: string }>
  /** The events that have a key by which a vendor can find the person. */
  matchKeys?(tag: WatchedTag, period: Period): Promise<Share>
  /** The orders of the shop without an event. */
  ordersMissing?(tag: WatchedTag, period: Period): Promise<Share>
  /** The free share of the disk; undefined if unknown. */
  freeDisk(): Promise<number | undefined>
}

/** `createdAt` (epoch ms): there are no earlier counts. */
export type WatchedTag = { tagId: string; teamId: string; name: string; createdAt: number }
