import { badRequest, Fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { LiveKind } from '#contract/live.ts'
import { formatMessage, type SseMessage } from '#http/serverSentEvents.ts'
import { decodeCursor } from '#store/cursor.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { toDeliveryFilter } from './deliveryFilter.ts'
import {
  eventsPerRead,
  joinLiveFeed,
  keptFrom,
  type LiveCursor,
  type LiveFeed,
  messageId,
  nextPoll,
  type ResumePlace,
  readSince,
  type SentMessage,
} from './liveFeed.ts'
import { isWanted, type TagLiveFilter, type TagLiveMessage } from './liveMessage.ts'
import { requireTag } from './tags.ts'

const heartbeatMs = 15_000
/** Maximum events that a stream without its feed reads again after its last id. */
const maxMissed = 2_000
/** How far back a stream without its feed reads if its last id is older than the feed's first poll. */
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

/** One open stream. `sequence` is the number of the next message. */
type LiveWatch = { feed: LiveFeed; filter: TagLiveFilter; sequence: number; missed: readonly SseMessage[] }

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

/** Reads the events and deliveries from a position on, in their present state. Throws QueryRefused. */
async function readMissed(deps: ControlDeps, { tag }: LiveFeed, { position, index, since }: LastId) {
  const messages: TagLiveMessage[] = []
  // Events planned after `since` may be repeated. Otherwise an event that became visible late would be missed.
  const recent = { keys: new Set<string>(), since: since || deps.clock.now() - unknownSinceMs, polls: [] }
  let cursor: LiveCursor = {
    after: { tagId: tag.tagId, position, index: index - 1 },
    recent,
    unfinished: new Map(),
  }
  for (let events = eventsPerRead; ; events += eventsPerRead) {
    const read = await readSince(deps, tag, cursor, { hasEvents: true, isContinued: true })
    messages.push(...read.messages)
    if (read.more === 0) return messages
    if (events >= maxMissed) return [...messages, { kind: 'leftOut', data: { events: read.more } } as const]
    cursor = read.cursor
  }
}

/** The messages for a stream that resumes: from those that the feed kept, else also from the journal. */
async function continueAfter(deps: ControlDeps, feed: LiveFeed, filter: TagLiveFilter, last: LastId) {
  const isOfFeed = last.epoch === feed.epoch && last.sequence < feed.nextSequence
  if (isOfFeed && keptFrom(feed, last.sequence + 1)) return { sequence: last.sequence + 1, missed: [] }
  const sequence = feed.nextSequence - feed.kept.length
  const messages = await readMissed(deps, feed, last)
  const kept = new Set(feed.kept.map(({ message }) => stateKey(message)))
  // A stream that is cut before the end reads all of it again.
  const missed = messages
    .filter((message) => isWanted(filter, message) && !kept.has(stateKey(message)))
    .map((message, n) => toSse(messageId(0, n, last), message))
  return { sequence, missed }
}

/** Serialized once for all streams: for ten streams, serializing each time costs more than the deliveries. */
const sharedText = (sent: SentMessage): SseMessage => {
  sent.text ??= formatMessage(toSse(sent.id, sent.message))
  return { text: sent.text }
}

/** Yields the messages of each poll until the caller's access ends; then `closed` with the reason. */
async function* streamMessages(
  { feed, filter, missed, ...watch }: LiveWatch,
  recheckAccess: () => Promise<unknown>,
  deps: ControlDeps,
): AsyncGenerator<readonly SseMessage[]> {
  const closed = (message: string) => [{ event: 'closed', data: { message } }]
  let { sequence } = watch
  let lastHeartbeatAt = deps.clock.now()
  yield [{ comment: 'watching' }, ...missed]
  for (;;) {
    const messages = keptFrom(feed, sequence)
    if (!messages) return yield closed('The client reads the stream too slowly. Reconnect with Last-Event-ID.')
    sequence = feed.nextSequence
    const wanted = messages.filter(({ message }) => isWanted(filter, message)).map(sharedText)
    const isHeartbeatDue = deps.clock.now() - lastHeartbeatAt >= heartbeatMs
    if (isHeartbeatDue) lastHeartbeatAt = deps.clock.now()
    yield isHeartbeatDue ? [...wanted, { comment: 'still here' }] : wanted
    try {
      await nextPoll(feed, deps)
      await recheckAccess()
    } catch (problem) {
      if (!(problem instanceof Fault)) throw problem
      return yield closed(problem.message)
    }
  }
}

const defaultKinds: readonly LiveKind[] = ['delivery']

/** Streams the activity of a tag from now on, or after a given `Last-Event-ID`. */
export const watchDeliveries: AnswerFor<'watchDeliveries'> = async (
  { params, query, access, lastEventId, recheckAccess },
  deps,
) => {
  const tag = await requireTag(deps, access, params.tagId)
  const { kinds = defaultKinds, ...filter } = query
  const wanted = { kinds: new Set(kinds), filter: toDeliveryFilter(filter) }
  const last = lastEventId === undefined ? undefined : parseLastId(lastEventId)
  using opened = new DisposableStack()
  opened.use(reserveWatcher(deps, access))
  const { feed, leave } = await joinLiveFeed(deps, tag, wanted.kinds)
  opened.use(leave)
  const start = last ? await continueAfter(deps, feed, wanted, last) : { sequence: feed.nextSequence, missed: [] }
  const watch = { feed, filter: wanted, ...start }
  // The tag may be deleted meanwhile, and the caller may lose access to it.
  const recheck = async () => {
    await recheckAccess()
    await requireTag(deps, access, params.tagId)
  }
  const resources = opened.move()
  return (async function* () {
    using _ = resources
    try {
      yield* streamMessages(watch, recheck, deps)
    } catch (error) {
      deps.log({ level: 'error', message: 'a live stream failed', tagId: tag.tagId, error })
      throw error
    }
  })()
}
