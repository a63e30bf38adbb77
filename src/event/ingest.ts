import type { Keyring } from '#account/keyring.ts'
import { callTextNotes } from '#consent/text/textNotes.ts'
import type { TagEvent } from '#contract/event.ts'
import { Fault } from '#contract/fault.ts'
import { newUserId } from '#kit/id.ts'
import type { IntakeRate } from '#limit/intakeRate.ts'
import type { StreamEntry } from '#stream/stream.ts'
import { dedupKeys } from './dedupKeys.ts'
import { type DraftResults, draftResults } from './draftResults.ts'
import { type ParsedBody, parseBody } from './parseBody.ts'
import type { RecentRecords } from './recentRecords.ts'
import { type EventContext, type RawRecordPart, type RecordEvent, sealRecord } from './record.ts'

/** The users of the events of a body. `userIds`: one per event, if they may belong to several users. */
export type EventUsers = Pick<EventContext, 'userId' | 'hasExplicitUserId' | 'userIds'>

/** The facts of a call that differ between callers of the intake: a request to the edge, or customer code. */
export type IngestSource = {
  /** Set for updates of user data. */
  kind?: EventContext['kind']
  tag: Pick<EventContext, 'tagId' | 'teamId'>
  caller: Pick<EventContext, 'userId' | 'hasExplicitUserId'>
  /** One user per event of the body, if each event names its own. */
  userIds?: readonly string[]
  trusted: boolean
  receivedAt: number
  /** A browser sent the events: all belong to one person. */
  isOnePerson?: boolean
  /** The facts of the request that the delivery worker needs for its decisions. */
  request?: Pick<
    EventContext,
    'ip' | 'place' | 'userAgent' | 'origin' | 'gpc' | 'callTexts' | 'traceparent' | 'preview'
  >
  /** The scripts whose code sent the events, the first one first. The events are delivered to none of them. */
  originScriptIds?: readonly string[]
}

/**
 * The events of one call as they are appended to the stream, with the deduplication keys of each event. `parsed`: the
 * parsed body of the part, so that a worker of the same process need not parse it again.
 */
export type AppendItem = { part: RawRecordPart; parsed?: readonly TagEvent[] } & Pick<
  StreamEntry,
  'keys' | 'others' | 'slot'
>

/** A checked body. `item` is absent if every event of the body is rejected. */
export type IngestedBody = { read: ParsedBody; users: EventUsers; drafts: DraftResults; item?: AppendItem }

export type IngestDeps = {
  intakeRate: Pick<IntakeRate, 'takeEvents'>
  keys: Keyring
  brand: string
  /** Only set if a worker of this process takes the parsed events. */
  recentRecords?: Pick<RecentRecords, 'keep'>
}

/** The maximum chain of events that code creates while it handles events created by code. */
const maxOriginDepth = 5

/**
 * Checks a body and prepares its accepted events for the stream. Every intake uses it. The call itself is already
 * counted as one event. Throws the faults of `parseBody`, intakeRateExceeded and loopRefused.
 */
export function ingestBody(body: Buffer, source: IngestSource, deps: IngestDeps): IngestedBody {
  refuseDeepOrigin(source)
  const read = parseBody(body, source.receivedAt)
  deps.intakeRate.takeEvents(source.tag, source.trusted, read.events.length - 1)
  return ingestParsed({ read, body }, source, deps)
}

/** Prepares the accepted events of a parsed body for the stream. Without `body`, the events are serialised. */
export function ingestParsed(
  { read, body }: { read: ParsedBody; body?: Buffer },
  source: IngestSource,
  { keys, brand, recentRecords }: Pick<IngestDeps, 'keys' | 'brand' | 'recentRecords'>,
): IngestedBody {
  const users = usersOf(source, read)
  const { trusted, request, isOnePerson } = source
  const namesNoUser = request !== undefined && !trusted && !isOnePerson && !users.hasExplicitUserId
  const drafts = draftResults(read, users, {
    brand,
    namesNoUser,
    notes: callTextNotes(request?.callTexts, source.receivedAt),
  })
  const accepted = read.events.flatMap(({ event }) => event ?? [])
  if (accepted.length === 0) return { read, users, drafts }
  const isWhole = accepted.length === read.events.length
  const context = contextOf(source, isWhole ? users : ofAccepted(users, read))
  const isUnchanged = isWhole && !read.isChanged && body !== undefined
  const part = { context, body: isUnchanged ? body : Buffer.from(JSON.stringify(accepted)) }
  const item = itemOf(part, accepted, keys)
  return { read, users, drafts, item: isUnchanged && recentRecords ? { ...item, parsed: accepted } : item }
}

