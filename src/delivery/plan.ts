import type { Consent } from '#consent/consent.ts'
import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Place } from '#contract/journey.ts'
import { erasedUserId } from '#event/eraseEvents.ts'
import { isSelected } from '#event/providerSelection.ts'
import type { EventContext } from '#event/record.ts'
import { isInside, parseRegions, type RegionRule } from '#geo/region.ts'
import { isTooOld } from '#provider/engine/buildRequests.ts'
import { vendorEventName } from '#provider/engine/vendorEventName.ts'
import type { Provider } from '#provider/form/provider.ts'
import { rulesOf } from '#rule/compileRules.ts'
import type { FilterInput } from '#rule/filterInput.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { type DeliveryOf, deliveryIdOf } from '#store/deliveryId.ts'
import { type PlannedDelivery, type PlannedEvent, unreadable } from '#store/plannedEvent.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { OtherHalf } from './joinHalves.ts'
import type { ResolvedUser } from './resolveUser.ts'

/** One event and all inputs of its plan. */
export type PlanInput = {
  position: number
  index: number
  event: TagEvent
  context: EventContext
  /** The user id that the event came with. */
  userId: string
  tag: Snapshot
  user: Pick<ResolvedUser, 'emailMatch' | 'waitsFor'> & Partial<Pick<ResolvedUser, 'facts' | 'own'>>
  consent: Consent
  place: Place
  now: number
  /** A plugin filtered the event. */
  isFiltered?: true
  /** The other half of a purchase that both a page and a shop report. */
  otherHalf?: OtherHalf | undefined
}

type BasePlanInput = Omit<PlanInput, 'user' | 'consent' | 'place' | 'otherHalf'>

/**
 * The plan of an event: one delivery for every script of its tag. A delivery that is not sent has a reason. A user
 * update only has deliveries for providers that accept user events; a consent has none.
 */
export function plan(input: PlanInput, providers: DeliveryDeps['providers']): PlannedEvent {
  const { tag, context, consent, place, user, otherHalf } = input
  const consentUntil = consent.trace.source === 'none' ? context.receivedAt + holdMs(tag) : 0
  const joinUntil = otherHalf?.waitUntil ?? 0
  const until = Math.max(consentUntil, joinUntil)
  const deliveries = tag.scripts
    .filter((script) => context.preview === undefined && receivesKind(context.kind, providers[script.providerId]))
    .map((script) => deliveryOf(script, skipReason(script, input, providers), placeOf(input), consentUntil))
    .map((delivery) => joinedDelivery(delivery, otherHalf, input.now))
  const isHeld = deliveries.some(({ status }) => status === 'held')
  return {
    ...eventOf(input),
    consent: consent.trace,
    place,
    deliveries,
    ...(user.emailMatch && { emailMatch: user.emailMatch }),
    ...(isHeld && { held: { waitsFor: user.waitsFor, until } }),
  }
}

/** Makes a sendable delivery wait for the other half of its purchase, or marks it as a duplicate of that half. */
function joinedDelivery(
  delivery: PlannedDelivery,
  { takenBy, waitUntil = 0 }: OtherHalf = {},
  now: number,
): PlannedDelivery {
  const isTaken = takenBy === 'all' || takenBy?.has(delivery.scriptId) === true
  if (isTaken && (delivery.status === 'pending' || delivery.status === 'held'))
    return { ...delivery, status: 'skipped', reason: 'duplicate' }
  return delivery.status === 'pending' && now < waitUntil
    ? { ...delivery, status: 'held', reason: 'duplicate' }
    : delivery
}

const holdMs = ({ hold = 'off' }: Snapshot) => (hold === 'off' ? 0 : hold * 60_000)

const receivesKind = (kind: EventContext['kind'], provider: Provider | undefined) =>
  kind === undefined || (kind === 'user' && provider?.acceptsUserEvents === true)

/** The plan of an event whose decision throws. A replay decides it again. */
export const planPoison = (input: BasePlanInput, providers: DeliveryDeps['providers']): PlannedEvent =>
  planDead(
    input,
    'poison',
    input.tag.scripts.filter(({ providerId }) => receivesKind(input.context.kind, providers[providerId])),
  )

/** The plan of an event whose user was erased after the event arrived. */
export const planErased = (input: BasePlanInput): PlannedEvent => ({
  ...planDead(input, 'erased', input.context.kind === undefined ? input.tag.scripts : []),
  userId: erasedUserId,
})

