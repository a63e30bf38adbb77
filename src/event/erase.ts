import type { Keyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import { type EventRecord, eventsOf, openRecord, sealRecord } from './record.ts'

/** Stands where the id of a user was that has been erased. No id that a caller can present is written so. */
export const nobody = '(erased)'

/** What is left of an event: enough to be found and to say that it was erased. */
const stub = ({ eventId, eventName, timestamp }: TagEvent) => ({ eventId, eventName, timestamp })

/**
 * A record without the events at these places: without all of them where the whole body came from this one user, because
 * a repeat that stands in it tells the same again.
 */
export function eraseEvents(
  { context, body }: EventRecord,
  userId: string | undefined,
  places: readonly number[],
): EventRecord {
  const events = eventsOf(body) as readonly TagEvent[]
  const isOfOne = context.userIds === undefined && context.userId === userId
  const gone = new Set([...(context.erased ?? []), ...(isOfOne ? events.keys() : places)])
  const left = events.map((event, place) => (gone.has(place) ? stub(event) : event))
  const erased = [...gone].sort((one, other) => one - other)
  const { ip: _, userAgent: __, userIds, ...rest } = context
  const kept = {
    ...(gone.size === events.length ? { ...rest, userId: nobody } : context),
    ...(userIds && { userId: nobody, userIds: userIds.map((each, place) => (gone.has(place) ? nobody : each)) }),
    erased,
  }
  return { context: kept, body: Array.isArray(body) ? left : left[0] }
}

/** A payload of the stream without the events of a user at these places: sealed anew, without them. */
export function withoutEvents(
  payload: Uint8Array,
  { tagId, teamId }: { tagId: string; teamId: string },
  { userId, places }: { userId?: string; places: readonly number[] },
  keys: Keyring,
): Uint8Array {
  const { context, body } = eraseEvents(openRecord(payload, tagId, teamId, keys), userId, places)
  return sealRecord(context, Buffer.from(JSON.stringify(body)), keys)
}
