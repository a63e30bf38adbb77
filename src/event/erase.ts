import type { Keyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import { eventsOf, openRecord, type Part, sealRecord } from './record.ts'

/** Stands where the id of a user was that has been erased. No id that a caller can present is written so. */
export const nobody = '(erased)'

/** What is left of an event: enough to be found and to say that it was erased. */
const stub = ({ eventId, eventName, timestamp }: TagEvent) => ({ eventId, eventName, timestamp })

/**
 * What a request brought without the events at these places of its body: without all of them where the whole body came
 * from this one user, because a repeat that stands in it tells the same again.
 */
export function eraseEvents({ context, body }: Part, userId: string | undefined, places: readonly number[]): Part {
  const events = eventsOf(body) as readonly TagEvent[]
  const isOfOne = context.userIds === undefined && context.userId === userId
  const gone = new Set([...(context.erased ?? []), ...(isOfOne ? events.keys() : places)])
  if (gone.size === (context.erased?.length ?? 0)) return { context, body }
  const left = events.map((event, place) => (gone.has(place) ? stub(event) : event))
  const erased = [...gone].sort((one, other) => one - other)
  const { ip: _, userAgent: __, place: ___, userIds, ...rest } = context
  const kept = {
    ...(gone.size === events.length ? { ...rest, userId: nobody } : context),
    ...(userIds && { userId: nobody, userIds: userIds.map((each, place) => (gone.has(place) ? nobody : each)) }),
    erased,
  }
  return { context: kept, body: Array.isArray(body) ? left : left[0] }
}

/** A payload of the stream without the events at these indexes, and without all that came from this user alone: sealed anew. */
export function withoutEvents(
  payload: Uint8Array,
  { tagId, teamId }: { tagId: string; teamId: string },
  { userId, indexes }: { userId?: string; indexes: readonly number[] },
  keys: Keyring,
): Uint8Array {
  let first = 0
  const left = openRecord(payload, tagId, teamId, keys).map((part) => {
    const begin = first
    first += eventsOf(part.body).length
    const places = indexes.filter((index) => index >= begin && index < first).map((index) => index - begin)
    const { context, body } = eraseEvents(part, userId, places)
    return { context, body: Buffer.from(JSON.stringify(body)) }
  })
  return sealRecord(left, { tagId, teamId }, keys)
}
