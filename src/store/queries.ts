import type { Stats } from '#contract/delivery.ts'
import type { Status } from '#contract/outcome.ts'
import { usualTeamLimits } from '#contract/teamLimits.ts'
import type { DeliveryFilter, FoundDelivery } from './found.ts'
import type { Page, PageOf } from './page.ts'
import type { EventRef, PlannedEvent } from './planned.ts'
import type { StatsAsked } from './stats.ts'

export type FoundEvent = Omit<PlannedEvent, 'deliveries' | 'held' | 'queue'>

/** What changed of a tag since a place: of deliveries that stood so, and those of the events that came after it. */
export type WatchAsked = {
  open: readonly Pick<FoundDelivery, 'deliveryId' | 'status' | 'reason' | 'at'>[]
  place?: EventRef
  /** of so many events at most, and of fewer where they have very many deliveries */
  events: number
}
export type Watched = {
  /** Those of the deliveries that stand otherwise now, and the ids of those that are gone. */
  changed: FoundDelivery[]
  gone: string[]
  /** The deliveries of the events, in their order; `last` is the last of these events, `more` how many came after it. */
  rows: FoundDelivery[]
  last?: EventRef
  more: number
  /** The newest event, where there are more. */
  newest?: EventRef
}

/**
 * Reads that may take long. They are made beside the thread that takes events; teams take turns, and what takes too long is
 * ended. Each throws QueryRefused.
 */
export type Queries = {
  /** What was counted, summed up. */
  stats(tagId: string, asked: StatsAsked): Promise<Stats>
  /**
   * The deliveries of a tag, those of the newest event first. Each call looks at no more than some thousand rows: a page may hold
   * fewer than it could, or none, and still have a next one.
   */
  deliveries(tagId: string, filter: DeliveryFilter, page: PageOf): Promise<Page<FoundDelivery>>
  /** The events of a tag, newest first. */
  events(tagId: string, page: PageOf): Promise<Page<FoundEvent>>
  /** The events of a user, newest first: those that came under its id, and those that were joined to it. */
  eventsOf(tagId: string, userId: string, page: PageOf): Promise<Page<FoundEvent>>
  /** Not counted among the queries of a team: its streams are counted. */
  watch(tagId: string, asked: WatchAsked): Promise<Watched>
  /** How the deliveries stand that each of these replays was the last to replay, by script. */
  replayed(replayIds: readonly string[]): Promise<Record<string, Partial<Record<Status, number>>>[]>
}

/** How many queries of a team run or wait at once, and after how many ms one is ended. */
export type QueryLimits = { perTeam: number; limitMs: number }
export const usualQueryLimits: QueryLimits = {
  perTeam: usualTeamLimits.queriesPerTeam,
  limitMs: usualTeamLimits.querySeconds * 1_000,
}
