import type { Exchange } from '#contract/journey.ts'
import type { Reason, Status } from '#contract/outcome.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Issue } from '#contract/schema.ts'
import type { BodiesRef, Findings, Pack } from './found.ts'
import type { Page, PageOf } from './page.ts'
import type { EventRef, PlannedDelivery, PlannedEvent, Released } from './planned.ts'
import type { FoundEvent } from './queries.ts'

/** How soon a delivery gets its turn in its channel: first attempts go before repeated ones, and replays last. */
export const lanes = ['fresh', 'retry', 'replay'] as const
export type Lane = (typeof lanes)[number]

/** A delivery that is to be made again; `deliveryId` becomes its id where the event has none for this script yet. */
export type Replayed = EventRef & Pick<PlannedDelivery, 'deliveryId' | 'scriptId' | 'providerId'> & { nextAt: number }

/** A delivery that waits for its next attempt. */
export type DueDelivery = {
  deliveryId: string
  tagId: string
  position: number
  index: number
  scriptId: string
  providerId: ProviderId
  /** attempts begun so far */
  attempts: number
  /** those of them that do not count in the schedule */
  free: number
  nextAt: number
  receivedAt: number
  lane: Lane
  /** Deliveries of one channel that share it are made one after the other, in their order. */
  queue?: string
  /** The results of the steps that were delivered, in their order; absent where none was. */
  stepResults?: readonly (string | undefined)[]
  /** Tries in a row that came to nothing on our side: making it threw, or its process ended meanwhile. */
  spoilt?: number
}
/** A channel to which nothing is sent for a while: its vendor is down, or rejects its key. Times are epoch ms. */
export type ChannelPause = {
  scriptId: string
  tagId: string
  reason: Reason
  since: number
  /** One delivery is tried then. */
  until: number
  /** How often in a row it was paused. */
  times: number
  /** The secrets that it was paused with, as references: with others it goes on. */
  secrets: string
}
/** One attempt that has ended: `httpStatus` is absent where no answer came. `message` and bodies hold no secret. */
export type AttemptRow = {
  deliveryId: string
  number: number
  at: number
  durationMs: number
  httpStatus?: number
  message?: string
  /** The user whose click ids and cookies went along, because it claims the e-mail of the event. */
  joined?: string
  /** What went out and what came back. Given until it is packed; then `bodies` says where it lies. */
  exchanges?: readonly Exchange[]
  /** Which of the packs that are written with it, and which part of that. */
  packed?: { pack: number; part: number }
  bodies?: BodiesRef
  /** What it recorded of the event. */
  issues?: readonly Issue[]
}
/**
 * How a delivery stands after an attempt, or after it was given up. `nextAt` where it is pending again.
 * `free`: the attempt does not count in the schedule (the vendor said when to come again); `DueDelivery.free` grows by one.
 * `spoilt`: it came to nothing on our side, and `DueDelivery.spoilt` grows.
 */
export type Settled = {
  deliveryId: string
  status: Status
  reason?: Reason
  nextAt?: number
  free?: true
  spoilt?: true
  /** The results of the steps that were delivered until now. Absent: there are none, or no attempt follows. */
  stepResults?: readonly (string | undefined)[]
  /** since when (epoch ms); absent: since the attempt ended */
  at?: number
  /** whose bodies are packed together */
  tagId?: string
  attempt?: AttemptRow
}

export type JournalEvent = Omit<PlannedEvent, 'deliveries' | 'held' | 'queue'> & {
  deliveries: (PlannedDelivery & { nextAt?: number; replayId?: string; attempts: AttemptRow[] })[]
}

/** Every decision and every attempt. */
export type Journal = Findings & {
  /**
   * Writes events and deliveries; the pending ones are due from `receivedAt` on.
   * An event planned before (a crash came between) keeps its first plan.
   */
  plan(events: readonly PlannedEvent[]): Promise<void>
  /** For each script and lane with pending deliveries due after `afterMs`, when the first of those is due: one seek for each. */
  nextDue(afterMs: number): Promise<{ scriptId: string; lane: Lane; nextAt: number }[]>
  /**
   * Pending deliveries of one script whose time has come, oldest `nextAt` first: one dead channel hides no other. Of one lane,
   * or lane by lane.
   */
  due(scriptId: string, nowMs: number, limit: number, lane?: Lane): Promise<DueDelivery[]>
  /** Some of those that were due by `dueMs`, of events that were received by `receivedMs`. */
  overdue(
    scriptId: string,
    lane: Lane,
    before: { dueMs: number; receivedMs: number },
    limit: number,
  ): Promise<DueDelivery[]>
  /** Counts an attempt before it is made, and keeps the delivery from being due until `untilMs`. */
  begin(deliveries: readonly { deliveryId: string; untilMs: number }[]): Promise<void>
  /**
   * Makes due now what a worker that has ended had begun, and counts each as spoilt. Only for who knows that no other
   * is at work.
   */
  takeUp(nowMs: number): Promise<void>
  settle(outcomes: readonly Settled[], packs?: readonly Pack[]): Promise<void>
  event(tagId: string, position: number, index: number): Promise<JournalEvent | undefined>
  /** The events of a user, newest first: those that came under its id, and those that were joined to it. */
  eventsOf(tagId: string, userId: string, page: PageOf): Promise<Page<FoundEvent>>
  /** The events that wait for a consent (`PlannedEvent.held`), in the order they came. */
  held(tagId: string, waitsFor: string): Promise<EventRef[]>
  /** Some of the events that have waited for a consent long enough. */
  heldUntil(nowMs: number, limit: number): Promise<EventRef[]>
  /** Lets go of held events. What is pending now is due since its event was received: the order they came in stays. */
  release(events: readonly Released[]): Promise<void>
  /**
   * Makes deliveries due again in the lane of replays: their attempts go on counting, their schedule begins anew. Those that
   * are held or pending stay as they are; where an event has none for a script, it gets one.
   */
  replay(deliveries: readonly Replayed[]): Promise<void>
  /** The channels that are paused because of their vendor. */
  pauses(): Promise<ChannelPause[]>
  pause(pause: ChannelPause): Promise<void>
  resume(scriptId: string): Promise<void>
  /** Pending deliveries. */
  pending(): Promise<number>
}
