import type { QueryRow, Sql } from '#postgres/database.ts'
import type { DeliveryRecord } from '#store/deliveryQueries.ts'
import type { EventListRow, WatchRequest, WatchResult } from '#store/journalQueries.ts'
import type { EventRef } from '#store/plannedEvent.ts'
import { compareOpen, maxCountedBehind, maxWatchedRows } from '#store/watchChanges.ts'
import { newestOf } from './deliveryQueries.ts'
import { deliveriesOfEvents, findDeliveriesById } from './deliverySearch.ts'
import { toEventListRows } from './eventSearch.ts'

/**
 * Workers plan at once, so that an event may become visible after events with later positions. This is the longest time
 * from its plan until then.
 */
const visibleWithinMs = 5_000
const maxRecent = 20_000

/** One statement, so that both lists are of one moment. */
const selectRefs = `
  (SELECT position, idx, true AS is_later FROM event WHERE tag = $1 AND (position, idx) > ($2, $3)
    ORDER BY position, idx LIMIT $4)
  UNION ALL
  (SELECT position, idx, false FROM event
    WHERE tag = $1 AND planned_at >= (extract(epoch FROM now()) * 1000)::bigint - ${visibleWithinMs}
    ORDER BY planned_at DESC LIMIT ${maxRecent})`
const selectListed = `
  SELECT event.* FROM unnest($2::bigint[], $3::int[]) AS wanted (position, idx)
    JOIN event ON event.tag = $1 AND event.position = wanted.position AND event.idx = wanted.idx
  ORDER BY event.position, event.idx`

const keyOf = ({ position, index }: EventRef) => `${position} ${index}`
const compareRefs = (one: EventRef, other: EventRef) => one.position - other.position || one.index - other.index

type NewEvents = { refs: EventRef[]; recent: ReadonlySet<string> }

/** The events that the watcher has not got: those after `after`, and those that became visible late. */
async function readNewEvents(
  sql: Sql,
  tagId: string,
  { after, events, recent }: Pick<WatchRequest, 'after' | 'events' | 'recent'>,
): Promise<NewEvents> {
  const [position, idx] = after ? [after.position, after.index] : [-1, -1]
  const rows = await sql(selectRefs, [tagId, position, idx, events + maxCountedBehind])
  const toRef = (row: QueryRow): EventRef => ({ tagId, position: Number(row.position), index: Number(row.idx) })
  const later = rows.filter(({ is_later }) => is_later).map(toRef)
  const planned = rows.filter(({ is_later }) => !is_later).map(toRef)
  // Without the keys of a look before this one, nothing tells which earlier events it has returned.
  const late = planned.filter((ref) => recent && after && compareRefs(ref, after) <= 0 && !recent.has(keyOf(ref)))
  return { refs: [...late.sort(compareRefs), ...later], recent: new Set(planned.map(keyOf)) }
}

const eventsPerRead = 50

/** The deliveries of the first events, until there are enough. */
async function readWatched(sql: Sql, tagId: string, refs: readonly EventRef[], limit: number) {
  const rows: DeliveryRecord[] = []
  let count = 0
  while (count < Math.min(limit, refs.length) && rows.length < maxWatchedRows) {
    const group = refs.slice(count, Math.min(limit, count + eventsPerRead))
    rows.push(...(await deliveriesOfEvents(sql, tagId, group)))
    count += group.length
  }
  return { rows, count }
}

async function readListed(sql: Sql, tagId: string, refs: readonly EventRef[]): Promise<EventListRow[]> {
  const columns = [refs.map(({ position }) => position), refs.map(({ index }) => index)]
  return refs.length === 0 ? [] : toEventListRows(sql, await sql(selectListed, [tagId, ...columns]))
}

/** Reads the changes of a tag since an event. */
export async function readChanges(sql: Sql, tagId: string, request: WatchRequest): Promise<WatchResult> {
  const { open, after, events, hasEvents } = request
  const openIds = [...new Set(open.map(({ deliveryId }) => deliveryId))]
  const opened = compareOpen(open, await findDeliveriesById(sql, tagId, openIds))
  const { refs, recent } = await readNewEvents(sql, tagId, request)
  const { rows, count } = await readWatched(sql, tagId, refs, events)
  const listed = hasEvents ? await readListed(sql, tagId, refs.slice(0, count)) : []
  const returned = refs.slice(0, count).at(-1)
  // Late events are before the last one that was returned earlier.
  const last = returned && after && compareRefs(returned, after) < 0 ? after : returned
  const more = refs.length - count
  const newest = more > 0 ? await newestOf({ sql }, tagId) : undefined
  return { ...opened, listed, rows, more, recent, ...(last && { last }), ...(newest && { newest }) }
}
