import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { LatencyCount } from './intake.ts'
import type { EventRef, PlannedDelivery } from './plannedEvent.ts'

/** A filter of deliveries. Absent fields do not restrict. Times are when events were received, in epoch ms. */
export type DeliveryFilter = {
  statuses?: readonly DeliveryStatus[]
  reasons?: readonly DeliveryReason[]
  scriptId?: string
  eventName?: string
  userId?: string
  /** The fingerprint of an order id. Not with `people`. */
  orderHash?: string
  /** Events of these users, and events that are attributed to them. */
  people?: readonly string[]
  /** The status of the last response. */
  httpStatuses?: readonly number[]
  fromMs?: number
  toMs?: number
}
/**
 * The state of a delivery. `at`: when the state began. `attempts`: the number of started attempts. `httpStatus` and
 * `message`: from the last ended attempt.
 */
export type DeliveryRecord = EventRef &
  PlannedDelivery & {
    eventName: string
    /** The user of its event. */
    userId: string
    receivedAt: number
    at: number
    attempts: number
    nextAt?: number
    httpStatus?: number
    message?: string
  }

/**
 * The maximum number of custom event names that are counted separately per tag and day (UTC). Standard names are always
 * counted separately. Further names are counted as `otherNames`, because anyone can invent names.
 */
export const countedNames = 500
export const otherNames = '(other)'

/** The number of deliveries that reached a status in the minute, hour or day that starts at `at`. */
export type DeliveryCount = {
  at: number
  scriptId: string
  eventName: string
  status: DeliveryStatus
  reason?: DeliveryReason
  count: number
}
export type EventCount = { at: number; eventName: string; count: number }
/** Calls of a tag that were refused in the minute of `at` (epoch ms). `of`: the owner of the exceeded rate limit. */
export type RefusedCalls = { tagId: string; at: number; of: 'team' | 'tag'; calls: number }
export type RefusedCount = { at: number; of: 'team' | 'tag'; count: number }
export type IssueCount = { eventName: string; path: string; message: string; count: number }
export type JournalCounts = {
  events: EventCount[]
  deliveries: DeliveryCount[]
  issues: IssueCount[]
  refused: RefusedCount[]
  latencies: Omit<LatencyCount, 'tagId'>[]
}

/** The counts of a tag by step. */
export type TagCounts = {
  tagId: string
  events: { at: number; count: number }[]
  deliveries: { at: number; status: DeliveryStatus; count: number }[]
  refused: { of: 'team' | 'tag'; count: number }[]
}

/** The sealed requests and responses of several attempts of one tag. `failed`: the attempts have failed. */
export type ExchangePack = { tagId: string; failed: boolean; at: number; sealed: Uint8Array }
/** The pack, and the part of it, that contains the exchanges of an attempt. */
export type ExchangePackRef = { no: number; part: number }

/** An attempt that also sent the click ids and cookies of a user who claims the e-mail of its event. */
export type AttemptJoin = { deliveryId: string; number: number; bodies?: ExchangePackRef }

/**
 * Data from before these times (epoch ms) is dropped: events, events with a failed delivery, exchanges of successful
 * attempts, and exchanges of failed attempts.
 */
export type RetentionCutoffs = {
  journalMs: number
  failuresMs: number
  bodiesMs: number
  failedBodiesMs: number
  /** The number of newest deployments of a tag that are kept regardless of age. */
  keptDeployments: number
  /** Older counts by minute are rolled up to hours, and then to days. */
  hourlyRollupMs: number
  dailyRollupMs: number
}

/** Lookups in the journal, and its retention. */
export type DeliveryQueries = {
  /** The newest event of the tag; undefined if there is none. */
  newestEvent(tagId: string): Promise<EventRef | undefined>
  /** How many duplicates of the events with these deduplication keys were received. */
  repeats(tagId: string, keys: readonly bigint[]): Promise<number>
  exchangePack(no: number): Promise<{ tagId: string; sealed: Uint8Array } | undefined>
  /** At most `limit` attempts that sent this user's click ids and cookies with an event of another user. */
  joins(tagId: string, userId: string, limit: number): Promise<AttemptJoin[]>
  /** The packs and parts with the exchanges of these events' attempts. */
  exchangePackRefs(events: readonly EventRef[]): Promise<(ExchangePackRef & { deliveryId: string })[]>
  /** Replaces the content of a pack, to erase parts of it. */
  replaceExchangePack(no: number, sealed: Uint8Array): Promise<void>
  /** The positions in this range with events that are not yet delivered or may be replayed. */
  neededPositions(from: number, to: number): Promise<number[]>
  /** The next tag, by id, that has rows which may expire. A pass begins with `''`, which comes before all tags. */
  nextKeptTag(after: string): Promise<string | undefined>
  /**
   * Drops one slice of expired data of a tag, but nothing pending or held. `''`: data that is shared by many tags. What
   * was written after the pass began may be left for the next one. `next`: the cursor of the next slice; absent at the
   * end.
   */
  dropExpired(cutoffs: RetentionCutoffs, tagId: string, after?: string): Promise<{ dropped: number; next?: string }>
}
