import { badRequest, Fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { LiveKind } from '#contract/live.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { formatMessage, type SseMessage } from '#http/serverSentEvents.ts'
import { decodeCursor } from '#store/cursor.ts'
import type { RecentEvents } from '#store/journalQueries.ts'
import type { EventRef, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toDeliveryFilter } from './deliveryFilter.ts'
import { type LiveHub, messageId, nextLook, type ResumePlace, type SentMessage, toMessages } from './liveHub.ts'
import { type JoinedHub, joinLiveHub } from './liveHubs.ts'
import { isWanted, type TagLiveFilter, type TagLiveMessage } from './liveMessage.ts'
import { requireTag } from './tags.ts'

const heartbeatMs = 15_000
/** Without its hub, a stream reads the events after its last id again: this many at once, and at most. */
const eventsPerRead = 200
const maxMissed = 2_000
/** How far a stream without its hub looks back if its last id is from before the first look of its hub. */
const unknownSinceMs = 60_000

/** Takes one of the stream slots of the team, and of the person. Throws tooManyWatching, tooManyWatchingPerson. */
function reserveWatcher(deps: ControlDeps, { teamId, personId }: { teamId: string; personId?: string }): Disposable {
  const { streamSlots, personStreamSlots, limits } = deps
  using slots = new DisposableStack()
  const own = personId === undefined ? undefined : personStreamSlots.take(personId)
  if (personId !== undefined && !own)
    throw limitReached('tooManyWatchingPerson', limits.streamsPerPerson, { afterMs: 10_000 })
  if (own) slots.use(own)
  const slot = streamSlots.take(teamId)
  if (!slot) throw limitReached('tooManyWatching', limits.streamsPerTeam, { afterMs: 10_000 })
  slots.use(slot)
  return slots.move()
}

/** One open stream. `sequence` is that of the next message. */
type LiveWatch = { hub: LiveHub; filter: TagLiveFilter; sequence: number; missed: readonly SseMessage[] }

type LastId = { epoch: number; sequence: number } & ResumePlace

/** The parts of a `Last-Event-ID`. Throws badRequest. */
function parseLastId(lastEventId: string): LastId {
  try {
    const [epoch, sequence, position, index, since] = decodeCursor(lastEventId, 5)
    return { epoch: epoch!, sequence: sequence!, position: position!, index: index!, since: since! }
  } catch {
    throw badRequest({ path: 'Last-Event-ID', message: 'is not the id of an event of this stream' })
  }
}

const toSse = (id: string, { kind, data }: TagLiveMessage): SseMessage => ({ event: kind, id, data })
const stateKey = ({ kind, data }: TagLiveMessage) =>
  kind === 'delivery' ? `${data.deliveryId} ${data.status} ${data.at}` : kind === 'event' ? data.eventId : undefined

/** The kept message after the last one that a stream got; undefined if the hub does not keep it any more. */
function sequenceAfter(hub: LiveHub, { epoch, sequence }: LastId): number | undefined {
  const first = hub.kept[0]?.sequence ?? hub.nextSequence
  return epoch === hub.epoch && sequence < hub.nextSequence && sequence + 1 >= first ? sequence + 1 : undefined
}

/** Reads the events and deliveries from a position on, as they stand now. Throws QueryRefused. */
async function readMissed(
  deps: ControlDeps,
  hub: LiveHub,
  { position, index, since }: LastId,
): Promise<TagLiveMessage[]> {
  const { tag } = hub
  const messages: TagLiveMessage[] = []
  let after: EventRef = { tagId: tag.tagId, position, index: index - 1 }
  // Events that were planned since `since` may come again. Otherwise one that became visible late would be missed.
  let recent: RecentEvents | undefined = {
    keys: new Set(),
    since: since || deps.clock.now() - unknownSinceMs,
    looks: [],
  }
  for (let events = 0; ; events += eventsPerRead) {
    const request = {
      open: [],
      events: eventsPerRead,
      after,
      hasEvents: true,
      isContinued: true,
      ...(recent && { recent }),
    }
    const result = await deps.store.queries(tag.teamId).watch(tag.tagId, request)
    messages.push(...(await toMessages(deps, tag, result)))
    if (result.more === 0 || !result.last) return messages
    if (events + eventsPerRead >= maxMissed) return [...messages, { kind: 'leftOut', data: { events: result.more } }]
    after = result.last
    recent = result.recent
  }
}

/** What a stream missed whose hub is gone. Rows that the hub still keeps come from the hub. */
async function missedMessages(
  deps: ControlDeps,
  hub: LiveHub,
  last: LastId,
  filter: TagLiveFilter,
): Promise<SseMessage[]> {
  const messages = await readMissed(deps, hub, last)
  const kept = new Set(hub.kept.map(({ message }) => stateKey(message)))
  // A stream that is cut in between reads all of it again.
  return messages
    .filter((message) => isWanted(filter, message) && !kept.has(stateKey(message)))
    .map((message, n) => toSse(messageId(0, n, last), message))
}

async function openWatch(
  deps: ControlDeps,
  { hub, isFirst }: JoinedHub,
  filter: TagLiveFilter,
  last: LastId | undefined,
): Promise<LiveWatch> {
  for (const kind of filter.kinds) hub.wanted.add(kind)
  // Without other streams the hub has looked at nothing for a while, and what came meanwhile is not new to this one.
  if (isFirst) await nextLook(hub, deps)
  if (!last) return { hub, filter, sequence: hub.nextSequence, missed: [] }
  const sequence = sequenceAfter(hub, last)
  if (sequence !== undefined) return { hub, filter, sequence, missed: [] }
  const first = hub.kept[0]?.sequence ?? hub.nextSequence
  return { hub, filter, sequence: first, missed: await missedMessages(deps, hub, last, filter) }
}

/** The messages that a stream has not got yet; undefined if the hub has dropped one of them. */
function takeMessages(watch: LiveWatch): readonly SentMessage[] | undefined {
  const { hub, sequence } = watch
  watch.sequence = hub.nextSequence
  const first = hub.kept[0]?.sequence ?? hub.nextSequence
  return sequence < first ? undefined : hub.kept.slice(sequence - first)
}

/** The text of a message is made once for all streams: ten of them would spend more on it than the deliveries cost. */
const sharedText = (sent: SentMessage): SseMessage => {
  sent.text ??= formatMessage(toSse(sent.id, sent.message))
  return { text: sent.text }
}

/** Yields the messages of each look until the caller's access ends. Throws a fault then. */
async function* streamMessages(
  watch: LiveWatch,
  recheckAccess: () => Promise<unknown>,
  deps: ControlDeps,
): AsyncGenerator<readonly SseMessage[]> {
  let lastHeartbeatAt = deps.clock.now()
  yield [{ comment: 'watching' }, ...watch.missed]
  for (;;) {
    const messages = takeMessages(watch)
    if (!messages) {
      yield [{ event: 'closed', data: { message: 'The stream is too slow: continue with Last-Event-ID.' } }]
      return
    }
    const wanted = messages.filter(({ message }) => isWanted(watch.filter, message)).map(sharedText)
    const isHeartbeatDue = deps.clock.now() - lastHeartbeatAt >= heartbeatMs
    if (isHeartbeatDue) lastHeartbeatAt = deps.clock.now()
    yield isHeartbeatDue ? [...wanted, { comment: 'still here' }] : wanted
    await nextLook(watch.hub, deps)
    await recheckAccess()
  }
}

/** Yields groups of messages. After a fault it yields `closed` with the reason, and ends. */
async function* streamUntilRefused(
  watch: LiveWatch,
  recheckAccess: () => Promise<unknown>,
  deps: ControlDeps,
): AsyncGenerator<readonly SseMessage[]> {
  try {
    yield* streamMessages(watch, recheckAccess, deps)
  } catch (problem) {
    if (!(problem instanceof Fault)) throw problem
    yield [{ event: 'closed', data: { message: problem.message } }]
  }
}

/** Joins the hub of a tag until `resources` is disposed of. */
async function joinAsWatcher(
  deps: ControlDeps,
  tag: TagRecord,
  resources: DisposableStack,
  { filter, lastEventId }: { filter: TagLiveFilter; lastEventId: string | undefined },
): Promise<LiveWatch> {
  const last = lastEventId === undefined ? undefined : parseLastId(lastEventId)
  const joined = await joinLiveHub(deps, tag)
  resources.use(joined.leave)
  return openWatch(deps, joined, filter, last)
}

const defaultKinds: readonly LiveKind[] = ['delivery']

/** Streams what happens on a tag from now on, or from a given `Last-Event-ID`. */
export const watchDeliveries: OperationAnswer<(typeof operations)['watchDeliveries'], ControlDeps> = async (
  { params, query, access, lastEventId, recheckAccess },
  deps,
) => {
  const tag = await requireTag(deps, access, params.tagId)
  const { kinds = defaultKinds, ...filter } = query
  using opened = new DisposableStack()
  opened.use(reserveWatcher(deps, access))
  const wanted = { kinds: new Set(kinds), filter: toDeliveryFilter(filter) }
  const watch = await joinAsWatcher(deps, tag, opened, { filter: wanted, lastEventId })
  // The tag may be deleted meanwhile, and the caller may lose its access to it.
  const recheck = async () => {
    await recheckAccess()
    await requireTag(deps, access, params.tagId)
  }
  const resources = opened.move()
  return (async function* () {
    using _ = resources
    try {
      yield* streamUntilRefused(watch, recheck, deps)
    } catch (error) {
      deps.log({ level: 'error', message: 'a live stream failed', tagId: tag.tagId, error })
      throw error
    }
  })()
}
