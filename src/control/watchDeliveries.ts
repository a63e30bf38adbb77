import { badRequest, Fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import type { SseMessage } from '#http/serverSentEvents.ts'
import { QueryRefused } from '#kit/queryPool.ts'
import { toQueryFault } from '#limit/queryFault.ts'
import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { DeliveryRecord } from '#store/deliveryQueries.ts'
import type { EventRef, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toDeliveryRows } from './deliveries.ts'
import { requireTag } from './tags.ts'

/** The interval of polling. Only an open stream polls. */
const pollMs = 500
/** After a slow poll, the next one waits this many times as long as the poll took. */
const restPerPoll = 4
const heartbeatMs = 15_000
/**
 * A poll reports the deliveries of at most this many new events. It reports the number of omitted events as `leftOut`.
 */
const eventsPerPoll = 200
/** Maximum unfinished deliveries whose changes a stream follows. */
const maxTracked = 1_000

/** Takes one of the team's stream slots; disposing of it frees the slot. Throws tooManyWatching. */
function reserveWatcher({ streamSlots, limits }: ControlDeps, teamId: string): Disposable {
  const slot = streamSlots.take(teamId)
  if (!slot) throw limitReached('tooManyWatching', limits.streamsPerTeam, { afterMs: 10_000 })
  return slot
}

type WatchState = {
  tag: TagRecord
  /** The newest event that is reported. */
  lastEvent: EventRef | undefined
  /** The last reported states of the unfinished deliveries, by id, oldest first. */
  unfinished: Map<string, DeliveryRecord>
  matches(row: DeliveryRecord): boolean
}

const hasEnded = ({ status }: DeliveryRecord) => status !== 'pending' && status !== 'held'

/**
 * The id to resume from: the oldest unfinished delivery, so that its end is not missed, or else after the last event.
 */
function resumeId({ unfinished, lastEvent }: WatchState): string {
  const oldest = unfinished.values().next().value
  if (oldest) return encodeCursor(oldest.position, oldest.index)
  return lastEvent ? encodeCursor(lastEvent.position, lastEvent.index + 1) : encodeCursor(0, 0)
}

function trackDelivery(watch: WatchState, row: DeliveryRecord): void {
  if (hasEnded(row)) watch.unfinished.delete(row.deliveryId)
  else if (watch.unfinished.has(row.deliveryId) || watch.unfinished.size < maxTracked)
    watch.unfinished.set(row.deliveryId, row)
}

/** The deliveries that changed since the last poll, and the number of omitted events. Throws QueryRefused. */
async function pollChanges(
  watch: WatchState,
  { store }: ControlDeps,
): Promise<{ rows: DeliveryRecord[]; omitted: number }> {
  const { tagId, teamId } = watch.tag
  const { lastEvent } = watch
  const open = [...watch.unfinished.values()].map(({ deliveryId, status, reason, at }) => {
    return { deliveryId, status, at, ...(reason && { reason }) }
  })
  const request = { open, events: eventsPerPoll, ...(lastEvent && { after: lastEvent }) }
  const { changed, gone, rows, last, more, newest } = await store.queries(teamId).watch(tagId, request)
  for (const deliveryId of gone) watch.unfinished.delete(deliveryId)
  const records = [...changed, ...rows]
  for (const row of records) trackDelivery(watch, row)
  watch.lastEvent = newest ?? last ?? watch.lastEvent
  return { rows: records.filter(watch.matches), omitted: more }
}

/** Polls, but returns nothing if all query workers are busy: the next poll finds the changes. Throws queryTooSlow. */
const pollUnlessBusy = (watch: WatchState, deps: ControlDeps) =>
  pollChanges(watch, deps).catch((problem) => {
    if (!(problem instanceof QueryRefused)) throw problem
    if (problem.why === 'tooSlow') throw toQueryFault(problem)
    return { rows: [], omitted: 0 }
  })

/** Yields changes until the caller's access ends. Throws a fault then. */
async function* streamChanges(
  watch: WatchState,
  recheckAccess: () => Promise<unknown>,
  deps: ControlDeps,
): AsyncGenerator<SseMessage> {
  let lastHeartbeatAt = deps.clock.now()
  yield { comment: 'watching' }
  for (;;) {
    const startedAt = deps.clock.now()
    const { rows, omitted } = await pollUnlessBusy(watch, deps)
    if (omitted > 0) yield { event: 'leftOut', id: resumeId(watch), data: { events: omitted } }
    for (const data of await toDeliveryRows(deps, watch.tag, rows))
      yield { event: 'delivery', id: resumeId(watch), data }
    const isHeartbeatDue = deps.clock.now() - lastHeartbeatAt >= heartbeatMs
    if (isHeartbeatDue) lastHeartbeatAt = deps.clock.now()
    yield isHeartbeatDue ? { comment: 'still here' } : {}
    await deps.clock.wait(Math.max(pollMs, restPerPoll * (deps.clock.now() - startedAt)))
    await recheckAccess()
  }
}

/** Yields changes. After a fault it yields `closed` with the reason, and ends. */
async function* streamUntilRefused(
  watch: WatchState,
  recheckAccess: () => Promise<unknown>,
  deps: ControlDeps,
): AsyncGenerator<SseMessage> {
  try {
    yield* streamChanges(watch, recheckAccess, deps)
  } catch (problem) {
    if (!(problem instanceof Fault)) throw problem
    yield { event: 'closed', data: { message: problem.message } }
  }
}

/** The position just before a `Last-Event-ID`. Throws badRequest. */
function positionBefore(tagId: string, lastEventId: string): EventRef {
  try {
    const [position, index] = decodeCursor(lastEventId, 2)
    return { tagId, position: position!, index: index! - 1 }
  } catch {
    throw badRequest({ path: 'Last-Event-ID', message: 'is not the id of an event of this stream' })
  }
}

/** The initial state of a stream: at the newest event, or at the given `Last-Event-ID`. */
async function openWatch(
  deps: ControlDeps,
  tag: TagRecord,
  lastEventId: string | undefined,
): Promise<Omit<WatchState, 'matches'>> {
  const { tagId, teamId } = tag
  const lastEvent =
    lastEventId === undefined ? await deps.store.journal.newestEvent(tagId) : positionBefore(tagId, lastEventId)
  const pending = await deps.store.queries(teamId).deliveries(tagId, { statuses: ['pending'] }, { limit: maxTracked })
  return { tag, lastEvent, unfinished: new Map(pending.rows.toReversed().map((row) => [row.deliveryId, row])) }
}

/** Streams the deliveries of a tag from now on, or from a given `Last-Event-ID`. */
export const watchDeliveries: OperationAnswer<(typeof operations)['watchDeliveries'], ControlDeps> = async (
  { params, query, access, lastEventId, recheckAccess },
  deps,
) => {
  const tag = await requireTag(deps, access, params.tagId)
  const { tagId } = tag
  const matches = ({ scriptId, status }: DeliveryRecord) =>
    (query.scriptId ?? scriptId) === scriptId && (query.status ?? status) === status
  const slot = reserveWatcher(deps, tag.teamId)
  const state = await openWatch(deps, tag, lastEventId).catch((problem) => {
    slot[Symbol.dispose]()
    throw problem
  })
  return (async function* () {
    using _ = slot
    try {
      yield* streamUntilRefused({ ...state, matches }, recheckAccess, deps)
    } catch (error) {
      deps.log({ level: 'error', message: 'a live stream of deliveries failed', tagId, error })
      throw error
    }
  })() as never
}
