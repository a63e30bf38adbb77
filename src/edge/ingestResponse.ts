import type { EventResult, TagEvent } from '#contract/event.ts'
import { fault } from '#contract/fault.ts'
import type { BodyEvent, ParsedBody } from '#event/parseBody.ts'
import { unknownProviderNames } from '#event/providerSelection.ts'
import type { EdgeCall } from './edge.ts'
import type { RequestUsers } from './identifyUser.ts'

/** The result of each event of a body, in order, under the assumption that no accepted event is a duplicate. */
export type DraftResults = { isArray: boolean; results: EventResult[] }

export const draftResults = ({ isArray, events }: ParsedBody, { userId, userIds }: RequestUsers): DraftResults => ({
  isArray,
  results: events.map((each, index) => {
    const eventUserId = userIds?.[index] ?? userId
    return each.event ? accepted(each.event, eventUserId) : rejected(each, eventUserId)
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
 */
type AppendResult = { isNew: readonly boolean[]; deliveries?: NonNullable<EventResult['deliveries']> }

/** The response as JSON: the result of each event of the body. */
export function ingestResponse(
  { edge, tag }: EdgeCall,
  { isArray, results }: DraftResults,
  { isNew, deliveries }: AppendResult,
): string {
  let acceptedCount = 0
  for (const result of results) {
    if (result.status === 'accepted' && isNew[acceptedCount++] !== true) result.status = 'duplicate'
    edge.events[result.status].add()
    edge.deps.intakeLog.countEvents(tag.tagId, result.status, 1)
  }
  return JSON.stringify({ result: isArray ? results : { ...results[0], ...(deliveries && { deliveries }) } })
}

function accepted({ eventId, providers }: TagEvent, userId: string): EventResult {
  const status = 'accepted'
  const warnings = unknownProviderNames(providers).map(warning)
  return warnings.length > 0 ? { eventId, userId, status, warnings } : { eventId, userId, status }
}

const warning = (name: string) => `providers names ${JSON.stringify(name.slice(0, 100))}, which is no provider`

const rejected = ({ eventId, issues }: Extract<BodyEvent, { event?: never }>, userId: string): EventResult => ({
  eventId,
  userId,
  status: 'rejected',
  message: issues.map(({ path, message }) => `${path || 'the event'} ${message}`).join('; '),
})
