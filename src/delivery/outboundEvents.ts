import type { RecordEvent } from '#event/record.ts'
import { MatchNotes } from '#match/matchNotes.ts'
import { type Identity, identityOf } from '#provider/engine/identity.ts'
import type { ConsentSignals } from '#provider/form/consentSignals.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { LeasedRecord } from '#stream/stream.ts'
import { attachPerson, type EventWithPerson, withoutPii } from '#user/outboundPerson.ts'
import type { Profile } from '#user/profile.ts'
import type { KnownUser } from '#user/profiles.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { openRecordCache, openStreamRecord, type RecordCache, toOpenedRecord } from './recordCache.ts'
import {
  isCurrent,
  type LaterConsents,
  laterOf,
  type ResolvedEvent,
  type ResolveEventDeps,
  resolveEvent,
} from './resolveEvent.ts'

/** Why an event is not sent: its user was erased, or a plugin filtered it. */
export type NoEvent = 'erased' | 'filtered'

/**
 * An event with its user, built once for all channels. `claimants`: if the event's user has no captured values, the
 * users who claim its e-mail and have some, most recently seen first.
 */
export type OutboundEvent = EventWithPerson & {
  identity: Identity
  consent: ConsentSignals
  /** The request had no page origin. */
  isFromServer?: true
  /** A server sent its own address as the person's. */
  isCallerAddress?: true
  /** Notes for the count of match keys. */
  matchNotes?: MatchNotes
  kind?: 'user'
  originScriptIds?: readonly string[]
  /** The span of the request that sent the event. */
  traceparent?: string
  claimants?: readonly KnownUser[]
  /** Absent if no consent was given after the event arrived. */
  later?: LaterConsents
  /** The same event for vendors that can limit their use of data, if the person objects only to sale. */
  limited?: OutboundEvent
}

/** Opens the events of the stream and builds the outbound events. */
export type OutboundEvents = ReturnType<typeof openOutboundEvents>

export type EventsDeps = Pick<DeliveryDeps, 'stream' | 'keys'> &
  Partial<Pick<DeliveryDeps, 'recentRecords'>> &
  ResolveEventDeps

type Built = { decision: ResolvedEvent | 'erased'; outbound: OutboundEvent | NoEvent }

type Cache = RecordCache<ResolvedEvent, Built | Promise<Built>>
type Place = { position: number; index: number }

/** Opens cached records, or reads them from the stream. */
function openRecords(cache: Cache, deps: EventsDeps) {
  type Opened = ReturnType<typeof open>
  const reading = new Map<number, Promise<Opened | undefined>>()

  function open(leased: Pick<LeasedRecord, 'position' | 'payload'>, tag: Snapshot) {
    const recent = deps.recentRecords?.take(leased.payload, tag.tagId)
    return cache.add(recent ? toOpenedRecord(leased, recent) : openStreamRecord(leased, tag, deps.keys))
  }
  async function read(position: number, tag: Snapshot) {
    const leased = await deps.stream.read(position)
    if (!leased) return undefined
    await deps.keys.findTeamKey(tag.teamId, leased.payload)
    return open(leased, tag)
  }
  function at(position: number, tag: Snapshot): Opened | Promise<Opened | undefined> {
    const cached = cache.get(position) ?? reading.get(position)
    if (cached) return cached
    const loading = read(position, tag).finally(() => reading.delete(position))
    reading.set(position, loading)
    return loading
  }
  return { open, at }
}

/** Builds outbound events from the decision in memory or from a new one. */
function openBuilds(deps: ResolveEventDeps) {
  const builtOf = (decision: ResolvedEvent | 'erased', recordEvent: RecordEvent): Built => ({
    decision,
    outbound: decision === 'erased' ? 'erased' : buildOutboundEvent(recordEvent, decision),
  })
  const isUsable = (decision: ResolvedEvent | 'erased', tag: Snapshot, recordEvent: RecordEvent) =>
    decision === 'erased' || isCurrent(decision, tag, recordEvent, deps)
  const isOutdated = (built: Built | undefined, tag: Snapshot, recordEvent: RecordEvent) =>
    !built || !isUsable(built.decision, tag, recordEvent)

  /** Builds the event, and stores it with its record for the other channels. */
  function build({ record, decided, built }: Opened, index: number, tag: Snapshot): Built | Promise<Built> {
    const recordEvent = record.events[index]!
    const decision = decided.get(index)
    if (decision && isUsable(decision, tag, recordEvent)) {
      const ready = builtOf(decision, recordEvent)
      built.set(index, ready)
      return ready
    }
    const building = resolveEvent(recordEvent, tag, deps).then((resolved) => builtOf(resolved, recordEvent))
    built.set(index, building)
    building.then(
      (ready) => built.get(index) === building && built.set(index, ready),
      () => built.get(index) === building && built.delete(index),
    )
    return building
  }
  /** The current event; a promise if something must be read first. */
  return (opened: Opened, index: number, tag: Snapshot): Built | Promise<Built> => {
    const recordEvent = opened.record.events[index]!
    const known = opened.built.get(index)
    if (known instanceof Promise)
      return known.then((ready) => {
        const later = opened.built.get(index)
        if (!isOutdated(ready, tag, recordEvent)) return ready
        return later === ready || later === undefined || later === known ? build(opened, index, tag) : later
      })
    return isOutdated(known, tag, recordEvent) ? build(opened, index, tag) : known!
  }
}
type Opened = NonNullable<ReturnType<Cache['get']>>

