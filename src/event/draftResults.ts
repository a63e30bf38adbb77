import type { EventResult, TagEvent } from '#contract/event.ts'
import { eventWarnings } from './eventWarnings.ts'
import type { BodyEvent, ParsedBody } from './parseBody.ts'
import type { EventContext } from './record.ts'

export type DraftResults = { isArray: boolean; results: EventResult[] }

/** `namesNoUser`: the call comes from a server, without a user id and without an access token. */
export type WarningOptions = { brand: string; namesNoUser: boolean }

/** The result of each event of a body, in order, under the assumption that no accepted event is a duplicate. */
export const draftResults = (
  { isArray, events }: ParsedBody,
  { userId, userIds }: Pick<EventContext, 'userId' | 'userIds'>,
  warnings: WarningOptions,
): DraftResults => ({
  isArray,
  results: events.map((each, index) => {
    const eventUserId = userIds?.[index] ?? userId
    return each.event ? accepted(each, eventUserId, warnings) : rejected(each, eventUserId)
  }),
})

/** Sets the status of the duplicates. `isNew`: for each accepted event, in order, false for a duplicate. */
export function markDuplicates({ results }: DraftResults, isNew: readonly boolean[]): void {
  let acceptedCount = 0
  for (const result of results)
    if (result.status === 'accepted' && isNew[acceptedCount++] !== true) result.status = 'duplicate'
}

function accepted(
  { event, warnings: changes = [] }: Extract<BodyEvent, { event: TagEvent }>,
  userId: string,
  options: WarningOptions,
): EventResult {
  const { eventId } = event
  const status = 'accepted'
  const warnings = [...changes, ...warningsOf(event, options)]
  return warnings.length > 0 ? { eventId, userId, status, warnings } : { eventId, userId, status }
}

/** The warnings of an event. A server that sends only e-mails gets a new user for each event, and is told so. */
function warningsOf(event: TagEvent, { brand, namesNoUser }: WarningOptions): string[] {
  const warnings = eventWarnings(event, brand)
  if (namesNoUser && (event.userEmail !== undefined || event.data?.userEmail !== undefined))
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
