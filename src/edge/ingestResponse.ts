import type { EventResult, TagEvent } from '#contract/event.ts'
import { fault } from '#contract/fault.ts'
import { eventWarnings } from '#event/eventWarnings.ts'
import type { BodyEvent, ParsedBody } from '#event/parseBody.ts'

import type { EdgeCall } from './edge.ts'
import type { RequestUsers } from './identifyUser.ts'
import type { KnownUserIds } from './knownUsers.ts'

/** The result of each event of a body, in order, under the assumption that no accepted event is a duplicate. */
export type DraftResults = { isArray: boolean; results: EventResult[] }

export const draftResults = (call: EdgeCall, { isArray, events }: ParsedBody, users: RequestUsers): DraftResults => ({
  isArray,
  results: events.map((each, index) => {
    const userId = users.userIds?.[index] ?? users.userId
    return each.event ? accepted(each.event, userId, warningsOf(call, each.event, users)) : rejected(each, userId)
  }),
})

/** Throws badRequest, with the result of each event, for an array in which every event is rejected. */
export function refuseWhole({ edge, tag }: EdgeCall, { isArray, events }: ParsedBody, { results }: DraftResults): void {
  if (!isArray || events.some(({ event }) => event)) return
  edge.events.rejected.add(results.length)
  edge.deps.intakeLog.countEvents(tag.tagId, 'rejected', results.length)
  const issues = events.flatMap((each, index) =>
    (each.issues ?? []).map(({ path, message }) => ({ path: path ? `${index}.${path}` : `${index}`, message })),
  )
  const message = `Every event of the array is refused: ${results.length} of ${results.length}; see result.`
  throw fault('badRequest', { message, attributes: { issues }, result: results })
}

/**
 * `isNew`: for each accepted event, false for a duplicate. `deliveries`: their states, where the caller waits for them.
 * `knownUsers`: the users whom the e-mails of the events name, where the caller may know.
 */
type AppendResult = {
  isNew: readonly boolean[]
  deliveries?: NonNullable<EventResult['deliveries']>
  knownUsers?: KnownUserIds
}

/** The response as JSON: the result of each event of the body. */
export function ingestResponse(
  { edge, tag }: EdgeCall,
  { isArray, results }: DraftResults,
  { isNew, deliveries, knownUsers }: AppendResult,
): string {
  let acceptedCount = 0
  for (const [index, result] of results.entries()) {
    result.userId = knownUsers?.[index] ?? result.userId
    if (result.status === 'accepted' && isNew[acceptedCount++] !== true) result.status = 'duplicate'
    edge.events[result.status].add()
    edge.deps.intakeLog.countEvents(tag.tagId, result.status, 1)
  }
  return JSON.stringify({ result: isArray ? results : { ...results[0], ...(deliveries && { deliveries }) } })
}

function accepted({ eventId }: TagEvent, userId: string, warnings: string[]): EventResult {
  const status = 'accepted'
  return warnings.length > 0 ? { eventId, userId, status, warnings } : { eventId, userId, status }
}

/** The warnings of an event. A server that sends only e-mails gets a new user for each event, and is told so. */
function warningsOf({ edge, trusted, request }: EdgeCall, event: TagEvent, { hasExplicitUserId }: RequestUsers) {
  const { brand } = edge.deps
  const warnings = eventWarnings(event, brand)
  const isNamed = hasExplicitUserId || trusted || request.headers.origin !== undefined
  if (!isNamed && (event.userEmail !== undefined || event.data?.userEmail !== undefined))
    warnings.push(
      `userEmail names no user in a call without an access token, so this event has a new user: ` +
        `send the header ${brand}UserId, or Authorization and Team-Id`,
    )
  return warnings
}

const rejected = ({ eventId, issues }: Extract<BodyEvent, { event?: never }>, userId: string): EventResult => ({
  eventId,
  userId,
  status: 'rejected',
  message: issues.map(({ path, message }) => `${path || 'the event'} ${message}`).join('; '),
})
