import type { EventResult, TagEvent } from '#contract/event.ts'
import { eventWarnings } from './eventWarnings.ts'
import type { BodyEvent, ParsedBody } from './parseBody.ts'
import type { EventContext } from './record.ts'

export type DraftResults = { isArray: boolean; results: EventResult[] }

/**
 * `namesNoUser`: the call comes from a server, without a user id and without an access token. `notes`: warnings about the
 * whole call, reported with its first event.
 */
type WarningOptions = { brand: string; namesNoUser: boolean; notes?: readonly string[] }

/**
 * The result of each event of a body, in order, assuming that no accepted event is a duplicate. The warning that
 * e-mails identify no user is given once per request: repeated, it would be most of the answer.
 */
export function draftResults(
  { isArray, events }: ParsedBody,
  { userId, userIds }: Pick<EventContext, 'userId' | 'userIds'>,
  { brand, namesNoUser, notes = [] }: WarningOptions,
): DraftResults {
  const firstUnnamed = namesNoUser ? events.find(({ event }) => event && hasEmail(event)) : undefined
  const firstAccepted = notes.length > 0 ? events.find(({ event }) => event) : undefined
  const results = events.map((each, index) => {
    const eventUserId = userIds?.[index] ?? userId
    if (!each.event) return rejected(each, eventUserId)
    const warnings = warningsOf(each, brand)
    if (each === firstAccepted) warnings.push(...notes)
    if (each === firstUnnamed) warnings.push(newUserWarning(brand))
    return accepted(each.event, eventUserId, warnings)
  })
  return { isArray, results }
}

/** Sets the status of duplicates. `isNew`: per accepted event, in order, false for a duplicate. */
export function markDuplicates({ results }: DraftResults, isNew: readonly boolean[]): void {
  let acceptedCount = 0
  for (const result of results)
    if (result.status === 'accepted' && isNew[acceptedCount++] !== true) result.status = 'duplicate'
}

type AcceptedBodyEvent = Extract<BodyEvent, { event: TagEvent }>

const accepted = ({ eventId }: TagEvent, userId: string, warnings: string[]): EventResult =>
  warnings.length > 0 ? { eventId, userId, status: 'accepted', warnings } : { eventId, userId, status: 'accepted' }

/** Returns a new list. */
function warningsOf({ event, warnings: changes }: AcceptedBodyEvent, brand: string): string[] {
  const own = eventWarnings(event, brand)
  return changes ? [...changes, ...own] : own
}

const hasEmail = ({ userEmail, data }: TagEvent) => userEmail !== undefined || data?.userEmail !== undefined

const newUserWarning = (brand: string) =>
  `userEmail does not identify a user without an access token, so this event has a new user. ` +
  `Send the header ${brand}UserId, or Authorization and Team-Id`

const rejected = ({ eventId, issues }: Extract<BodyEvent, { event?: never }>, userId: string): EventResult => ({
  eventId,
  userId,
  status: 'rejected',
  message: issues.map(({ path, message }) => `${path || 'the event'} ${message}`).join('; '),
})