export function openOutboundEvents(deps: EventsDeps) {
  const cache: Cache = openRecordCache(deps.stream)
  const { open, at } = openRecords(cache, deps)
  const built = openBuilds(deps)

  return {
    /** Opens a record and caches it. Throws if it cannot be opened or is not JSON. */
    open: (leased: Pick<LeasedRecord, 'position' | 'payload'>, tag: Snapshot) => open(leased, tag).record,
    /**
     * The number of deliveries that will call `outgoing` for this position. The record leaves the cache after the last.
     */
    expect: cache.expect,
    /** Keeps the decision on an event for its first attempts, as long as its record is cached. */
    keepDecision: (place: Place, decision: ResolvedEvent) => cache.keepDecision(place, decision, bytesOf(decision)),
    /** The record at this position; undefined if the stream has dropped it. Throws if it cannot be opened. */
    at: async (position: number, tag: Snapshot) => (await at(position, tag))?.record,
    /** `expired`: the stream has dropped the event. Synchronous if the event and its decision are in memory. */
    outgoing(
      { position, index }: Place,
      tag: Snapshot,
    ): OutboundEvent | NoEvent | 'expired' | Promise<OutboundEvent | NoEvent | 'expired'> {
      const outgoingOf = (opened: Opened | undefined) => {
        if (!opened) return 'expired'
        cache.markUsed(position)
        const event = built(opened, index, tag)
        return event instanceof Promise ? event.then(({ outbound }) => outbound) : event.outbound
      }
      const opened = at(position, tag)
      return opened instanceof Promise ? opened.then(outgoingOf) : outgoingOf(opened)
    },
  }
}

/** The counted size of a decision, mainly of its users' profiles: a tenth of their maximum memory. */
function bytesOf({ user: { own, email } }: ResolvedEvent): number {
  const profiles = [own, email?.confirmed?.profile, ...(email?.claimants.map(({ profile }) => profile) ?? [])]
  return profiles.reduce((sum, profile) => sum + (profile ? 20 + 100 * sizeOf(profile) : 0), 20)
}
const sizeOf = ({ custom, captured }: Profile) => Object.keys(custom).length + Object.keys(captured).length

/** The event with only the personal data that its consent allows. */
function buildOutboundEvent({ context }: RecordEvent, decision: ResolvedEvent): OutboundEvent | NoEvent {
  const { user, pluginResult, consent, tag, place } = decision
  if ('filtered' in pluginResult) return 'filtered'
  const outbound = attachPerson(pluginResult.event, { ...user, context, tag, place })
  const { limited } = consent
  return {
    ...withConsent(outbound, context, { user, later: laterOf(decision), ...consent }),
    ...(limited && { limited: withConsent(outbound, context, { user, later: laterOf(decision, true), ...limited }) }),
  }
}

type Allowed = Pick<ResolvedEvent, 'user' | 'later'> & Pick<ResolvedEvent['consent'], 'sharePii' | 'signals'>

function withConsent(
  outbound: EventWithPerson,
  context: RecordEvent['context'],
  { user, later, sharePii, signals }: Allowed,
): OutboundEvent {
  const shared = sharePii ? outbound : withoutPii(outbound)
  const { kind, originScriptIds, traceparent } = context
  const claimants = sharePii && hasNone(outbound.captured) ? user.email?.claimants.filter(hasCaptured) : undefined
  return {
    ...shared,
    identity: identityOf(shared.person),
    consent: signals,
    matchNotes: new MatchNotes(),
    ...(context.origin === undefined && { isFromServer: true as const }),
    ...(isOwnAddress(context, shared.person) && { isCallerAddress: true }),
    ...(kind === 'user' && { kind }),
    ...(originScriptIds && { originScriptIds }),
    ...(traceparent && { traceparent }),
    ...(claimants && claimants.length > 0 && { claimants }),
    ...(later.consents.length > 0 && { later }),
  }
}

/** True if a server sent its own address as the person's. */
const isOwnAddress = ({ origin, ip }: RecordEvent['context'], person: EventWithPerson['person']) =>
  origin === undefined && ip !== undefined && person.ip === ip

const hasNone = (captured: object) => Object.keys(captured).length === 0
const hasCaptured = ({ profile }: KnownUser) => !hasNone(profile.captured)
