import type { EventResult, TagEvent } from '#contract/event.ts'
import type { BodyEvent, ParsedBody } from './parseBody.ts'
import { unknownProviderNames } from './providerSelection.ts'
import type { EventContext } from './record.ts'

/** The result of each event of a body, in order, under the assumption that no accepted event is a duplicate. */
export type DraftResults = { isArray: boolean; results: EventResult[] }

export const draftResults = (
  { isArray, events }: ParsedBody,
  { userId, userIds }: Pick<EventContext, 'userId' | 'userIds'>,
): DraftResults => ({
  isArray,
  results: events.map((each, index) => {
    const eventUserId = userIds?.[index] ?? userId
    return each.event ? accepted(each.event, eventUserId) : rejected(each, eventUserId)
  }),
})

/** Sets the status of the duplicates. `isNew`: for each accepted event, in order, false for a duplicate. */
export function markDuplicates({ results }: DraftResults, isNew: readonly boolean[]): void {
  let acceptedCount = 0
  for (const result of results)
    if (result.status === 'accepted' && isNew[acceptedCount++] !== true) result.status = 'duplicate'
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
