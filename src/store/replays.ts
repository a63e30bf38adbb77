import type { Reason, Status } from '#contract/outcome.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Replay, Replayable } from '#contract/replay.ts'
import type { Page, PageOf } from './page.ts'

/** Which deliveries are replayed. Times are epoch ms; an event is known by its place, never by its own id. */
export type ReplayFilter = {
  statuses: readonly Replayable[]
  from?: number
  to?: number
  eventNames?: readonly string[]
  scriptIds?: readonly string[]
  /** These events and no others. */
  places?: readonly EventSpot[]
}
export type EventSpot = readonly [position: number, index: number]

/** What became of the deliveries of one script: `left` are those that are not sent, by reason. */
export type ReplayCounts = { matched: number; replayed: number; left: Partial<Record<Reason, number>> }
export type ReplayTally = Readonly<Record<string, ReplayCounts>>

export type ReplayRecord = {
  replayId: string
  tagId: string
  teamId: string
  filter: ReplayFilter
  by: string
  state: Exclude<Replay['state'], 'dryRun'>
  createdAt: number
  startedAt?: number
  endedAt?: number
  /** How far it has gone through the events: what the store gave for where a slice ended. */
  reached?: string
  tally: ReplayTally
}

/** A delivery that a replay asks for. */
export type Candidate = {
  deliveryId: string
  position: number
  index: number
  scriptId: string
  providerId: ProviderId
  status: Status
}

/** Some of what a filter asks for, in the order the events came; `reached` where there may be more after it. */
export type Candidates = { rows: Candidate[]; reached?: string }

/** What a slice of a replay wrote: which deliveries are due again, and how the replay stands after it. */
export type ReplayStep = Pick<ReplayRecord, 'state' | 'tally'> &
  Partial<Pick<ReplayRecord, 'startedAt' | 'endedAt' | 'reached'>> & { again?: readonly Candidate[]; nextAt?: number }

/** Deliveries that are made again. */
export type Replays = {
  get(replayId: string): Promise<ReplayRecord | undefined>
  list(tagId: string, page: PageOf): Promise<Page<ReplayRecord>>
  /** Those that have not ended, oldest first. */
  open(): Promise<ReplayRecord[]>
  /** Looks at no more than `limit` events. */
  candidates(tagId: string, filter: ReplayFilter, after: string | undefined, limit: number): Promise<Candidates>
  /**
   * Writes a slice, all or nothing. What is due again is `pending` in the lane of replays: its attempts go on counting, its
   * schedule begins anew. One that was stopped meanwhile stays `stopping`.
   */
  step(replayId: string, step: ReplayStep): Promise<void>
  /** Lets what is pending, and no attempt of it under way, stand as it stood before. */
  takeBack(replayId: string): Promise<void>
  /** How a delivery stands. */
  stands(deliveryId: string): Promise<{ status: Status; reason?: Reason } | undefined>
  /** Up to `most` deliveries of it that are pending, by script. */
  pending(replayId: string, most: number): Promise<Record<string, number>>
}