/** Prepares a user update for the stream. Throws loopRefused. */
export function ingestUserUpdate(
  kind: NonNullable<EventContext['kind']>,
  event: TagEvent,
  source: IngestSource,
  { keys }: Pick<IngestDeps, 'keys'>,
): AppendItem {
  refuseDeepOrigin(source)
  const context = contextOf(source, source.caller)
  context.kind = kind
  return itemOf({ context, body: Buffer.from(JSON.stringify(event)) }, [event], keys)
}

/**
 * Prepares an event that a plugin added for the stream. The event has the user and the request of its source event.
 * After a crash the plugin may add it again; the stream deduplicates it by its key.
 */
export function ingestAddedEvent(
  event: TagEvent,
  { context, userId }: Pick<RecordEvent, 'context' | 'userId'>,
  { keys }: Pick<IngestDeps, 'keys'>,
): AppendItem {
  const { userIds: _, erased: __, ...rest } = context
  const body = Buffer.from(JSON.stringify(event))
  return itemOf({ context: { ...rest, userId, isMadeByCode: true }, body }, [event], keys)
}

/** Seals the events of several calls for one tag as one entry of the stream. All must lie in the same slot. */
export function sealEntry(
  items: readonly AppendItem[],
  tag: Pick<EventContext, 'tagId' | 'teamId'>,
  keys: Keyring,
): StreamEntry {
  const parts = items.map(({ part }) => part)
  const slot = items[0]?.slot
  const entry = {
    tagId: tag.tagId,
    payload: sealRecord(parts, tag, keys),
    keys: items.flatMap((item) => item.keys),
    ...(slot !== undefined && { slot }),
  }
  if (!items.some(({ others }) => others)) return entry
  return { ...entry, others: items.flatMap((item) => item.others ?? item.keys.map(() => 0n)) }
}

function refuseDeepOrigin({ originScriptIds = [] }: IngestSource): void {
  if (originScriptIds.length > maxOriginDepth)
    throw new Fault('loopRefused', {
      message: `Events that code creates from other events can be at most ${maxOriginDepth} levels deep.`,
    })
}

/**
 * A server may send the events of many users in one body without user ids. Each event then gets a new user, so that the
 * data of one person is never stored for another.
 */
function usersOf({ caller, userIds, isOnePerson }: IngestSource, { events }: ParsedBody): EventUsers {
  const { userId, hasExplicitUserId } = caller
  if (userIds) return { userId, hasExplicitUserId, userIds }
  if (hasExplicitUserId || events.length === 1 || isOnePerson) return { userId, hasExplicitUserId }
  return { userId, hasExplicitUserId, userIds: events.map(newUserId) }
}

/** The users of the accepted events, in storage order. */
const ofAccepted = ({ userIds, ...user }: EventUsers, { events }: ParsedBody): EventUsers =>
  userIds ? { ...user, userIds: userIds.filter((_, index) => events[index]?.event) } : user

/** The facts of the call that are stored with its events. */
function contextOf(
  { kind, tag, trusted, receivedAt, request, originScriptIds }: IngestSource,
  users: EventUsers,
): EventContext {
  const { tagId, teamId } = tag
  const { userId, hasExplicitUserId, userIds } = users
  const context: EventContext = { tagId, teamId, userId, hasExplicitUserId, trusted, receivedAt }
  if (kind) context.kind = kind
  if (userIds) context.userIds = userIds
  if (request) Object.assign(context, request)
  if (originScriptIds) context.originScriptIds = originScriptIds
  return context
}

const itemOf = (part: RawRecordPart, events: readonly TagEvent[], keys: Keyring): AppendItem => ({
  part,
  ...dedupKeys(
    events.map(({ eventId }) => eventId),
    part.context,
    keys,
  ),
})
