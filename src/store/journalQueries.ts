import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel, Stats } from '#contract/stats.ts'
import { defaultTeamLimits } from '#settings/teamLimits.ts'
import type { PageRequest, ResultPage } from './cursor.ts'
import type { DeliveryFilter, DeliveryRecord, TagCounts } from './deliveryQueries.ts'
import type { IntakeRecord, IntakeRequest } from './intake.ts'
import type { MatchRecord, MatchRequest } from './matchCounts.ts'
import type { OrderQueries } from './orders.ts'
import type { EventRef, PlannedEvent } from './plannedEvent.ts'
import type { StatsRequest } from './stats.ts'

export type EventRecord = Omit<PlannedEvent, 'deliveries' | 'held' | 'orderHash' | 'purchase' | 'orderKey' | 'slot'>

/** An event in a list, with the number of its deliveries by status. */
export type EventListRow = Pick<EventRecord, 'position' | 'index' | 'eventName' | 'userId' | 'receivedAt'> & {
  counts: Partial<Record<DeliveryStatus, number>>
}

/** The waiting deliveries of a channel, and its last delivery and error. Times are epoch ms. */
export type ChannelFigures = {
  scriptId: string
  /** The number of pending deliveries, and the number of held ones. */
  waiting: number
  held: number
  /** When the event of the oldest pending delivery was received. */
  oldestAt?: number
  /** When the next attempt is due. */
  nextAt?: number
  /** When the last received of the delivered events was delivered. */
  lastDeliveredAt?: number
  lastError?: {
    at: number
    deliveryId: string
    position: number
    index: number
    status: DeliveryStatus
    reason?: DeliveryReason
    httpStatus?: number
    message?: string
  }
}

/** A time range (epoch ms); `to` may be infinite. */
export type FunnelRequest = { from: number; to: number; scriptId?: string }

/**
 * State kept between polls of a tag, if events may become visible after events with later positions. `keys`: the
 * returned events that were planned since `since` (epoch ms of the database). Every event that was planned before
 * `since` was visible. `polls`: for polls whose transactions have not all ended, their time and the first transaction
 * that began after them.
 */
export type RecentEvents = {
  keys: ReadonlySet<string>
  since: number
  polls: readonly { at: number; end: number }[]
}

/** Requests the changes of a tag: of the `open` deliveries, and the deliveries of events after `after`. */
export type WatchRequest = {
  open: readonly Pick<DeliveryRecord, 'deliveryId' | 'status' | 'reason' | 'at'>[]
  after?: EventRef
  /** `recent` of the previous result. */
  recent?: RecentEvents
  /** The next request continues after the events that this one returns. Otherwise it skips the `more` events. */
  isContinued?: boolean
  /** Whether the events themselves are also returned. */
  hasEvents?: boolean
  /** The maximum number of events; fewer are returned if they have very many deliveries. */
  events: number
}
export type WatchResult = {
  /** The `open` deliveries whose state changed, and the ids of those that no longer exist. */
  changed: DeliveryRecord[]
  gone: string[]
  /** The new events, if requested: events after `after`, preceded by events that became visible late. */
  listed: EventListRow[]
  /** The deliveries of the events, in order. `last`: the last of these events. `more`: the number of later events. */
  rows: DeliveryRecord[]
  last?: EventRef
  more: number
  /** The newest event, if `more` is above 0. */
  newest?: EventRef
  /**
   * Pass it to the next request, so that an event that becomes visible late is returned, and only once. Absent if
   * events become visible in order.
   */
  recent?: RecentEvents
}

/**
 * Slow reads. They run in other threads than the intake of events. Teams take turns, and a read is stopped at its time
 * limit. Each throws QueryRefused.
 */
export type JournalQueries = OrderQueries & {
  /** The sums of the counts. */
  stats(tagId: string, request: StatsRequest): Promise<Stats>
  /**
   * The deliveries of a tag, newest event first. Each call scans at most 5,000 rows, so a page may have fewer rows than
   * its limit, or none, and still have a next page.
   */
  deliveries(tagId: string, filter: DeliveryFilter, page: PageRequest): Promise<ResultPage<DeliveryRecord>>
  /**
   * The events of a tag with at least one delivery that matches the filter, newest first. Scans as many rows as
   * `deliveries`.
   */
  events(tagId: string, filter: DeliveryFilter, page: PageRequest): Promise<ResultPage<EventListRow>>
  channels(tagId: string, scriptIds: readonly string[]): Promise<ChannelFigures[]>
  /** The current states of the deliveries of the events in a time range. The parts add up exactly. */
  funnel(tagId: string, request: FunnelRequest): Promise<Omit<Funnel, 'from' | 'to'>>
  teamCounts(tagIds: readonly string[], request: IntakeRequest): Promise<TagCounts[]>
  intake(tagId: string, request: IntakeRequest): Promise<IntakeRecord>
  /** How many delivered events of each channel had its match keys, and the faults of those keys. */
  matches(tagId: string, request: MatchRequest): Promise<MatchRecord>
  /** The events of a user, newest first: events with the user's id, and events that matched the user by e-mail. */
  eventsOf(tagId: string, userId: string, page: PageRequest): Promise<ResultPage<EventRecord>>
  /** Does not count as a query of the team, because its streams are limited instead. */
  watch(tagId: string, request: WatchRequest): Promise<WatchResult>
  /** For each replay of a tag: the statuses of the deliveries whose last replay it was, counted by script. */
  replayed(
    tagId: string,
    replayIds: readonly string[],
  ): Promise<Record<string, Partial<Record<DeliveryStatus, number>>>[]>
}

export const queryNames = [
  ...(['stats', 'deliveries', 'events', 'channels', 'funnel', 'teamCounts', 'intake', 'matches'] as const),
  ...(['eventsOf', 'watch', 'replayed', 'orderGroups', 'orders', 'ordersById', 'unknownOrders'] as const),
] satisfies (keyof JournalQueries)[]

/** The maximum number of running and waiting queries of a team, and the time limit of a query in ms. */
export type QueryLimits = { perTeam: number; limitMs: number }
export const defaultQueryLimits: QueryLimits = {
  perTeam: defaultTeamLimits.queriesPerTeam,
  limitMs: defaultTeamLimits.querySeconds * 1_000,
}
