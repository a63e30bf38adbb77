import type { Stats } from '#contract/delivery.ts'
import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import { defaultTeamLimits } from '#limit/teamLimits.ts'
import type { DeliveryFilter, DeliveryRecord } from './deliveryQueries.ts'
import type { PageRequest, ResultPage } from './pagination.ts'
import type { EventRef, PlannedEvent } from './plannedEvent.ts'
import type { StatsRequest } from './stats.ts'

export type EventRecord = Omit<PlannedEvent, 'deliveries' | 'held' | 'orderKey'>

/** Asks for the changes of a tag: of the `open` deliveries, and the deliveries of events after `after`. */
export type WatchRequest = {
  open: readonly Pick<DeliveryRecord, 'deliveryId' | 'status' | 'reason' | 'at'>[]
  after?: EventRef
  /** The maximum of events; fewer are returned if they have very many deliveries. */
  events: number
}
export type WatchResult = {
  /** The `open` deliveries whose state changed, and the ids of those that no longer exist. */
  changed: DeliveryRecord[]
  gone: string[]
  /** The deliveries of the events, in order. `last` is the last of these events, `more` the number of later ones. */
  rows: DeliveryRecord[]
  last?: EventRef
  more: number
  /** The newest event, if `more` is above 0. */
  newest?: EventRef
}

/**
 * Slow reads. They run in other threads than the ingest of events; teams take turns, and a read is ended at its time
 * limit. Each throws QueryRefused.
 */
export type JournalQueries = {
  /** The sums of the counts. */
  stats(tagId: string, request: StatsRequest): Promise<Stats>
  /**
   * The deliveries of a tag, those of the newest event first. Each call scans at most 5,000 rows, so a page may have
   * fewer rows than its limit, or none, and still have a next page.
   */
  deliveries(tagId: string, filter: DeliveryFilter, page: PageRequest): Promise<ResultPage<DeliveryRecord>>
  /** The events of a tag, newest first. */
  events(tagId: string, page: PageRequest): Promise<ResultPage<EventRecord>>
  /** The events of a user, newest first: those with its id, and those that matched it by e-mail. */
  eventsOf(tagId: string, userId: string, page: PageRequest): Promise<ResultPage<EventRecord>>
  /** Does not count as a query of the team, because its streams are limited instead. */
  watch(tagId: string, request: WatchRequest): Promise<WatchResult>
  /** For each replay the statuses of the deliveries that it was the last to replay, counted by script. */
  replayed(replayIds: readonly string[]): Promise<Record<string, Partial<Record<DeliveryStatus, number>>>[]>
}

/** The maximum of running and waiting queries of a team, and the time limit of a query in ms. */
export type QueryLimits = { perTeam: number; limitMs: number }
export const defaultQueryLimits: QueryLimits = {
  perTeam: defaultTeamLimits.queriesPerTeam,
  limitMs: defaultTeamLimits.querySeconds * 1_000,
}
