import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Issue } from '#contract/schema.ts'
import type { PageRequest, ResultPage } from './cursor.ts'
import type { DeliveryQueries, ExchangePack, ExchangePackRef } from './deliveryQueries.ts'
import type { EventRecord } from './journalQueries.ts'
import type { EventRef, PlannedDelivery, PlannedEvent, ReleasedEvent } from './plannedEvent.ts'

/** The priorities of deliveries in a channel: first attempts before retries before replays. */
export const priorities = ['new', 'retry', 'replay'] as const
export type Priority = (typeof priorities)[number]

/** A delivery to replay. `deliveryId`: its id if the event has no delivery for this script yet. */
export type RequeuedDelivery = EventRef &
  Pick<PlannedDelivery, 'deliveryId' | 'scriptId' | 'providerId'> & { nextAt: number }

/** A request for due deliveries of one script: of one priority, or of all, priority by priority. At most `limit`. */
export type DueRequest = { scriptId: string; priority?: Priority; limit: number }

/** A pending write of a plan. `written` resolves to false if the write was given up. */
export type PlanWrite = { isWritten: boolean; written: Promise<boolean> }

/** A delivery that waits for its next attempt. */
export type DueDelivery = {
  deliveryId: string
  tagId: string
  position: number
  index: number
  scriptId: string
  providerId: ProviderId
  /** The number of started attempts. */
  attempts: number
  /** The number of attempts that do not count in the retry schedule. */
  uncountedAttempts: number
  nextAt: number
  receivedAt: number
  priority: Priority
  /** Deliveries of a channel with the same key are sent one after the other, in order. */
  orderKey?: string
  /** The results of the delivered steps, in order; absent if there are none. */
  stepResults?: readonly (string | undefined)[]
  /** Consecutive attempts that failed on this server: building the request threw, or the process ended. */
  crashCount?: number
  /** Set if the delivery was just planned and not read from the store: its outcome must be written after its plan. */
  planned?: PlanWrite | undefined
  /** The name of its event, if it was just planned. */
  eventName?: string
  /** The slot of the delivery, if it is not the slot of its tag. */
  slot?: number
}
/** An automatically paused channel: its vendor is down, or rejects the channel's key. Times are epoch ms. */
export type ChannelPause = {
  scriptId: string
  tagId: string
  reason: DeliveryReason
  since: number
  /** When one delivery is tried as a test. */
  until: number
  /** The number of consecutive pauses. */
  times: number
  /** References to the secrets in use when the pause began. The channel resumes when they change. */
  secrets: string
}
/** An ended attempt. `httpStatus` is absent if no response came. `message` and exchanges contain no secret. */
export type AttemptRecord = {
  deliveryId: string
  number: number
  at: number
  durationMs: number
  httpStatus?: number
  message?: string
  /** The user whose click ids and cookies were also sent, because that user claims the e-mail of the event. */
  joined?: string
  /** The requests and responses, each as the JSON of an `Exchange`, until they are packed; after that, `bodies` refers to them. */
  exchanges?: readonly Uint8Array[]
  /** The index of the pack in the same call, and the part of the pack. */
  packed?: { pack: number; part: number }
  bodies?: ExchangePackRef
  /** The issues of the event that the attempt recorded. */
  issues?: readonly Issue[]
}
/**
 * The state of a delivery after an attempt, or after it was given up. `nextAt` is present if it is pending again.
 * `isUncounted`: the attempt does not count in the retry schedule (the vendor sent a retry time), and
 * `DueDelivery.uncountedAttempts` increases by one. `isCrash`: it failed on this server, and `DueDelivery.crashCount`
 * increases.
 */
export type DeliveryOutcome = {
  deliveryId: string
  /**
   * The delivery before the attempt. If it is set, the outcome counts the attempt, and may be written again after an
   * unknown result of the first write. Absent if no attempt was made.
   */
  delivery?: DueDelivery
  status: DeliveryStatus
  reason?: DeliveryReason
  nextAt?: number
  isUncounted?: true
  isCrash?: true
  /** The results of the steps delivered so far. Absent if there are none, or if no further attempt follows. */
  stepResults?: readonly (string | undefined)[]
  /** When the state began (epoch ms); default: the end of the attempt. */
  at?: number
  /** The tag; the exchanges of one tag are packed together. */
  tagId?: string
  attempt?: AttemptRecord
}

