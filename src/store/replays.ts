import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Replay, ReplayableStatus } from '#contract/replay.ts'
import type { PageRequest, ResultPage } from './cursor.ts'

/** Selects the deliveries to replay. Times are epoch ms. Events are identified by position, never by event id. */
export type ReplayFilter = {
  statuses: readonly ReplayableStatus[]
  from?: number
  to?: number
  eventNames?: readonly string[]
  scriptIds?: readonly string[]
  /** Only these events. */
  places?: readonly EventPosition[]
}
export type EventPosition = readonly [position: number, index: number]

/** The counts of one script. `left`: the number of deliveries that are not sent, by reason. */
export type ReplayCounts = { matched: number; replayed: number; left: Partial<Record<DeliveryReason, number>> }
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
  /** The cursor after the last processed slice. */
  cursor?: string
  tally: ReplayTally
}

/** A delivery that matches the filter of a replay. */
export type ReplayCandidate = {
  deliveryId: string
  position: number
  index: number
  scriptId: string
  providerId: ProviderId
  status: DeliveryStatus
}

/** A page of matching deliveries, in order of arrival of their events. `cursor` is present if there may be more. */
export type ReplayCandidatePage = { rows: ReplayCandidate[]; cursor?: string }

/** The result of a slice of a replay: the deliveries that are due again, and the new state of the replay. */
export type ReplayProgress = Pick<ReplayRecord, 'state' | 'tally'> &
  Partial<Pick<ReplayRecord, 'startedAt' | 'endedAt' | 'cursor'>> & {
    requeued?: readonly ReplayCandidate[]
    nextAt?: number
  }

/** The replays. */
export type ReplayStore = {
  get(replayId: string): Promise<ReplayRecord | undefined>
  list(tagId: string, page: PageRequest): Promise<ResultPage<ReplayRecord>>
  /** The replays that have not ended, oldest first. */
  unfinished(): Promise<ReplayRecord[]>
  /** Scans at most `limit` events or failed deliveries. */
  candidates(
    tagId: string,
    filter: ReplayFilter,
    after: string | undefined,
    limit: number,
  ): Promise<ReplayCandidatePage>
  /**
   * Writes a slice in one transaction. The requeued deliveries are `pending` with the priority of replays: attempts
   * continue to count, and the retry schedule restarts. A replay that was stopped in the meantime stays `stopping`.
   */
  saveProgress(replayId: string, step: ReplayProgress): Promise<void>
  /** Restores the earlier states of the replay's pending deliveries that are not in flight. */
  revertPending(replayId: string): Promise<void>
  /** The state of a delivery. */
  statusOf(deliveryId: string): Promise<{ status: DeliveryStatus; reason?: DeliveryReason } | undefined>
  /** At most `limit` pending deliveries of the replay, counted by script. */
  pendingByScript(replayId: string, limit: number): Promise<Record<string, number>>
}
