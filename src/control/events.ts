import { fault } from '#contract/fault.ts'
import type { EventRow, Journey } from '#contract/journey.ts'
import type { operations } from '#contract/operations.ts'
import { type EventRecord, eventsOf, openRecord, userOf } from '#event/record.ts'
import type { Answer } from '#http/bind.ts'
import type { JournalEvent, PlannedEvent, TagRecord } from '#store/store.ts'
import type { EventPlace } from '#stream/stream.ts'
import { pageOf } from './page.ts'
import { knownTag } from './tags.ts'
import type { ControlWorld } from './world.ts'

type Operations = typeof operations

/** The body an event came in and what the door knew of it; undefined once it is no longer kept. */
async function recordAt(on: ControlWorld, tag: TagRecord, position: number): Promise<EventRecord | undefined> {
  const kept = await on.stream.read(position)
  return kept?.tagId === tag.tagId ? openRecord(kept.payload, tag.tagId, tag.teamId, on.keys) : undefined
}

const eventAt = (record: EventRecord | undefined, index: number) =>
  record && (eventsOf(record.body)[index] as { eventId: string; eventName: string } | undefined)

/**
 * The journal knows an event by its place; its id is in its body. Events of one body stand side by side, so each body
 * is opened once and one is held at a time. An event whose body is no longer kept has no name to be asked by: left out.
 */
export async function eventRows(
  on: ControlWorld,
  tag: TagRecord,
  rows: readonly Omit<PlannedEvent, 'deliveries' | 'held'>[],
): Promise<EventRow[]> {
  const events: EventRow[] = []
  let open: { position: number; record: EventRecord | undefined } | undefined
  for (const { position, index, eventName, userId, receivedAt } of rows) {
    if (open?.position !== position) open = { position, record: await recordAt(on, tag, position) }
    const event = eventAt(open.record, index)
    if (event) events.push({ eventId: event.eventId, eventName, userId, receivedAt })
  }
  return events
}

export const listEvents: Answer<Operations['listEvents'], ControlWorld> = async ({ params, query, access }, on) => {
  const tag = await knownTag(on, access, params.tagId)
  const { rows, next } = await on.store.journal.events(tag.tagId, pageOf(query))
  return { events: await eventRows(on, tag, rows), ...(next !== undefined && { next }) }
}

/** A planned event, as the journal has it. */
const planned = (
  eventId: string,
  { eventName, userId, receivedAt, consent, place, deliveries }: JournalEvent,
): Journey => ({
  eventId,
  eventName,
  userId,
  receivedAt,
  consent,
  place,
  deliveries: deliveries.map(({ deliveryId, scriptId, providerId, status, reason, nextAt, attempts }) => ({
    deliveryId,
    scriptId,
    providerId,
    status,
    ...(reason !== undefined && { reason }),
    ...(nextAt !== undefined && { nextAt }),
    attempts: attempts.map(({ at, durationMs, httpStatus, message }) => ({
      at,
      durationMs,
      ...(httpStatus !== undefined && { status: httpStatus }),
      ...(message !== undefined && { message }),
    })),
  })),
})

/** An event that is accepted and not planned yet: nothing has been decided. */
async function waiting(
  on: ControlWorld,
  tag: TagRecord,
  { position, index }: EventPlace,
): Promise<Journey | undefined> {
  const record = await recordAt(on, tag, position)
  const event = eventAt(record, index)
  if (!record || !event) return undefined
  const { receivedAt } = record.context
  const userId = userOf(record.context, index)
  return { eventId: event.eventId, eventName: event.eventName, userId, receivedAt, deliveries: [] }
}

export const readEvent: Answer<Operations['readEvent'], ControlWorld> = async ({ params, access }, on) => {
  const tag = await knownTag(on, access, params.tagId)
  const place = await on.stream.find(on.keys.team(tag.teamId).eventKey(tag.tagId, params.eventId))
  if (!place) throw fault('eventUnknown')
  const event = await on.store.journal.event(tag.tagId, place.position, place.index)
  const journey = event ? planned(params.eventId, event) : await waiting(on, tag, place)
  if (!journey) throw fault('eventUnknown')
  return journey
}
