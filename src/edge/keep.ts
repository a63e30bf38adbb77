import { dedupKeys } from '#event/dedupKeys.ts'
import type { ReadBody } from '#event/read.ts'
import type { EventContext } from '#event/record.ts'
import type { Unit } from './bundle.ts'
import type { Call } from './edge.ts'
import { overloaded } from './gate.ts'
import type { People } from './people.ts'

const retryAfterSeconds = 5

/** What came, when, and what it is where it is no event. */
export type Received = { body: Buffer; receivedAt: number; kind?: NonNullable<EventContext['kind']> }

/**
 * Keeps the events that were taken, durably, and says for each of them whether it is fresh. Of a refused event nothing
 * is kept: a body that holds one is written anew without it. Throws overloaded when they cannot be kept.
 */
export async function keep(call: Call, read: ReadBody, people: People, { body, receivedAt, kind }: Received) {
  const taken = read.events.flatMap(({ event }) => event ?? [])
  if (taken.length === 0) return []
  const isWhole = taken.length === read.events.length
  const context = contextOf(call, isWhole ? people : ofTaken(people, read), receivedAt)
  if (kind) context.kind = kind
  const eventIds = taken.map(({ eventId }) => eventId)
  return append(call, {
    part: { context, body: isWhole ? body : Buffer.from(JSON.stringify(taken)) },
    ...dedupKeys(eventIds, context, call.edge.on.keys),
  })
}

/** A disk that is full or fails is nobody's fault and may pass: the sender comes again. */
async function append({ edge, tag }: Call, unit: Unit): Promise<readonly boolean[]> {
  try {
    return await edge.bundle(tag, unit)
  } catch (error) {
    const { tagId } = tag
    const events = unit.keys.length
    edge.on.log({ level: 'error', message: 'events could not be kept and were refused', tagId, events, error })
    throw overloaded(retryAfterSeconds)
  }
}

/** The users of the events that were taken, in the places that these have in what is kept. */
const ofTaken = ({ userIds, ...people }: People, { events }: ReadBody): People =>
  userIds ? { ...people, userIds: userIds.filter((_, place) => events[place]?.event) } : people

/** What the worker will decide from: written down now, because a request is gone when it is answered. */
function contextOf({ edge, tag, request, trusted }: Call, people: People, receivedAt: number): EventContext {
  const { tagId, teamId } = tag
  const { 'user-agent': userAgent, 'sec-gpc': gpc, origin } = request.headers
  const { userId, presented, userIds } = people
  const ip = edge.addressOf(request)
  const context: EventContext = { tagId, teamId, userId, presented, trusted, receivedAt }
  if (userIds) context.userIds = userIds
  if (ip) context.ip = ip
  if (userAgent) context.userAgent = userAgent
  if (origin) context.origin = origin
  const place = edge.placeOf(request)
  if (place) context.place = place
  if (gpc === '1') context.gpc = true
  return context
}
