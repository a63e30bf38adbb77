import type { Reason, Status } from '#contract/outcome.ts'
import type { Page, PageOf } from './page.ts'
import type { EventRef, PlannedDelivery } from './planned.ts'

/** Which deliveries are wanted; what is absent restricts nothing. Times are those of the events' receipt, epoch ms. */
export type DeliveryFilter = {
  statuses?: readonly Status[]
  reasons?: readonly Reason[]
  scriptId?: string
  eventName?: string
  fromMs?: number
  toMs?: number
}
/** A delivery as it stands: `at` since when, `attempts` begun so far, `httpStatus` and `message` of the last one that ended. */
export type FoundDelivery = EventRef &
  PlannedDelivery & {
    eventName: string
    receivedAt: number
    at: number
    attempts: number
    nextAt?: number
    httpStatus?: number
    message?: string
  }

/**
 * Of a tag's event names so many are counted by themselves on a day (UTC), besides the standard ones, which always are.
 * Anybody can make up names: all that come after those are counted by this one.
 */
export const countedNames = 500
export const otherNames = '(other)'

/** How many deliveries came to stand so, or events came (`eventName` alone), in the minute, hour or day that begins at `at`. */
export type DeliveryCount = {
  at: number
  scriptId: string
  eventName: string
  status: Status
  reason?: Reason
  count: number
}
export type EventCount = { at: number; eventName: string; count: number }
export type IssueCount = { eventName: string; path: string; message: string; count: number }
export type Counts = { events: EventCount[]; deliveries: DeliveryCount[]; issues: IssueCount[] }

/** Requests and answers of several attempts of one tag, sealed. `failed`: of attempts in vain. */
export type Pack = { tagId: string; failed: boolean; at: number; sealed: Uint8Array }
/** Where the bodies of an attempt lie: which pack, and which part of it. */
export type BodiesRef = { no: number; part: number }

/** An attempt that click ids and cookies of somebody who claims the e-mail of its event went along with. */
export type Join = { deliveryId: string; number: number; bodies?: BodiesRef }

/**
 * What came before these times (epoch ms) is dropped: events, those of which a delivery failed, and the bodies of attempts that
 * went well and of those that failed.
 */
export type Cutoffs = {
  journalMs: number
  failuresMs: number
  bodiesMs: number
  failedBodiesMs: number
  /** How many deployments of a tag stay, however old they are. */
  deployments: number
  /** Counts that are older become those of hours, and then those of days. */
  hoursMs: number
  daysMs: number
}

/** What is found in the journal, and how it is kept small. */
export type Findings = {
  /**
   * The deliveries of a tag, those of the newest event first. Each call looks at no more than some thousand rows: a page may hold
   * fewer than it could, or none, and still have a next one.
   */
  deliveries(tagId: string, filter: DeliveryFilter, page: PageOf): Promise<Page<FoundDelivery>>
  /** Those of these deliveries that are there, as they stand. */
  standing(tagId: string, deliveryIds: readonly string[]): Promise<FoundDelivery[]>
  /** The newest event of the tag; undefined while there is none. */
  newest(tagId: string): Promise<EventRef | undefined>
  /** The deliveries of the events that came after this place, in their order: of so many events at most, and how many more there are. */
  after(
    tagId: string,
    place: EventRef | undefined,
    limit: number,
  ): Promise<{ rows: FoundDelivery[]; last?: EventRef; more: number }>
  /** What was counted from one time up to another, by steps of so many minutes. */
  counts(tagId: string, range: { fromMs: number; toMs: number; stepMinutes: number }): Promise<Counts>
  pack(no: number): Promise<{ tagId: string; sealed: Uint8Array } | undefined>
  /** Some of the attempts that click ids and cookies of this user went along with, because it claims the e-mail of the event. */
  joins(tagId: string, userId: string, limit: number): Promise<Join[]>
  /** Where the bodies of these events' attempts lie. */
  packsOf(events: readonly EventRef[]): Promise<(BodiesRef & { deliveryId: string })[]>
  /** Puts another pack in the place of one, for what must not be kept any longer. */
  repack(no: number, sealed: Uint8Array): Promise<void>
  /** Of these positions, those of events that are still to be delivered or may be replayed. */
  needed(from: number, to: number): Promise<number[]>
  /** Drops some of what is old, and says where to go on; without `next` when all was looked at. What is pending or held stays. */
  expire(cutoffs: Cutoffs, after: string | undefined): Promise<{ dropped: number; next?: string }>
}
