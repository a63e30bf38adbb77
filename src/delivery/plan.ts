import type { Consent } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Place } from '#contract/journey.ts'
import type { Reason } from '#contract/outcome.ts'
import { nobody } from '#event/erase.ts'
import type { EventContext } from '#event/record.ts'
import { isSelected } from '#event/select.ts'
import { isInside, parseRegions, type Regions } from '#geo/region.ts'
import { newId } from '#kit/id.ts'
import { isTooOld, theirName } from '#provider/build.ts'
import type { Provider } from '#provider/provider.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { PlannedDelivery, PlannedEvent } from '#store/store.ts'
import type { Whose } from './whose.ts'
import type { DeliveryWorld } from './world.ts'

/** One event and all that decides about it. */
export type Asked = {
  position: number
  index: number
  event: TagEvent
  context: EventContext
  /** Who it came under. */
  userId: string
  tag: Snapshot
  whose: Pick<Whose, 'joined' | 'waitsFor'>
  consent: Consent
  place: Place
  now: number
  /** A plugin keeps it from every channel. */
  isFiltered?: true
}

type Bare = Omit<Asked, 'whose' | 'consent' | 'place'>

/**
 * What becomes of an event: one delivery for every script of its tag, those that are not made with their reason. Of what
 * became known of a person only those are told that take it; of a consent, nobody.
 */
export function plan(asked: Asked, providers: DeliveryWorld['providers']): PlannedEvent {
  const { tag, context, consent, place, whose, now } = asked
  const until = consent.trace.source === 'none' ? context.receivedAt + holdMs(tag) : 0
  const deliveries = tag.scripts
    .filter((script) => isToldOf(context.kind, providers[script.providerId]))
    .map((script) => deliveryOf(script, reasonAgainst(script, asked, providers), now, until))
  const isHeld = deliveries.some(({ status }) => status === 'held')
  return {
    ...eventOf(asked),
    consent: consent.trace,
    place,
    deliveries,
    ...(whose.joined && { joined: whose.joined }),
    ...(isHeld && { held: { waitsFor: whose.waitsFor, until } }),
  }
}

const holdMs = ({ hold = 'off' }: Snapshot) => (hold === 'off' ? 0 : hold * 60_000)

const isToldOf = (kind: EventContext['kind'], provider: Provider | undefined) =>
  kind === undefined || (kind === 'user' && provider?.takesUsers === true)

/** An event that nothing can be decided about, because deciding throws. */
export const planPoison = (asked: Bare): PlannedEvent => planDead(asked, 'poison')

/** An event whose user has been erased since it came. */
export const planErased = (asked: Bare): PlannedEvent => ({ ...planDead(asked, 'erased'), userId: nobody })

function planDead(asked: Bare, reason: Reason): PlannedEvent {
  const { tag, context, now } = asked
  const scripts = context.kind === undefined ? tag.scripts : []
  const deliveries = scripts.map(
    (script): PlannedDelivery => ({ ...deliveryOf(script, undefined, now), status: 'dead', reason }),
  )
  return { ...eventOf(asked), consent: { source: 'none' }, place: { source: 'unknown' }, deliveries }
}

/** Why a script does not get an event, or undefined when it does. The first reason that holds is the one that is told. */
function reasonAgainst(
  script: SnapshotScript,
  asked: Asked,
  providers: DeliveryWorld['providers'],
): Reason | undefined {
  const { event, context, consent, place, now } = asked
  if (asked.isFiltered || context.makers?.includes(script.scriptId)) return 'filtered'
  const provider = providers[script.providerId]
  if (!isSelected(event.providers, script.providerId, script.name)) return 'notSelected'
  if (!provider) return 'eventNotSupported'
  if (!consent.allows(script, script.consentCategory ?? provider.consent[0])) return 'consent'
  if (!isInside(regionsOf(script), place)) return 'region'
  if (context.kind === undefined && theirName(provider, event.eventName) === undefined) return 'eventNotSupported'
  if (isTooOld(provider, event.timestamp, now)) return 'tooOld'
  return undefined
}

const deliveryOf = (
  { scriptId, providerId }: SnapshotScript,
  reason: Reason | undefined,
  now: number,
  holdUntil = 0,
): PlannedDelivery => {
  const deliveryId = newId('dlv', now)
  if (!reason) return { deliveryId, scriptId, providerId, status: 'pending' }
  const status = reason === 'consent' && now < holdUntil ? 'held' : 'skipped'
  return { deliveryId, scriptId, providerId, status, reason }
}

const eventOf = ({ position, index, event, context, userId, tag }: Omit<Bare, 'now'>) => ({
  position,
  index,
  tagId: tag.tagId,
  eventName: event.eventName,
  userId,
  receivedAt: context.receivedAt,
})

const nowhere: Regions = { include: new Set(['nowhere']), exclude: new Set() }
const compiled = new WeakMap<SnapshotScript, Regions>()

/** Read once per deployed script. Regions that do not read were never let in: such a script runs nowhere. */
function regionsOf(script: SnapshotScript): Regions {
  const known = compiled.get(script)
  if (known) return known
  const read = parseRegions(script.geoRegions)
  const regions = 'regions' in read ? read.regions : nowhere
  compiled.set(script, regions)
  return regions
}
