import { fault } from '#contract/fault.ts'
import type { EventRow, Journey } from '#contract/journey.ts'
import type { operations } from '#contract/operations.ts'
import { placesOfId } from '#event/dedupKeys.ts'
import { openRecord, type RecordEvent, recordEvents } from '#event/record.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { periodicYield } from '#kit/yieldToEventLoop.ts'
import type { EventRecord } from '#store/journalQueries.ts'
import type { JournalEvent, TagRecord } from '#store/store.ts'
import type { EventPlace } from '#stream/stream.ts'
import type { ControlDeps } from './controlDeps.ts'
import { type ExchangesAt, loadExchanges } from './exchanges.ts'
import { toPageRequest } from './pagination.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'
import { requireTag } from './tags.ts'

type Operations = typeof operations

type Caller = NonNullable<Journey['caller']>
const callerOf = ({ context }: RecordEvent): Caller => (context.trusted ? 'trusted' : 'untrusted')

/** The events of the batch at a stream position. Empty once retention has removed the batch. */
export async function readEventsAt(
  deps: ControlDeps,
  tag: TagRecord,
  position: number,
): Promise<readonly RecordEvent[]> {
  const entry = await deps.stream.read(position)
  return entry?.tagId === tag.tagId ? recordEvents(openRecord(entry.payload, tag.tagId, tag.teamId, deps.keys)) : []
}

/**
 * The journal identifies an event by its stream position; the event id is in the batch. Rows of one batch are adjacent,
 * so each batch is decrypted once and one is in memory at a time. Events whose batch was removed are left out.
 */
export const toEventRows = (
  deps: ControlDeps,
  tag: TagRecord,
  rows: readonly EventRecord[],
  more: RowsMore = {},
): Promise<EventRow[]> => runFairly(deps, tag.teamId, () => readEventRows(deps, tag, rows, more))

/** What rows of events have beside their identity. */
type RowsMore = { hasOutcomes?: true }

async function readEventRows(
  deps: ControlDeps,
  tag: TagRecord,
  rows: readonly EventRecord[],
  { hasOutcomes }: RowsMore,
): Promise<EventRow[]> {
  const events: EventRow[] = []
  const yieldPeriodically = periodicYield(deps.clock)
  let current: { position: number; events: readonly RecordEvent[] } | undefined
  for (const { position, index, eventName, userId, receivedAt } of rows) {
    if (current?.position !== position) current = { position, events: await readEventsAt(deps, tag, position) }
    const recordEvent = current.events[index]
    if (recordEvent) {
      const row = { eventId: recordEvent.event.eventId, eventName, userId, receivedAt, caller: callerOf(recordEvent) }
      const event = hasOutcomes && (await deps.store.journal.event(tag.tagId, position, index))
      events.push(event ? { ...row, outcomes: countOutcomes(event) } : row)
    }
    await yieldPeriodically()
  }
  return events
}

/** How many deliveries of an event have each status and reason. */
function countOutcomes({ deliveries }: JournalEvent): NonNullable<EventRow['outcomes']> {
  const groups = Map.groupBy(deliveries, ({ status, reason }) => `${status} ${reason}`)
  return [...groups.values()].map(([one, ...others]) => ({
    status: one!.status,
    ...(one!.reason !== undefined && { reason: one!.reason }),
    count: others.length + 1,
  }))
}

export const listEvents: OperationAnswer<Operations['listEvents'], ControlDeps> = async (
  { params, query, access },
  deps,
) => {
  const tag = await requireTag(deps, access, params.tagId)
  using _search = reserveSearch(deps, tag.teamId)
  const { rows, next } = await deps.store.queries(tag.teamId).events(tag.tagId, toPageRequest(query))
  return { events: await toEventRows(deps, tag, rows, { hasOutcomes: true }), ...(next !== undefined && { next }) }
}

/** The journey of an event whose deliveries are planned. */
const plannedJourney = (
  eventId: string,
  { eventName, userId, receivedAt, emailMatch, consent, place, deliveries }: JournalEvent,
  exchangesAt: ExchangesAt,
): Journey => ({
  eventId,
  eventName,
  userId,
  receivedAt,
  ...(emailMatch !== undefined && { joined: { by: 'email', userId: emailMatch } }),
  consent,
  place,
  deliveries: deliveries.map(({ deliveryId, scriptId, providerId, status, reason, nextAt, replayId, attempts }) => ({
    deliveryId,
    scriptId,
    providerId,
    status,
    ...(reason !== undefined && { reason }),
    ...(nextAt !== undefined && { nextAt }),
    ...(replayId !== undefined && { replayId }),
    attempts: attempts.map(({ at, durationMs, httpStatus, message, joined, bodies }) => ({
      at,
      durationMs,
      ...(httpStatus !== undefined && { status: httpStatus }),
      ...(message !== undefined && { message }),
      ...(joined !== undefined && { joined: { by: 'email' as const, userId: joined } }),
      ...exchangesAt(bodies),
    })),
  })),
})

/** The journey of an event that is accepted and not planned yet: it has neither consent nor deliveries. */
const unplannedJourney = ({ event, context, userId }: RecordEvent): Journey => ({
  eventId: event.eventId,
  eventName: event.eventName,
  userId,
  receivedAt: context.receivedAt,
  deliveries: [],
})

/** One of the events that have an id. `recorded` is absent once retention has removed the event from the stream. */
type FoundPlace = { place: EventPlace; recorded: RecordEvent | undefined }

/** Chooses the event of the given caller, or the first one (the trusted caller's) if no caller is given. */
function chooseEvent(found: readonly FoundPlace[], caller: Caller | undefined): FoundPlace | undefined {
  if (!caller) return found[0]
  const candidate = caller === 'trusted' || found.length === 1 ? found[0] : found[1]
  return (
    found.find(({ recorded }) => recorded && callerOf(recorded) === caller) ??
    (candidate?.recorded ? undefined : candidate)
  )
}

export const readEvent: OperationAnswer<Operations['readEvent'], ControlDeps> = async (
  { params, query, access },
  deps,
) => {
  const tag = await requireTag(deps, access, params.tagId)
  const found: FoundPlace[] = []
  for (const place of await placesOfId(params.eventId, tag, deps))
    found.push({ place, recorded: (await readEventsAt(deps, tag, place.position))[place.index] })
  const chosen = chooseEvent(found, query.caller)
  if (!chosen) throw fault('eventUnknown')
  const { place, recorded } = chosen
  const event = await deps.store.journal.event(tag.tagId, place.position, place.index)
  if (!event && !recorded) throw fault('eventUnknown')
  const journey = event
    ? plannedJourney(params.eventId, event, await loadExchanges(deps, tag, event))
    : unplannedJourney(recorded!)
  return { ...journey, ...(recorded && { caller: callerOf(recorded) }), ...(found.length > 1 && { sameId: true }) }
}
