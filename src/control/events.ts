import { fault } from '#contract/fault.ts'
import type { EventRow, Journey } from '#contract/journey.ts'
import type { operations } from '#contract/operations.ts'
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
    if (kept) events.push({ eventId: kept.event.eventId, eventName, userId, receivedAt })
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
  { eventName, userId, receivedAt, consent, place, deliveries }: JournalEvent,
  exchangesAt: ExchangesAt,
): Journey => ({
  eventId,
  eventName,
  userId,
  receivedAt,
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
    attempts: attempts.map(({ at, durationMs, httpStatus, message, bodies }) => ({
      at,
      durationMs,
      ...(httpStatus !== undefined && { status: httpStatus }),
      ...(message !== undefined && { message }),
      ...exchangesAt(bodies),
    })),
  })),
})

/** An event that is accepted and not planned yet: nothing has been decided. */
async function waiting(
  on: ControlWorld,
  tag: TagRecord,
  { position, index }: EventPlace,
): Promise<Journey | undefined> {
  const kept = (await eventsAt(on, tag, position))[index]
  if (!kept) return undefined
  const { event, context, userId } = kept
  return { eventId: event.eventId, eventName: event.eventName, userId, receivedAt: context.receivedAt, deliveries: [] }
}

export const readEvent: Answer<Operations['readEvent'], ControlWorld> = async ({ params, access }, on) => {
  const tag = await knownTag(on, access, params.tagId)
  const place = await on.stream.find(on.keys.team(tag.teamId).eventKey(tag.tagId, params.eventId))
  if (!place) throw fault('eventUnknown')
  const event = await on.store.journal.event(tag.tagId, place.position, place.index)
  const journey = event
    ? planned(params.eventId, event, await exchangesOf(on, tag, event))
    : await waiting(on, tag, place)
  if (!journey) throw fault('eventUnknown')
  return journey
}
