import type { EventRow, Journey } from '#contract/journey.ts'
import { openRecord, type RecordEvent, recordEvents } from '#event/record.ts'
import { periodicYield } from '#kit/yieldToEventLoop.ts'
import type { EventListRow } from '#store/journalQueries.ts'
import type { TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { toRowFilter } from './deliveryFilter.ts'
import { toPageRequest } from './pagination.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'
import { requireTag } from './tags.ts'

export const callerOf = ({ context }: RecordEvent): NonNullable<Journey['caller']> =>
  context.trusted ? 'trusted' : 'untrusted'

/** The events of the batch at a stream position. Empty if retention has removed the batch or it cannot be decrypted. */
export async function readEventsAt(
  deps: ControlDeps,
  tag: TagRecord,
  position: number,
): Promise<readonly RecordEvent[]> {
  const entry = await deps.stream.read(position)
  if (entry?.tagId !== tag.tagId) return []
  try {
    await deps.keys.findTeamKey(tag.teamId, entry.payload)
    return recordEvents(openRecord(entry.payload, tag.tagId, tag.teamId, deps.keys))
  } catch (error) {
    deps.log({ level: 'error', message: 'could not decrypt a record', tagId: tag.tagId, position, error })
    return []
  }
}

type ListedEvent = Omit<EventListRow, 'counts'> & Partial<Pick<EventListRow, 'counts'>>

/**
 * The journal identifies an event by its stream position; the event id is in the batch. Rows of one batch are adjacent,
 * so each batch is decrypted once and one is in memory at a time. Events whose batch was removed are left out. `describe`
 * adds fields of the event itself.
 */
export const toEventRows = <More extends object = object>(
  deps: ControlDeps,
  tag: TagRecord,
  rows: readonly ListedEvent[],
  describe?: (event: RecordEvent) => More,
): Promise<(EventRow & Partial<More>)[]> =>
  rows.length === 0 ? Promise.resolve([]) : runFairly(deps, tag.teamId, () => readEventRows(deps, tag, rows, describe))

async function readEventRows<More extends object>(
  deps: ControlDeps,
  tag: TagRecord,
  rows: readonly ListedEvent[],
  describe?: (event: RecordEvent) => More,
): Promise<(EventRow & Partial<More>)[]> {
  const events: (EventRow & Partial<More>)[] = []
  const yieldPeriodically = periodicYield(deps.clock)
  let current: { position: number; events: readonly RecordEvent[] } | undefined
  for (const { position, index, eventName, userId, receivedAt, counts } of rows) {
    if (current?.position !== position) current = { position, events: await readEventsAt(deps, tag, position) }
    const recordEvent = current.events[index]
    if (recordEvent)
      events.push({
        eventId: recordEvent.event.eventId,
        eventName,
        userId,
        receivedAt,
        caller: callerOf(recordEvent),
        ...(counts && { counts }),
        ...(describe?.(recordEvent) as Partial<More>),
      })
    await yieldPeriodically()
  }
  return events
}

export const listEvents: AnswerFor<'listEvents'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  using _search = reserveSearch(deps, tag.teamId)
  const filter = await toRowFilter(deps, { tag, access }, query)
  const { rows, next } = await deps.store.queries(tag.teamId).events(tag.tagId, filter, toPageRequest(query))
  return { events: await toEventRows(deps, tag, rows), ...(next !== undefined && { next }) }
}
