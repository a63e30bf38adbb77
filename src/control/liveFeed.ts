import { randomInt } from 'node:crypto'
import type { LiveKind } from '#contract/live.ts'
import { personalTextsOfLive } from '#contract/personalTexts.ts'
import { QueryRefused } from '#kit/queryPool.ts'
import { toQueryFault } from '#limit/queryFault.ts'
import { encodeCursor } from '#store/cursor.ts'
import type { WatchRequest, WatchResult } from '#store/journalQueries.ts'
import type { EventRef, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toDeliveryRows } from './deliveries.ts'
import { toEventRows } from './events.ts'
import { type LiveChanges, openLiveChanges } from './liveChanges.ts'
import type { TagLiveMessage } from './liveMessage.ts'
import { withoutPersonalTexts } from './maskTexts.ts'

/** The minimum interval of polls. A tag without streams is not polled. */
const pollMs = 500
/** After a slow poll, the pause is this many times as long as the poll. */
const pausePerPoll = 4
/** Maximum new events per read. The messages after `leftOut` continue with the newest events. */
export const eventsPerRead = 200
/** Maximum unfinished deliveries whose changes are followed. */
const maxTracked = 1_000
/** Messages kept for streams that are slow or were cut. */
const maxKept = 5_000
/** A feed without streams is kept this long for streams that were cut and resume. */
const idleMs = 120_000

/** `since` (epoch ms of the database): all events planned before it were visible; 0: unknown, or all in order. */
export type ResumePlace = { position: number; index: number; since: number }

type Unfinished = WatchRequest['open'][number] & Pick<EventRef, 'position' | 'index'>
/** How far the events and deliveries of a tag were read. */
export type LiveCursor = {
  after: EventRef | undefined
  recent: WatchResult['recent']
  unfinished: ReadonlyMap<string, Unfinished>
}

/** A message, and the id to resume after it. `text`: the serialized message, made once for all streams. */
export type SentMessage = { id: string; message: TagLiveMessage; text?: string }

/** The live messages of one tag, read once for all streams. The last of `kept` has the number `nextSequence - 1`. */
export type LiveFeed = {
  tag: TagRecord
  /** Distinguishes this feed from an earlier one, whose message ids are unknown. */
  epoch: number
  cursor: LiveCursor | undefined
  kept: SentMessage[]
  nextSequence: number
  changes: LiveChanges
  /** The kinds that any stream has requested. They stay, for a stream that was cut and resumes. */
  wanted: Set<LiveKind>
  polling: Promise<void> | undefined
  lastPoll: { endedAt: number; tookMs: number }
  streams: number
  idleSince: number
}

/** The messages from a sequence number on; undefined if one of them was dropped. */
export function keptFrom({ kept, nextSequence }: LiveFeed, sequence: number): SentMessage[] | undefined {
  const at = sequence - (nextSequence - kept.length)
  return at < 0 ? undefined : kept.slice(at)
}

/** The unique id of a message: the feed, the sequence number, and where to resume without the feed. */
export const messageId = (epoch: number, sequence: number, { position, index, since }: ResumePlace): string =>
  encodeCursor(epoch, sequence, position, index, since)

/**
 * Where a stream without its feed resumes: at the first unfinished delivery, so that no outcome is missed, and with the
 * events planned since a time, so that none that became visible late is missed.
 */
function resumePlace({ unfinished, after, recent }: LiveCursor): ResumePlace {
  let first = after ? { position: after.position, index: after.index + 1 } : { position: 0, index: 0 }
  for (const { position, index } of unfinished.values())
    if (position < first.position || (position === first.position && index < first.index)) first = { position, index }
  return { ...first, since: recent?.since ?? 0 }
}

/** The cursor after `rows`. Deliveries that ended or were removed are no longer followed. */
function cursorAfter(before: LiveCursor['unfinished'], { changed, rows, gone = [] }: Partial<WatchResult>) {
  const unfinished = new Map(before)
  for (const deliveryId of gone) unfinished.delete(deliveryId)
  for (const { deliveryId, status, reason, at, position, index } of [...(changed ?? []), ...(rows ?? [])])
    if (status !== 'pending' && status !== 'held') unfinished.delete(deliveryId)
    else if (unfinished.has(deliveryId) || unfinished.size < maxTracked)
      unfinished.set(deliveryId, { deliveryId, status, at, position, index, ...(reason && { reason }) })
  return unfinished
}

async function openCursor(deps: ControlDeps, { tagId, teamId }: TagRecord): Promise<LiveCursor> {
  const after = await deps.store.journal.newestEvent(tagId)
  const pending = await deps.store.queries(teamId).deliveries(tagId, { statuses: ['pending'] }, { limit: maxTracked })
  return { after, recent: undefined, unfinished: cursorAfter(new Map(), { rows: pending.rows.toReversed() }) }
}

