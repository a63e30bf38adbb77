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

/** An event of a list, with its deliveries counted by status. */
export type EventListRow = Pick<EventRecord, 'position' | 'index' | 'eventName' | 'userId' | 'receivedAt'> & {
  counts: Partial<Record<DeliveryStatus, number>>
}

/** What waits for a channel, and its last delivery and error. Times are epoch ms. */
export type ChannelFigures = {
  scriptId: string
  /** The number of pending deliveries, and of held ones. */
  waiting: number
  held: number
  /** When the event of the oldest pending delivery was received. */
  oldestAt?: number
  /** When the next attempt is due. */
  nextAt?: number
  /** When the delivered event that came last was delivered. */
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
 * What a look at a tag has to know of the looks before it, where events may become visible after events with later
 * positions. `keys`: the events planned since `since` (epoch ms of the database) that were returned. Every event that was
 * planned before `since` was visible. `looks`: for looks whose transactions have not all ended, their time and the first
 * transaction that began after them.
 */
export type RecentEvents = {
  keys: ReadonlySet<string>
  since: number
  looks: readonly { at: number; end: number }[]
}

/** Asks for the changes of a tag: of the `open` deliveries, and the deliveries of events after `after`. */
export type WatchRequest = {
  open: readonly Pick<DeliveryRecord, 'deliveryId' | 'status' | 'reason' | 'at'>[]
  after?: EventRef
  /** `recent` of the result before this one. */
  recent?: RecentEvents
  /** The next request continues after what this one returns. Else it leaves out the `more` events. */
  isContinued?: boolean
  /** Whether the events themselves are returned too. */
  hasEvents?: boolean
  /** The maximum of events; fewer are returned if they have very many deliveries. */
  events: number
}
export type WatchResult = {
  /** The `open` deliveries whose state changed, and the ids of those that no longer exist. */
  changed: DeliveryRecord[]
  gone: string[]
  /** The new events, if asked for: those after `after`, and before them those that became visible late. */
  listed: EventListRow[]
  /** The deliveries of the events, in order. `last` is the last of these events, `more` the number of later ones. */
  rows: DeliveryRecord[]
  last?: EventRef
  more: number
  /** The newest event, if `more` is above 0. */
  newest?: EventRef
  /**
   * The next request has it, so that it gets an event that becomes visible after events with later positions, and gets it
   * once. Absent if events become visible in order.
   */
  recent?: RecentEvents
}

/**
 * Slow reads. They run in other threads than the ingest of events; teams take turns, and a read is ended at its time
 * limit. Each throws QueryRefused.
 */
export type JournalQueries = OrderQueries & {
  /** The sums of the counts. */
  stats(tagId: string, request: StatsRequest): Promise<Stats>
  /**
   * The deliveries of a tag, those of the newest event first. Each call scans at most 5,000 rows, so a page may have
   * fewer rows than its limit, or none, and still have a next page.
   */
  deliveries(tagId: string, filter: DeliveryFilter, page: PageRequest): Promise<ResultPage<DeliveryRecord>>
  /**
   * The events of a tag with at least one delivery that matches the filter, newest first. Scans as many rows as
   * `deliveries`.
   */
  events(tagId: string, filter: DeliveryFilter, page: PageRequest): Promise<ResultPage<EventListRow>>
  channels(tagId: string, scriptIds: readonly string[]): Promise<ChannelFigures[]>
  /** How the deliveries of the events of a time range stand now. The parts add up exactly. */
  funnel(tagId: string, request: FunnelRequest): Promise<Omit<Funnel, 'from' | 'to'>>
  teamCounts(tagIds: readonly string[], request: IntakeRequest): Promise<TagCounts[]>
  intake(tagId: string, request: IntakeRequest): Promise<IntakeRecord>
  /** How often the delivered events of each channel had its match keys, and what is wrong with them. */
  matches(tagId: string, request: MatchRequest): Promise<MatchRecord>
  /** The events of a user, newest first: those with its id, and those that matched it by e-mail. */
  eventsOf(tagId: string, userId: string, page: PageRequest): Promise<ResultPage<EventRecord>>
  /** Does not count as a query of the team, because its streams are limited instead. */
  watch(tagId: string, request: WatchRequest): Promise<WatchResult>
  /** For each replay of a tag the statuses of the deliveries that it was the last to replay, counted by script. */
  replayed(
    tagId: string,
    replayIds: readonly string[],
  ): Promise<Record<string, Partial<Record<DeliveryStatus, number>>>[]>
}

export const queryNames = [
  ...(['stats', 'deliveries', 'events', 'channels', 'funnel', 'teamCounts', 'intake', 'matches'] as const),
  ...(['eventsOf', 'watch', 'replayed', 'orderGroups', 'orders', 'ordersById', 'unknownOrders'] as const),
] satisfies (keyof JournalQueries)[]

/** The maximum of running and waiting queries of a team, and the time limit of a query in ms. */
export type QueryLimits = { perTeam: number; limitMs: number }
export const defaultQueryLimits: QueryLimits = {
  perTeam: defaultTeamLimits.queriesPerTeam,
  limitMs: defaultTeamLimits.querySeconds * 1_000,
}
