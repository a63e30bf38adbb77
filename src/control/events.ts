import { fault } from '#contract/fault.ts'
import type { EventRow, Journey } from '#contract/journey.ts'
import type { operations } from '#contract/operations.ts'
import { placesOfId } from '#event/dedupKeys.ts'
import { eventsIn, type KeptEvent, openRecord } from '#event/record.ts'
import type { Answer } from '#http/bind.ts'
import { breathing } from '#kit/breath.ts'
import type { FoundEvent } from '#store/queries.ts'
import type { JournalEvent, TagRecord } from '#store/store.ts'
import type { EventPlace } from '#stream/stream.ts'
import { type ExchangesAt, exchangesOf } from './exchanges.ts'
import { pageOf } from './page.ts'
import { openInTurn, takeSearch } from './search.ts'
import { knownTag } from './tags.ts'
import type { ControlWorld } from './world.ts'

type Operations = typeof operations

type Caller = NonNullable<Journey['caller']>
const callerOf = ({ context }: KeptEvent): Caller => (context.trusted ? 'trusted' : 'untrusted')

/** The events that lie together at a position; none once they are no longer kept. */
export async function eventsAt(on: ControlWorld, tag: TagRecord, position: number): Promise<readonly KeptEvent[]> {
  const kept = await on.stream.read(position)
  return kept?.tagId === tag.tagId ? eventsIn(openRecord(kept.payload, tag.tagId, tag.teamId, on.keys)) : []
}

/**
 * The journal knows an event by its place; its id is in its body. Events of one body stand side by side, so each body
 * is opened once and one is held at a time. An event whose body is no longer kept has no name to be asked by: left out.
 */
export const eventRows = (on: ControlWorld, tag: TagRecord, rows: readonly FoundEvent[]): Promise<EventRow[]> =>
  openInTurn(on, tag.teamId, () => rowsOf(on, tag, rows))

async function rowsOf(on: ControlWorld, tag: TagRecord, rows: readonly FoundEvent[]): Promise<EventRow[]> {
  const events: EventRow[] = []
  const breathe = breathing(on.clock)
  let open: { position: number; events: readonly KeptEvent[] } | undefined
  for (const { position, index, eventName, userId, receivedAt } of rows) {
    if (open?.position !== position) open = { position, events: await eventsAt(on, tag, position) }
    const kept = open.events[index]
    if (kept) events.push({ eventId: kept.event.eventId, eventName, userId, receivedAt, caller: callerOf(kept) })
    await breathe()
  }
  return events
}

export const listEvents: Answer<Operations['listEvents'], ControlWorld> = async ({ params, query, access }, on) => {
  const tag = await knownTag(on, access, params.tagId)
  using _search = takeSearch(on, tag.teamId)
  const { rows, next } = await on.store.queries(tag.teamId).events(tag.tagId, pageOf(query))
  return { events: await eventRows(on, tag, rows), ...(next !== undefined && { next }) }
}

/** A planned event, as the journal has it. */
const planned = (
  eventId: string,
  { eventName, userId, receivedAt, joined, consent, place, deliveries }: JournalEvent,
  exchangesAt: ExchangesAt,
): Journey => ({
  eventId,
  eventName,
  userId,
  receivedAt,
  ...(joined !== undefined && { joined: { by: 'email', userId: joined } }),
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
    attempts: attempts.map(({ at, durationMs, httpStatus, message, joined: lender, bodies }) => ({
      at,
      durationMs,
      ...(httpStatus !== undefined && { status: httpStatus }),
      ...(message !== undefined && { message }),
      ...(lender !== undefined && { joined: { by: 'email' as const, userId: lender } }),
      ...exchangesAt(bodies),
    })),
  })),
})

/** An event that is accepted and not planned yet: nothing has been decided. */
const waiting = ({ event, context, userId }: KeptEvent): Journey => ({
  eventId: event.eventId,
  eventName: event.eventName,
  userId,
  receivedAt: context.receivedAt,
  deliveries: [],
})

/** One of the events that have an id. `kept` is absent once the event itself is no longer kept. */
type Found = { place: EventPlace; kept: KeptEvent | undefined }

/** Of the events of an id that of the asked caller; the trusted one where nobody is asked for. */
function chosen(found: readonly Found[], caller: Caller | undefined): Found | undefined {
  if (!caller) return found[0]
  const inSpace = caller === 'trusted' || found.length === 1 ? found[0] : found[1]
  return found.find(({ kept }) => kept && callerOf(kept) === caller) ?? (inSpace?.kept ? undefined : inSpace)
}

export const readEvent: Answer<Operations['readEvent'], ControlWorld> = async ({ params, query, access }, on) => {
  const tag = await knownTag(on, access, params.tagId)
  const found: Found[] = []
  for (const place of await placesOfId(params.eventId, tag, on))
    found.push({ place, kept: (await eventsAt(on, tag, place.position))[place.index] })
  const one = chosen(found, query.caller)
  if (!one) throw fault('eventUnknown')
  const { place, kept } = one
  const event = await on.store.journal.event(tag.tagId, place.position, place.index)
  if (!event && !kept) throw fault('eventUnknown')
  const journey = event ? planned(params.eventId, event, await exchangesOf(on, tag, event)) : waiting(kept!)
  return { ...journey, ...(kept && { caller: callerOf(kept) }), ...(found.length > 1 && { sameId: true }) }
}
