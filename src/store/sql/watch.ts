import type { DeliveryRecord } from '#store/deliveryQueries.ts'
import type { RecentEvents, WatchRequest, WatchResult } from '#store/journalQueries.ts'
import type { EventRef } from '#store/plannedEvent.ts'
import { compareOpen, maxWatchedRows } from '#store/watchChanges.ts'
import { createDeliveryReads } from './deliveryReads.ts'
import type { Dialect } from './dialect.ts'
import { createEventReads } from './eventReads.ts'
import { readNewestEvent } from './lookups.ts'
import type { Read } from './read.ts'

/**
 * New events for a watcher, in order. `late`: those that became visible after later ones. `recent`: state for the next
 * poll, on a database where events may be late.
 */
type NewEvents = { refs: EventRef[]; late: EventRef[]; recent?: RecentEvents }

/** Reads up to `events` events, and up to `maxCountedBehind` more that are only counted. */
export type ReadNewEvents = (
  tagId: string,
  request: Pick<WatchRequest, 'after' | 'events' | 'recent'>,
) => Read<NewEvents>

export const refKey = ({ position, index }: EventRef): string => `${position} ${index}`
export const compareRefs = (one: EventRef, other: EventRef): number =>
  one.position - other.position || one.index - other.index
const toKey = ({ position, index }: EventRef) => ({ position, idx: index })

const eventsPerRead = 50

/** Reads the changes of a tag since an event. */
export function readChanges(dialect: Dialect, readNewEvents: ReadNewEvents) {
  const deliveries = createDeliveryReads(dialect)
  const eventReads = createEventReads(dialect)
  const newestEvent = readNewestEvent(dialect)

  /** The deliveries of the first events, up to `limit`. */
  function* readWatched(tagId: string, refs: readonly EventRef[], limit: number) {
    const rows: DeliveryRecord[] = []
    let count = 0
    while (count < Math.min(limit, refs.length) && rows.length < maxWatchedRows) {
      const group = refs.slice(count, Math.min(limit, count + eventsPerRead))
      rows.push(...(yield* deliveries.records(tagId, yield* deliveries.at(tagId, group.map(toKey)))))
      count += group.length
    }
    return { rows, count }
  }
  return function* (tagId: string, request: WatchRequest): Read<WatchResult> {
    const { open, after, events, hasEvents, isContinued } = request
    const openIds = [...new Set(open.map(({ deliveryId }) => deliveryId))]
    const opened = compareOpen(open, yield* deliveries.withIds(tagId, openIds))
    const { refs, late, recent } = yield* readNewEvents(tagId, request)
    const { rows, count } = yield* readWatched(tagId, refs, events)
    const keys = new Set(recent?.keys)
    if (isContinued) for (const ref of late.slice(count)) keys.delete(refKey(ref))
    const returned = refs.slice(0, count)
    const listed = hasEvents ? yield* eventReads.listed(yield* eventReads.at(tagId, returned.map(toKey))) : []
    const end = returned.at(-1)
    // Late events come before the last one that an earlier poll returned.
    const last = end && after && compareRefs(end, after) < 0 ? after : end
    const more = refs.length - count
    const newest = more > 0 ? yield* newestEvent(tagId) : undefined
    return {
      ...opened,
      listed,
      rows,
      more,
      ...(recent && { recent: { ...recent, keys } }),
      ...(last && { last }),
      ...(newest && { newest }),
    }
  }
}