/** The events and deliveries since a cursor as messages, events first. Throws QueryRefused. */
export async function readSince(
  deps: ControlDeps,
  tag: TagRecord,
  { after, recent, unfinished }: LiveCursor,
  asked: Pick<WatchRequest, 'hasEvents' | 'isContinued'>,
): Promise<{ messages: TagLiveMessage[]; cursor: LiveCursor; more: number }> {
  const open = [...unfinished.values()]
  const request = { ...asked, open, events: eventsPerRead, ...(after && { after }), ...(recent && { recent }) }
  const result = await deps.store.queries(tag.teamId).watch(tag.tagId, request)
  const { changed, listed, rows, last, more, newest } = result
  const events = await toEventRows(deps, tag, listed)
  const deliveries = await toDeliveryRows(deps, tag, [...changed, ...rows])
  return {
    messages: [
      ...events.map((data) => ({ kind: 'event', data }) as const),
      ...withoutPersonalTexts(personalTextsOfLive.delivery, deliveries).map(
        (data) => ({ kind: 'delivery', data }) as const,
      ),
    ],
    cursor: {
      after: (asked.isContinued ? undefined : newest) ?? last ?? after,
      recent: result.recent,
      unfinished: cursorAfter(unfinished, result),
    },
    more,
  }
}

/** Reads new messages. A failed poll changes nothing and is repeated as a whole. Throws QueryRefused. */
async function poll(feed: LiveFeed, deps: ControlDeps): Promise<void> {
  const before = feed.cursor ?? (await openCursor(deps, feed.tag))
  const { messages, cursor, more } = await readSince(deps, feed.tag, before, { hasEvents: feed.wanted.has('event') })
  const changes = await feed.changes.poll(feed.wanted)
  const leftOut = more > 0 ? [{ kind: 'leftOut', data: { events: more } } as const] : []
  feed.cursor = cursor
  const all = [...leftOut, ...messages, ...changes]
  const [from, to] = [resumePlace(before), resumePlace(cursor)]
  for (const [n, message] of all.entries()) {
    // A stream that resumes after one of the first messages has not received the others.
    const id = messageId(feed.epoch, feed.nextSequence++, n === all.length - 1 ? to : from)
    feed.kept.push({ id, message })
  }
  feed.kept.splice(0, Math.max(0, feed.kept.length - maxKept))
}

/** Waits until the next poll is due, and polls. All streams share one poll. Throws queryTooSlow. */
export function nextPoll(feed: LiveFeed, deps: ControlDeps): Promise<void> {
  feed.polling ??= (async () => {
    const { endedAt, tookMs } = feed.lastPoll
    const restMs = Math.max(pollMs, pausePerPoll * tookMs)
    const waitMs = Math.min(endedAt + restMs - deps.clock.now(), restMs)
    if (waitMs > 0) await deps.clock.wait(waitMs)
    const startedAt = deps.clock.now()
    try {
      await poll(feed, deps)
    } catch (problem) {
      if (!(problem instanceof QueryRefused)) throw problem
      // While all query threads are busy, nothing is reported: the next poll reads it.
      if (problem.why === 'tooSlow' || !feed.cursor) throw toQueryFault(problem)
    } finally {
      const endedAt = deps.clock.now()
      feed.lastPoll = { endedAt, tookMs: endedAt - startedAt }
    }
  })().finally(() => {
    feed.polling = undefined
  })
  return feed.polling
}

const openLiveFeed = (deps: ControlDeps, tag: TagRecord): LiveFeed => ({
  tag,
  epoch: randomInt(1, 2 ** 47),
  cursor: undefined,
  kept: [],
  nextSequence: 1,
  changes: openLiveChanges(deps, tag),
  wanted: new Set(),
  polling: undefined,
  lastPoll: { endedAt: Number.NEGATIVE_INFINITY, tookMs: 0 },
  streams: 0,
  idleSince: 0,
})

const feedsOf = new WeakMap<ControlDeps['stream'], Map<string, LiveFeed>>()

/** The feed of a tag for a stream of these kinds, until `leave` is disposed of. Throws queryTooSlow, tooManyQueries. */
export async function joinLiveFeed(
  deps: ControlDeps,
  tag: TagRecord,
  kinds: Iterable<LiveKind>,
): Promise<{ feed: LiveFeed; leave: Disposable }> {
  const feeds = feedsOf.get(deps.stream) ?? new Map<string, LiveFeed>()
  feedsOf.set(deps.stream, feeds)
  for (const [tagId, { streams, idleSince, changes }] of feeds) {
    if (streams > 0 || deps.clock.now() - idleSince < idleMs) continue
    feeds.delete(tagId)
    changes[Symbol.dispose]()
  }
  const feed = feeds.get(tag.tagId) ?? openLiveFeed(deps, tag)
  feeds.set(tag.tagId, feed)
  using leaving = new DisposableStack()
  leaving.defer(() => {
    feed.streams--
    feed.idleSince = deps.clock.now()
    if (feed.streams > 0 || feed.cursor) return
    // It was never read: the next stream opens a new feed, and does not wait for the poll after a failed one.
    feeds.delete(tag.tagId)
    feed.changes[Symbol.dispose]()
  })
  for (const kind of kinds) feed.wanted.add(kind)
  // Without other streams there were no polls, and rows that arrived meanwhile are not new to this one.
  if (feed.streams++ === 0 || !feed.cursor) await nextPoll(feed, deps)
  return { feed, leave: leaving.move() }
}