const planDead = (input: BasePlanInput, reason: DeliveryReason, scripts: readonly SnapshotScript[]): PlannedEvent => ({
  ...eventOf(input),
  consent: { source: 'none' },
  place: { source: 'unknown' },
  deliveries: deadDeliveries(scripts, reason, placeOf(input)),
})

/** The event of a delivery, and the time of its plan. */
type EventPlace = Omit<DeliveryOf, 'scriptId'> & { now: number }
const placeOf = ({ position, index, context: { receivedAt }, now }: BasePlanInput): EventPlace => {
  return { position, index, receivedAt, now }
}

const deadDeliveries = (scripts: readonly SnapshotScript[], reason: DeliveryReason, place: EventPlace) =>
  scripts.map((script): PlannedDelivery => ({ ...deliveryOf(script, undefined, place), status: 'dead', reason }))

/**
 * The plan of an event whose record cannot be opened. Its name and user are unknown; a replay determines them once the
 * record can be opened.
 */
export const planUnreadable = ({
  position,
  index,
  tag,
  now,
}: Pick<BasePlanInput, 'position' | 'index' | 'tag' | 'now'>): PlannedEvent => ({
  position,
  index,
  tagId: tag.tagId,
  eventName: unreadable,
  userId: unreadable,
  receivedAt: now,
  consent: { source: 'none' },
  place: { source: 'unknown' },
  deliveries: deadDeliveries(tag.scripts, 'poison', { position, index, receivedAt: now, now }),
})

/** Why a script does not get an event; undefined if it does. The first applicable reason is returned. */
function skipReason(
  script: SnapshotScript,
  input: PlanInput,
  providers: DeliveryDeps['providers'],
): DeliveryReason | undefined {
  const { event, context, consent, place, now } = input
  if (input.isFiltered || context.originScriptIds?.includes(script.scriptId)) return 'filtered'
  const provider = providers[script.providerId]
  if (!isSelected(event.providers, script.providerId, script.name)) return 'notSelected'
  if (!provider) return 'eventNotSupported'
  if (!consent.allows(script, script.consentCategory ?? provider.consent[0], provider.limitedUse)) return 'consent'
  if (!isInside(regionsOf(script), place)) return 'region'
  const rules = context.kind === undefined ? rulesOf(script) : undefined
  if (rules?.whyFiltered(filterInput(input, provider), input.userId)) return 'filtered'
  const eventName = rules?.nameOf(event.eventName) ?? event.eventName
  if (context.kind === undefined && vendorEventName(provider, eventName) === undefined) return 'eventNotSupported'
  if (isTooOld(provider, event.timestamp, now)) return 'tooOld'
  return undefined
}

const deliveryOf = (
  { scriptId, providerId }: SnapshotScript,
  reason: DeliveryReason | undefined,
  place: EventPlace,
  holdUntil = 0,
): PlannedDelivery => {
  const deliveryId = deliveryIdOf({ ...place, scriptId })
  if (!reason) return { deliveryId, scriptId, providerId, status: 'pending' }
  const status = reason === 'consent' && place.now < holdUntil ? 'held' : 'skipped'
  return { deliveryId, scriptId, providerId, status, reason }
}

const eventOf = ({ position, index, event, context, userId, tag }: Omit<BasePlanInput, 'now'>) => ({
  position,
  index,
  tagId: tag.tagId,
  eventName: event.eventName,
  userId,
  receivedAt: context.receivedAt,
})

/** The input of a channel's rules. */
const filterInput = (
  { event, place, consent, user: { facts, own } }: PlanInput,
  { limitedUse }: Provider,
): FilterInput => ({
  event,
  place,
  sharesPii: ((limitedUse && consent.limited) || consent).sharePii,
  hasKey: (key) => (facts?.keys[key] ?? own?.keys[key]) !== undefined,
})

const nowhere: RegionRule = { include: new Set(['nowhere']), exclude: new Set() }
const compiled = new WeakMap<SnapshotScript, RegionRule>()

/** The regions of a script, parsed once per deployment. Invalid regions match nowhere; the API rejects them. */
function regionsOf(script: SnapshotScript): RegionRule {
  const cached = compiled.get(script)
  if (cached) return cached
  const parsed = parseRegions(script.geoRegions)
  const regions = 'regions' in parsed ? parsed.regions : nowhere
  compiled.set(script, regions)
  return regions
}
