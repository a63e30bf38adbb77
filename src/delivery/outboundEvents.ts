import type { RecordEvent } from '#event/record.ts'
import { type Identity, identityOf } from '#provider/engine/identity.ts'
import type { ConsentSignals } from '#provider/form/consentSignals.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { LeasedRecord } from '#stream/stream.ts'
import { attachPerson, type EventWithPerson, withoutPii } from '#user/outboundPerson.ts'
import type { Profile } from '#user/profile.ts'
import type { KnownUser } from '#user/profiles.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { type OpenedRecord, openRecordCache, openStreamRecord, toOpenedRecord } from './recordCache.ts'
import {
  isCurrent,
  type LaterConsents,
  type ResolvedEvent,
  type ResolveEventDeps,
  resolveEvent,
} from './resolveEvent.ts'

/** Why an event is not sent: its user was erased, or a plugin filters it. */
type NoEvent = 'erased' | 'filtered'

/**
 * An event with its user, built once for all channels. `claimants`: if nothing was captured from the event's user, the
 * users who claim its e-mail and have captured values, last seen first.
 */
export type OutboundEvent = EventWithPerson & {
  identity: Identity
  consent: ConsentSignals
  kind?: 'user'
  originScriptIds?: readonly string[]
  /** The span of the request by which the event came. */
  traceparent?: string
  claimants?: readonly KnownUser[]
  /** Absent if no consent was given after the event came. */
  later?: LaterConsents
}

/** Opens the events of the stream and builds what is sent of them. */
export type OutboundEvents = {
  /** Opens a record and caches it. Throws if it cannot be opened or is not JSON. */
  open(leased: Pick<LeasedRecord, 'position' | 'payload'>, tag: Snapshot): OpenedRecord
  /**
   * The number of deliveries that will call `outgoing` for this position. The record leaves the cache after the last.
   */
  expect(position: number, deliveries: number): void
  /** Keeps the decision on an event for its first attempts, as long as its record is cached. */
  keepDecision(place: { position: number; index: number }, decision: ResolvedEvent): void
  /** The record at this position; undefined if the stream has dropped it. Throws if it cannot be opened. */
  at(position: number, tag: Snapshot): Promise<OpenedRecord | undefined>
  /** `expired`: the stream has dropped the event. */
  outgoing(place: { position: number; index: number }, tag: Snapshot): Promise<OutboundEvent | NoEvent | 'expired'>
}

export type EventsDeps = Pick<DeliveryDeps, 'stream' | 'keys'> &
  Partial<Pick<DeliveryDeps, 'recentRecords'>> &
  ResolveEventDeps

type Built = { decision: ResolvedEvent | 'erased'; outbound: OutboundEvent | NoEvent }

export function openOutboundEvents(deps: EventsDeps): OutboundEvents {
  const cache = openRecordCache<ResolvedEvent, Promise<Built>>(deps.stream)
  const reading = new Map<number, Promise<ReturnType<typeof open> | undefined>>()

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
  function at(position: number, tag: Snapshot) {
    const cached = cache.get(position) ?? reading.get(position)
    if (cached) return cached
    const loading = read(position, tag).finally(() => reading.delete(position))
    reading.set(position, loading)
    return loading
  }
  const isUsable = (decision: ResolvedEvent | 'erased', tag: Snapshot, recordEvent: RecordEvent) =>
    decision === 'erased' || isCurrent(decision, tag, recordEvent, deps)
  async function build(decided: ResolvedEvent | undefined, recordEvent: RecordEvent, tag: Snapshot): Promise<Built> {
    const isDecided = decided && isUsable(decided, tag, recordEvent)
    const decision = isDecided ? decided : await resolveEvent(recordEvent, tag, deps)
    return { decision, outbound: decision === 'erased' ? 'erased' : buildOutboundEvent(recordEvent, decision) }
  }

  return {
    open: (leased, tag) => open(leased, tag).record,
    expect: cache.expect,
    keepDecision: (place, decision) => cache.keepDecision(place, decision, bytesOf(decision)),
    at: async (position, tag) => (await at(position, tag))?.record,
    async outgoing({ position, index }, tag) {
      const opened = await at(position, tag)
      if (!opened) return 'expired'
      cache.markUsed(position)
      const recordEvent = opened.record.events[index]!
      const known = opened.built.get(index)
      const built = known && (await known)
      if (built && isUsable(built.decision, tag, recordEvent)) return built.outbound
      if (opened.built.get(index) === known) {
        const building = build(opened.decided.get(index), recordEvent, tag)
        opened.built.set(index, building)
        building.catch(() => opened.built.delete(index))
      }
      return (await opened.built.get(index)!).outbound
    },
  }
}

/** The counted size of a decision, mainly of its users' profiles: a tenth of the most memory that they can take. */
function bytesOf({ user: { own, email } }: ResolvedEvent): number {
  const profiles = [own, email?.confirmed?.profile, ...(email?.claimants.map(({ profile }) => profile) ?? [])]
  return profiles.reduce((sum, profile) => sum + (profile ? 20 + 100 * sizeOf(profile) : 0), 20)
}
const sizeOf = ({ custom, captured }: Profile) => Object.keys(custom).length + Object.keys(captured).length

/** The event with the personal data that its consent allows. */
function buildOutboundEvent({ context }: RecordEvent, decision: ResolvedEvent): OutboundEvent | NoEvent {
  const { user, pluginResult, consent, later, tag, place } = decision
  if ('filtered' in pluginResult) return 'filtered'
  const { sharePii, signals } = consent
  const outbound = attachPerson(pluginResult.event, { ...user, context, tag, place })
  const shared = sharePii ? outbound : withoutPii(outbound)
  const { kind, originScriptIds, traceparent } = context
  const claimants = sharePii && hasNone(outbound.captured) ? user.email?.claimants.filter(hasCaptured) : undefined
  return {
    ...shared,
    identity: identityOf(shared.person),
    consent: signals,
    ...(kind === 'user' && { kind }),
    ...(originScriptIds && { originScriptIds }),
    ...(traceparent && { traceparent }),
    ...(claimants && claimants.length > 0 && { claimants }),
    ...(later.consents.length > 0 && { later }),
  }
}

const hasNone = (captured: object) => Object.keys(captured).length === 0
const hasCaptured = ({ profile }: KnownUser) => !hasNone(profile.captured)
