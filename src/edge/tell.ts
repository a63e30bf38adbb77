import type { EventTaken, TagEvent } from '#contract/event.ts'
import { fault } from '#contract/fault.ts'
import type { ReadBody, ReadEvent } from '#event/read.ts'
import { unknownNames } from '#event/select.ts'
import type { Call } from './edge.ts'
import type { People } from './people.ts'

/** What will be said of each event of a body, in its order, if all that were taken turn out to be fresh. */
export type Foretold = { isArray: boolean; results: EventTaken[] }

export const foretell = ({ isArray, events }: ReadBody, { userId, userIds }: People): Foretold => ({
  isArray,
  results: events.map((each, place) => {
    const whose = userIds?.[place] ?? userId
    return each.event ? accepted(each.event, whose) : rejected(each, whose)
  }),
})

/** Throws badRequest, with what is said of each event, for an array of which every event is refused. */
export function refuseWhole({ edge }: Call, { isArray, events }: ReadBody, { results }: Foretold): void {
  if (!isArray || events.some(({ event }) => event)) return
  edge.events.rejected.add(results.length)
  const issues = events.flatMap((each, place) =>
    (each.issues ?? []).map(({ path, message }) => ({ path: path ? `${place}.${path}` : `${place}`, message })),
  )
  const message = `Every event of the array is refused: ${results.length} of ${results.length}; see result.`
  throw fault('badRequest', { message, attributes: { issues }, result: results })
}

/** Which of the events that were taken are fresh, and how the deliveries stand where that was waited for. */
type Kept = { fresh: readonly boolean[]; deliveries?: NonNullable<EventTaken['deliveries']> }

/** The answer as JSON: what became of each event of the body. */
export function tell({ edge }: Call, { isArray, results }: Foretold, { fresh, deliveries }: Kept): string {
  let taken = 0
  for (const result of results) {
    if (result.status === 'accepted' && fresh[taken++] !== true) result.status = 'duplicate'
    edge.events[result.status].add()
  }
  return JSON.stringify({ result: isArray ? results : { ...results[0], ...(deliveries && { deliveries }) } })
}

function accepted({ eventId, providers }: TagEvent, userId: string): EventTaken {
  const status = 'accepted'
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
