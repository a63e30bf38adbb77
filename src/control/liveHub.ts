import { randomInt } from 'node:crypto'
import type { LiveKind } from '#contract/live.ts'
import { personalTextsOfLive } from '#contract/personalTexts.ts'
import { QueryRefused } from '#kit/queryPool.ts'
import { toQueryFault } from '#limit/queryFault.ts'
import { encodeCursor } from '#store/cursor.ts'
import type { DeliveryRecord } from '#store/deliveryQueries.ts'
import type { WatchResult } from '#store/journalQueries.ts'
import type { EventRef, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toDeliveryRows } from './deliveries.ts'
import { toEventRows } from './events.ts'
import { type LiveChanges, openLiveChanges } from './liveChanges.ts'
import type { TagLiveMessage } from './liveMessage.ts'
import { withoutPersonalTexts } from './maskTexts.ts'

/** The interval of looks. Nothing is looked at while nobody watches. */
const lookMs = 500
/** After a slow look, the next one waits this many times as long as the look took. */
const restPerLook = 4
/** The maximum of new events of one look. The messages that follow `leftOut` are again of the newest events. */
const eventsPerLook = 200
/** Maximum unfinished deliveries whose changes are followed. */
const maxTracked = 1_000
/** The messages that are kept for streams that are slow or were cut. */
const maxKept = 5_000

/**
 * A message with the id from which a stream resumes after it. `sequence` counts the messages of a hub. `text`: what all
 * streams send, made for the first of them.
 */
export type SentMessage = { sequence: number; id: string; message: TagLiveMessage; text?: string }

/** The live messages of one tag, read once for all who watch it. */
export type LiveHub = {
  tag: TagRecord
  /** Distinguishes this hub from an earlier one, of which the ids of messages are unknown. */
  epoch: number
  /** The last events and unfinished deliveries that were looked at. */
  lastEvent: EventRef | undefined
  /** The events that were planned before the last look, if some may become visible late. */
  recent: WatchResult['recent']
  unfinished: Map<string, DeliveryRecord>
  kept: SentMessage[]
  nextSequence: number
  changes: LiveChanges
  /** The kinds that a stream of this hub has wanted. They stay wanted, for a stream that was cut and resumes. */
  wanted: Set<LiveKind>
  looking: Promise<void> | undefined
  lastLook: { endedAt: number; tookMs: number }
}

const hasEnded = ({ status }: DeliveryRecord) => status !== 'pending' && status !== 'held'

/** `since` (epoch ms of the database): every event that was planned before was visible; 0: unknown, or all in order. */
export type ResumePlace = { position: number; index: number; since: number }

/**
 * A stream whose hub is gone looks again at the events from this position on, so that it misses no end of a delivery, and
 * at those that were planned since a time, so that it misses none that became visible late.
 */
function resumePlace({ unfinished, lastEvent, recent }: Pick<LiveHub, 'unfinished' | 'lastEvent' | 'recent'>) {
  const since = recent?.since ?? 0
  let first = lastEvent ? { position: lastEvent.position, index: lastEvent.index + 1 } : { position: 0, index: 0 }
  for (const { position, index } of unfinished.values())
    if (position < first.position || (position === first.position && index < first.index)) first = { position, index }
  return { ...first, since }
}

/** Each message has an id of its own: the hub, the number of the message, and where to begin without the hub. */
export const messageId = (epoch: number, sequence: number, { position, index, since }: ResumePlace): string =>
  encodeCursor(epoch, sequence, position, index, since)

export async function openLiveHub(deps: ControlDeps, tag: TagRecord): Promise<LiveHub> {
  const { tagId, teamId } = tag
  const lastEvent = await deps.store.journal.newestEvent(tagId)
  const pending = await deps.store.queries(teamId).deliveries(tagId, { statuses: ['pending'] }, { limit: maxTracked })
  const changes = openLiveChanges(deps, tag)
  return {
    tag,
    epoch: randomInt(1, 2 ** 47),
    lastEvent,
    recent: undefined,
    unfinished: new Map(pending.rows.toReversed().map((row) => [row.deliveryId, row])),
    kept: [],
    nextSequence: 1,
    changes,
    wanted: new Set(),
    looking: undefined,
    lastLook: { endedAt: Number.NEGATIVE_INFINITY, tookMs: 0 },
  }
}

