import type { Consent } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Place } from '#contract/journey.ts'
import type { Reason } from '#contract/outcome.ts'
import { type EventContext, userOf } from '#event/record.ts'
import { isSelected } from '#event/select.ts'
import { isInside, parseRegions, type Regions } from '#geo/region.ts'
import { newId } from '#kit/id.ts'
import { isTooOld, theirName } from '#provider/build.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { PlannedDelivery, PlannedEvent } from '#store/store.ts'
import type { DeliveryWorld } from './world.ts'

/** One event and all that decides about it. */
export type Asked = {
  position: number
  index: number
  event: TagEvent
  context: EventContext
  tag: Snapshot
  consent: Consent
  place: Place
  now: number
}

/** What becomes of an event: one delivery for every script of its tag, those that are not made with their reason. */
export function plan(asked: Asked, providers: DeliveryWorld['providers']): PlannedEvent {
  const { tag, consent, place, now } = asked
  const deliveries = tag.scripts.map((script) => deliveryOf(script, reasonAgainst(script, asked, providers), now))
  return { ...eventOf(asked), consent: consent.trace, place, deliveries }
}

/** An event that nothing can be decided about, because deciding throws. */
export function planPoison(
  asked: Pick<Asked, 'position' | 'index' | 'event' | 'context' | 'tag' | 'now'>,
): PlannedEvent {
  const deliveries = asked.tag.scripts.map(
    (script): PlannedDelivery => ({ ...deliveryOf(script, undefined, asked.now), status: 'dead', reason: 'poison' }),
  )
  return { ...eventOf(asked), consent: { source: 'none' }, place: { source: 'unknown' }, deliveries }
}

/** Why a script does not get an event, or undefined when it does. The first reason that holds is the one that is told. */
function reasonAgainst(
  script: SnapshotScript,
  asked: Asked,
  providers: DeliveryWorld['providers'],
): Reason | undefined {
  const { event, consent, place, now } = asked
  const provider = providers[script.providerId]
  if (!isSelected(event.providers, script.providerId, script.name)) return 'notSelected'
  if (!provider) return 'eventNotSupported'
  if (!consent.allows(script, script.consentCategory ?? provider.consent[0])) return 'consent'
  if (!isInside(regionsOf(script), place)) return 'region'
  if (theirName(provider, event.eventName) === undefined) return 'eventNotSupported'
  if (isTooOld(provider, event.timestamp, now)) return 'tooOld'
  return undefined
}

const deliveryOf = (
  { scriptId, providerId }: SnapshotScript,
  reason: Reason | undefined,
  now: number,
): PlannedDelivery => {
  const deliveryId = newId('dlv', now)
  return reason
    ? { deliveryId, scriptId, providerId, status: 'skipped', reason }
    : { deliveryId, scriptId, providerId, status: 'pending' }
}

const eventOf = ({
  position,
  index,
  event,
  context,
  tag,
}: Pick<Asked, 'position' | 'index' | 'event' | 'context' | 'tag'>) => ({
  position,
  index,
  tagId: tag.tagId,
  eventName: event.eventName,
  userId: userOf(context, index),
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
