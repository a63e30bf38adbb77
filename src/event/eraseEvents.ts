import type { Keyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import { eventsOf, openRecord, type RecordPart, sealRecord } from './record.ts'

/** Replaces the id of an erased user. No id that a caller can send has parentheses. */
export const erasedUserId = '(erased)'

/** The remains of an erased event: enough to find it and to show that it was erased. */
const erasedStub = ({ eventId, eventName, timestamp }: TagEvent) => ({ eventId, eventName, timestamp })

/**
 * Erases the events at these indexes of a body. If every event of the body belongs to this user, erases all of them,
 * because a duplicate in the body may contain the same personal data.
 */
export function eraseEvents(
  { context, body }: RecordPart,
  userId: string | undefined,
  indexes: readonly number[],
): RecordPart {
  const events = eventsOf(body) as readonly TagEvent[]
  const isOfOneUser = context.userIds === undefined && context.userId === userId
  const erasedIndexes = new Set([...(context.erased ?? []), ...(isOfOneUser ? events.keys() : indexes)])
  if (erasedIndexes.size === (context.erased?.length ?? 0)) return { context, body }
  const remaining = events.map((event, index) => (erasedIndexes.has(index) ? erasedStub(event) : event))
  const erased = [...erasedIndexes].sort((one, other) => one - other)
  const { ip: _, userAgent: __, place: ___, userIds, ...rest } = context
  const remainingContext = {
    ...(erasedIndexes.size === events.length ? { ...rest, userId: erasedUserId } : context),
    ...(userIds && {
      userId: erasedUserId,
      userIds: userIds.map((each, index) => (erasedIndexes.has(index) ? erasedUserId : each)),
    }),
    erased,
  }
  return { context: remainingContext, body: Array.isArray(body) ? remaining : remaining[0] }
}

/**
 * Reseals a payload of the stream with the events at these indexes, and every body that belongs only to this user,
 * erased.
 */
export function purgeEvents(
  payload: Uint8Array,
  { tagId, teamId }: { tagId: string; teamId: string },
  { userId, indexes }: { userId?: string; indexes: readonly number[] },
  keys: Keyring,
): Uint8Array {
  let first = 0
  const remaining = openRecord(payload, tagId, teamId, keys).map((part) => {
    const begin = first
    first += eventsOf(part.body).length
    const partIndexes = indexes.filter((index) => index >= begin && index < first).map((index) => index - begin)
    const { context, body } = eraseEvents(part, userId, partIndexes)
    return { context, body: Buffer.from(JSON.stringify(body)) }
  })
  return sealRecord(remaining, { tagId, teamId }, keys)
}