function trackDelivery({ unfinished }: LiveHub, row: DeliveryRecord): void {
  if (hasEnded(row)) unfinished.delete(row.deliveryId)
  else if (unfinished.has(row.deliveryId) || unfinished.size < maxTracked) unfinished.set(row.deliveryId, row)
}

/** Adds messages. All but the last have the place of before, because a stream that resumes has not seen the others. */
function keepMessages(hub: LiveHub, messages: readonly TagLiveMessage[], before: ResumePlace): void {
  const after = resumePlace(hub)
  for (const [n, message] of messages.entries()) {
    const place = n === messages.length - 1 ? after : before
    const sequence = hub.nextSequence++
    hub.kept.push({ sequence, id: messageId(hub.epoch, sequence, place), message })
  }
  hub.kept.splice(0, Math.max(0, hub.kept.length - maxKept))
}

/** The events and deliveries of a look as messages: first the events, then the deliveries. */
export async function toMessages(
  deps: ControlDeps,
  tag: TagRecord,
  { changed, listed, rows }: Pick<WatchResult, 'changed' | 'listed' | 'rows'>,
): Promise<TagLiveMessage[]> {
  const events = await toEventRows(deps, tag, listed)
  const read = await toDeliveryRows(deps, tag, [...changed, ...rows])
  const deliveries = read.map((row) => withoutPersonalTexts(personalTextsOfLive.delivery, row))
  return [
    ...events.map((data) => ({ kind: 'event', data }) as const),
    ...deliveries.map((data) => ({ kind: 'delivery', data }) as const),
  ]
}

/** Reads what is new. Throws QueryRefused. */
async function look(hub: LiveHub, deps: ControlDeps): Promise<void> {
  const { tag, lastEvent, recent, wanted } = hub
  const open = [...hub.unfinished.values()].map(({ deliveryId, status, reason, at }) => {
    return { deliveryId, status, at, ...(reason && { reason }) }
  })
  const request = {
    open,
    events: eventsPerLook,
    hasEvents: wanted.has('event'),
    ...(lastEvent && { after: lastEvent }),
    ...(recent && { recent }),
  }
  const result = await deps.store.queries(tag.teamId).watch(tag.tagId, request)
  const { changed, gone, rows, last, more, newest } = result
  const messages = await toMessages(deps, tag, result)
  const changes = await hub.changes.look(wanted)
  // From here on nothing waits, so that a failed look changes nothing and is repeated whole.
  const before = resumePlace(hub)
  for (const deliveryId of gone) hub.unfinished.delete(deliveryId)
  for (const row of [...changed, ...rows]) trackDelivery(hub, row)
  hub.lastEvent = newest ?? last ?? lastEvent
  hub.recent = result.recent
  const leftOut = more > 0 ? [{ kind: 'leftOut', data: { events: more } } as const] : []
  keepMessages(hub, [...leftOut, ...messages, ...changes], before)
}

/** Waits until the next look is due, and looks. All streams share one look. Throws queryTooSlow. */
export function nextLook(hub: LiveHub, deps: ControlDeps): Promise<void> {
  hub.looking ??= (async () => {
    const { endedAt, tookMs } = hub.lastLook
    const dueAt = endedAt + Math.max(lookMs, restPerLook * tookMs)
    const waitMs = Math.min(dueAt - deps.clock.now(), Math.max(lookMs, restPerLook * tookMs))
    if (waitMs > 0) await deps.clock.wait(waitMs)
    const startedAt = deps.clock.now()
    try {
      await look(hub, deps)
    } catch (problem) {
      if (!(problem instanceof QueryRefused)) throw problem
      // While all query threads are busy there is nothing new: the next look finds it.
      if (problem.why === 'tooSlow') throw toQueryFault(problem)
    } finally {
      const endedAt = deps.clock.now()
      hub.lastLook = { endedAt, tookMs: endedAt - startedAt }
    }
  })().finally(() => {
    hub.looking = undefined
  })
  return hub.looking
}
