import { decideConsent } from '#consent/consent.ts'
import { type Identity, identityOf } from '#provider/engine/identity.ts'
import type { ConsentSignals } from '#provider/form/consentSignals.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { LeasedRecord } from '#stream/stream.ts'
import { attachPerson, type EventWithPerson, withoutPii } from '#user/outboundPerson.ts'
import type { KnownUser, Profiles } from '#user/profiles.ts'
import { applyPlugins } from './applyPlugins.ts'
import type { CaptureRuleSource } from './captureRules.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { type OpenedRecord, openRecordCache, openStreamRecord } from './recordCache.ts'
import { consentsOf, resolveUser } from './resolveUser.ts'

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
  claimants?: readonly KnownUser[]
}

/** Opens the events of the stream and builds what is sent of them. */
export type OutboundEvents = {
  /** Opens a record and caches it. Throws if it cannot be opened or is not JSON. */
  open(leased: Pick<LeasedRecord, 'position' | 'payload'>, tag: Snapshot): OpenedRecord
  /**
   * The number of deliveries that will call `outgoing` for this position. The record leaves the cache after the last.
   */
  expect(position: number, deliveries: number): void
  /** The record at this position; undefined if the stream has dropped it. Throws if it cannot be opened. */
  at(position: number, tag: Snapshot): Promise<OpenedRecord | undefined>
  /** `expired`: the stream has dropped the event. */
  outgoing(place: { position: number; index: number }, tag: Snapshot): Promise<OutboundEvent | NoEvent | 'expired'>
}

export type EventsDeps = Pick<DeliveryDeps, 'stream' | 'keys' | 'brand' | 'plugins' | 'rates' | 'clock'> & {
  people: Profiles
  captures: CaptureRuleSource['ofTag']
}

export function openOutboundEvents(deps: EventsDeps): OutboundEvents {
  const cache = openRecordCache<Promise<OutboundEvent | NoEvent>>(deps.stream)
  const reading = new Map<number, Promise<ReturnType<typeof open> | undefined>>()

  const open = (leased: Pick<LeasedRecord, 'position' | 'payload'>, tag: Snapshot) =>
    cache.add(openStreamRecord(leased, tag, deps.keys))
  async function read(position: number, tag: Snapshot) {
    const leased = await deps.stream.read(position)
    return leased && open(leased, tag)
  }
  function at(position: number, tag: Snapshot) {
    const cached = cache.get(position) ?? reading.get(position)
    if (cached) return cached
    const loading = read(position, tag).finally(() => reading.delete(position))
    reading.set(position, loading)
    return loading
  }

  return {
    open: (leased, tag) => open(leased, tag).record,
    expect: cache.expect,
    at: async (position, tag) => (await at(position, tag))?.record,
    async outgoing({ position, index }, tag) {
      const opened = await at(position, tag)
      if (!opened) return 'expired'
      cache.markUsed(position)
      const cached = opened.built.get(index)
      if (cached) return cached
      const built = buildOutboundEvent(opened.record, index, tag, deps)
      opened.built.set(index, built)
      built.catch(() => opened.built.delete(index))
      return built
    },
  }
}

/** The event with the personal data that its consent allows. */
async function buildOutboundEvent(
  record: OpenedRecord,
  index: number,
  tag: Snapshot,
  deps: EventsDeps,
): Promise<OutboundEvent | NoEvent> {
  const recordEvent = record.events[index]!
  const { event, context } = recordEvent
  const user = await resolveUser(recordEvent, tag, deps)
  if (user.isErased) return 'erased'
  const pluginResult = applyPlugins(recordEvent, { tag, user }, deps)
  if ('filtered' in pluginResult) return 'filtered'
  const outbound = attachPerson(pluginResult.event, { ...user, context })
  const { sharePii, signals } = decideConsent({ event, context, tag, brand: deps.brand, known: consentsOf(user) })
  const shared = sharePii ? outbound : withoutPii(outbound)
  const { kind, originScriptIds } = context
  const claimants = sharePii && hasNone(outbound.captured) ? user.email?.claimants.filter(hasCaptured) : undefined
  return {
    ...shared,
    identity: identityOf(shared.person),
    consent: signals,
    ...(kind === 'user' && { kind }),
    ...(originScriptIds && { originScriptIds }),
    ...(claimants && claimants.length > 0 && { claimants }),
  }
}

const hasNone = (captured: object) => Object.keys(captured).length === 0
const hasCaptured = ({ profile }: KnownUser) => !hasNone(profile.captured)