export type JournalEvent = Omit<PlannedEvent, 'deliveries' | 'held' | 'orderHash' | 'purchase' | 'orderKey'> & {
  deliveries: (PlannedDelivery & { at: number; nextAt?: number; replayId?: string; attempts: AttemptRecord[] })[]
}

/** The journal of events, deliveries and attempts. */
export type Journal = DeliveryQueries & {
  /**
   * Writes go to a log in the order of the calls, so a first attempt need not wait for the write of its plan. Only this
   * process writes.
   */
  isLogged?: true
  /**
   * Writes events and deliveries. Pending deliveries are due from `receivedAt` on. An event that was already planned,
   * before a crash, keeps its first plan.
   */
  plan(events: readonly PlannedEvent[]): Promise<void>
  /**
   * The first due time after `afterMs` of each script and priority with pending deliveries, with one index seek for
   * each. Deliveries that were passed to the dispatcher since the start may be found only with a negative `afterMs`.
   */
  nextDue(afterMs: number): Promise<{ scriptId: string; priority: Priority; nextAt: number }[]>
  /**
   * The due deliveries of each request, oldest `nextAt` first. Reading by script prevents a blocked channel from hiding
   * the others.
   */
  due(requests: readonly DueRequest[], nowMs: number): Promise<DueDelivery[][]>
  /** At most `limit` deliveries that were due by `dueMs`, from events received by `receivedMs`. */
  overdue(
    scriptId: string,
    priority: Priority,
    before: { dueMs: number; receivedMs: number },
    limit: number,
  ): Promise<DueDelivery[]>
  /** Counts an attempt before it starts, and makes the delivery not due until `untilMs`. */
  markInFlight(deliveries: readonly { deliveryId: string; untilMs: number }[]): Promise<void>
  /**
   * Makes the deliveries due that an ended worker left in flight, and increases their `crashCount`: deliveries of
   * events in these slots (`cluster/slotOf.ts`), by default in all. The caller must know that no other worker has these
   * slots.
   */
  recoverInFlight(nowMs: number, slots?: readonly number[]): Promise<void>
  settle(outcomes: readonly DeliveryOutcome[], packs?: readonly ExchangePack[]): Promise<void>
  event(tagId: string, position: number, index: number): Promise<JournalEvent | undefined>
  /** The events of a user, newest first: events with the user's id, and events that matched the user by e-mail. */
  eventsOf(tagId: string, userId: string, page: PageRequest): Promise<ResultPage<EventRecord>>
  /** The first event that was received with this user id. */
  firstEventOf(tagId: string, userId: string): Promise<EventRecord | undefined>
  /** The events that wait for this user's consent (`PlannedEvent.held`), in order of arrival. */
  heldEvents(tagId: string, waitsFor: string): Promise<EventRef[]>
  /** At most `limit` events whose wait for consent is over. */
  overdueHolds(nowMs: number, limit: number): Promise<EventRef[]>
  /**
   * Releases held events. Pending deliveries are due from the receipt of their event, which keeps the order of arrival.
   */
  release(events: readonly ReleasedEvent[]): Promise<void>
  /**
   * Makes deliveries due again with the priority of replays. Attempts continue to count, the retry schedule restarts.
   * Held and pending deliveries do not change. An event without a delivery for a script gets one.
   */
  replay(deliveries: readonly RequeuedDelivery[]): Promise<void>
  /**
   * Sets the name, user, consent and place of events that were `unreadable` when they were planned, and can be read
   * now. Other events keep their first plan.
   */
  nameUnreadable(events: readonly Omit<PlannedEvent, 'deliveries' | 'held' | 'orderKey'>[]): Promise<void>
  /** The automatically paused channels of these scripts, by default of all. */
  pauses(scriptIds?: readonly string[]): Promise<ChannelPause[]>
  pause(pause: ChannelPause): Promise<void>
  resume(scriptId: string): Promise<void>
  /** The number of pending deliveries. It may be `maxAgeMs` old, by default 0. */
  pendingCount(maxAgeMs?: number): Promise<number>
}
