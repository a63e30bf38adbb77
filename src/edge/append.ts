import { dedupKeys } from '#event/dedupKeys.ts'
import type { ParsedBody } from '#event/parseBody.ts'
import type { EventContext } from '#event/record.ts'
import type { AppendItem } from './appendBatcher.ts'
import type { EdgeCall } from './edge.ts'
import type { RequestUsers } from './identifyUser.ts'
import { overloaded } from './requestGuards.ts'

const retryAfterSeconds = 5

/** The body of a request and its time of arrival (epoch ms). `kind` is set where the body is not an event. */
export type ReceivedBody = { body: Buffer; receivedAt: number; kind?: NonNullable<EventContext['kind']> }

/**
 * Appends the accepted events to the stream, durably. Resolves to one boolean for each accepted event: false for a
 * duplicate. Rejected events are not stored: a body that holds one is serialized again without it. Throws overloaded
 * when the append fails.
 */
export async function appendEvents(
  call: EdgeCall,
  read: ParsedBody,
  users: RequestUsers,
  { body, receivedAt, kind }: ReceivedBody,
) {
  const accepted = read.events.flatMap(({ event }) => event ?? [])
  if (accepted.length === 0) return []
  const isWhole = accepted.length === read.events.length
  const context = contextOf(call, isWhole ? users : ofAccepted(users, read), receivedAt)
  if (kind) context.kind = kind
  const eventIds = accepted.map(({ eventId }) => eventId)
  return appendOrRefuse(call, {
    part: { context, body: isWhole ? body : Buffer.from(JSON.stringify(accepted)) },
    ...dedupKeys(eventIds, context, call.edge.deps.keys),
  })
}

/** A full or failing disk may recover, so the sender is asked to retry. */
async function appendOrRefuse({ edge, tag }: EdgeCall, unit: AppendItem): Promise<readonly boolean[]> {
  try {
    return await edge.append(tag, unit)
  } catch (error) {
    const { tagId } = tag
    const events = unit.keys.length
    edge.deps.log({
      level: 'error',
      message: 'events could not be appended to the stream; the request was refused with OVERLOADED',
      tagId,
      events,
      error,
    })
    throw overloaded(retryAfterSeconds)
  }
}

/** The users of the accepted events, in the order in which these events are stored. */
const ofAccepted = ({ userIds, ...user }: RequestUsers, { events }: ParsedBody): RequestUsers =>
  userIds ? { ...user, userIds: userIds.filter((_, index) => events[index]?.event) } : user

/** The facts of the request that are stored with its body. The delivery worker decides from them. */
function contextOf({ edge, tag, request, trusted }: EdgeCall, users: RequestUsers, receivedAt: number): EventContext {
  const { tagId, teamId } = tag
  const { 'user-agent': userAgent, 'sec-gpc': gpc, origin } = request.headers
  const { userId, hasExplicitUserId, userIds } = users
  const ip = edge.addressOf(request)
  const context: EventContext = { tagId, teamId, userId, hasExplicitUserId, trusted, receivedAt }
  if (userIds) context.userIds = userIds
  if (ip) context.ip = ip
  if (userAgent) context.userAgent = userAgent
  if (origin) context.origin = origin
  const place = edge.cdnLocationOf(request)
  if (place) context.place = place
  if (gpc === '1') context.gpc = true
  return context
}
