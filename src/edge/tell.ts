import type { EventTaken, TagEvent } from '#contract/event.ts'
import type { ReadBody, ReadEvent } from '#event/read.ts'
import { unknownNames } from '#event/select.ts'
import type { Call } from './edge.ts'
import type { People } from './people.ts'

/** Whose the events are, which of those that were taken are fresh, and how the deliveries stand where that was waited for. */
type Kept = { people: People; fresh: readonly boolean[]; deliveries?: NonNullable<EventTaken['deliveries']> }

/** The answer as JSON: what became of each event of the body, in its order. */
export function tell({ edge }: Call, read: ReadBody, { people, fresh, deliveries }: Kept): string {
  let taken = 0
  const result = read.events.map((each, place): EventTaken => {
    const userId = people.userIds?.[place] ?? people.userId
    const told = each.event ? became(each.event, userId, fresh[taken++] === true) : rejected(each, userId)
    edge.events[told.status].add()
    return told
  })
  return JSON.stringify({ result: read.isArray ? result : { ...result[0], ...(deliveries && { deliveries }) } })
}

function became({ eventId, providers }: TagEvent, userId: string, isFresh: boolean): EventTaken {
  const status = isFresh ? 'accepted' : 'duplicate'
  const warnings = unknownNames(providers).map(warning)
  return warnings.length > 0 ? { eventId, userId, status, warnings } : { eventId, userId, status }
}

const warning = (name: string) => `providers names ${JSON.stringify(name.slice(0, 100))}, which is no provider`

const rejected = ({ eventId, issues }: Extract<ReadEvent, { event?: never }>, userId: string): EventTaken => ({
  eventId,
  userId,
  status: 'rejected',
  message: issues.map(({ path, message }) => `${path || 'the event'} ${message}`).join('; '),
})
