import { decideConsent, eventConsent, type StoredConsent } from '#consent/consent.ts'
import { ingestAddedEvent, sealEntry } from '#event/ingest.ts'
import type { RecordEvent } from '#event/record.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import type { PluginResult } from '#plugin/plugin.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { PlannedEvent } from '#store/store.ts'
import type { StreamEntry } from '#stream/stream.ts'
import {
  type EmailAssociation,
  type EventFacts,
  hasEmail,
  noUserFacts,
  type Profile,
  type UserFacts,
  updateProfile,
} from '#user/profile.ts'
import { applyPlugins } from './applyPlugins.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { eventLocation } from './eventLocation.ts'
import { type PlanInput, plan, planErased, planPoison } from './plan.ts'
import type { OpenedRecord } from './recordCache.ts'
import { consentsOf, isConfirming, lastPlace, type ResolvedUser, resolveUser, waitingFor } from './resolveUser.ts'

export type DeciderDeps = DeliveryDeps & Parameters<typeof resolveUser>[2] & { giveUp: AbortSignal }
/** The dependencies of deciding again, which updates no profile. */
export type RedecideDeps = Pick<
  DeciderDeps,
  'clock' | 'log' | 'people' | 'captures' | 'giveUp' | 'brand' | 'locate' | 'providers' | 'plugins' | 'rates'
>

/** `written` resolves when the write is on disk. In an object, because an async function would await a bare promise. */
export type PendingWrite = { written: Promise<void> }

/**
 * The decision on an event. `consentKeys`: the keys of the held events that its consent releases
 * (`ResolvedUser.waitsFor`); `waitsFor`: the key that the event itself would wait for; `added`: the events that plugins
 * added.
 */
export type Decision = {
  planned: PlannedEvent
  profileWrites: PendingWrite[]
  consentKeys?: readonly string[]
  waitsFor?: string
  isErased?: true
  added?: readonly StreamEntry[]
}

/**
 * Decides which channels get an event of a record, by its user, location and consent, and updates the user's profile.
 * Never throws.
 */
export async function decide(record: OpenedRecord, index: number, tag: Snapshot, deps: DeciderDeps): Promise<Decision> {
  const { position } = record
  const recordEvent = record.events[index]!
  const { event, context } = recordEvent
  const input = { position, index, ...recordEvent, tag, now: deps.clock.now() }
  try {
    const user = await lookUpUser(recordEvent, tag, deps)
    if (user.isErased) return { planned: planErased(input), profileWrites: [], isErased: true }
    const pluginResult = applyPlugins(recordEvent, { tag, user }, deps)
    const planned = planDecided(input, user, pluginResult, deps)
    const newConsent = eventConsent(event, context.receivedAt, deps.brand, tag)
    const profileWrites = await updateProfiles({ ...input, place: planned.place, pluginResult }, user, newConsent, deps)
    const consentKeys = newConsent && isStored(context, user) && consentKeysOf(user)
    const added =
      'more' in pluginResult &&
      pluginResult.more?.map((event) => sealEntry([ingestAddedEvent(event, recordEvent, deps)], tag, deps.keys))
    const { waitsFor } = user
    return { planned, profileWrites, waitsFor, ...(consentKeys && { consentKeys }), ...(added && { added }) }
  } catch (error) {
    deps.log({ level: 'error', message: 'an event could not be planned', tagId: tag.tagId, position, index, error })
    return { planned: planPoison(input), profileWrites: [] }
  }
}

/** Decides again which channels get an event, by the profiles as they are now. Updates no profile. */
export async function redecide(
  record: OpenedRecord,
  index: number,
  tag: Snapshot,
  deps: RedecideDeps,
): Promise<PlannedEvent> {
  const recordEvent = record.events[index]!
  const input = { position: record.position, index, ...recordEvent, tag, now: deps.clock.now() }
  const user = await lookUpUser(recordEvent, tag, deps)
  return user.isErased
    ? planErased(input)
    : planDecided(input, user, applyPlugins(recordEvent, { tag, user }, deps), deps)
}

async function lookUpUser(recordEvent: RecordEvent, tag: Snapshot, deps: RedecideDeps): Promise<ResolvedUser> {
  let user: ResolvedUser | undefined
  const read = async () => {
    user = await resolveUser(recordEvent, tag, deps)
  }
  await retryUntilDone('read a user profile', read, deps, deps.giveUp)
  if (!user) throw new Error('The worker stopped before the user of the event was read.')
  return user
}

function planDecided(
  input: Omit<PlanInput, 'consent' | 'place' | 'user'>,
  user: ResolvedUser,
  pluginResult: PluginResult,
  deps: RedecideDeps,
): PlannedEvent {
  const { event, context, tag } = input
  const place = eventLocation(event, context, lastPlace(context, user), deps.locate)
  const consent = decideConsent({ event, context, tag, brand: deps.brand, known: consentsOf(user) })
  const sendable = 'filtered' in pluginResult ? { isFiltered: true as const } : { event: pluginResult.event }
  return plan({ ...input, ...sendable, user, consent, place }, deps.providers)
}

type ProfileUpdateInput = Omit<PlanInput, 'consent' | 'user'> & { pluginResult: PluginResult }

/** The consent of an event is stored if its caller presented the user id, or is trusted and names an e-mail. */
const isStored = ({ hasExplicitUserId, trusted }: ProfileUpdateInput['context'], { email }: ResolvedUser) =>
  hasExplicitUserId || (trusted && email !== undefined)

/** A stored consent releases the held events that wait for this user or for the e-mail. */
const consentKeysOf = ({ userId, email }: ResolvedUser): string[] =>
  email ? [userId, waitingFor(email.key)] : [userId]

/**
 * How the event links its user to its e-mail. A server call without a user id claims no e-mail: offline purchases would
 * match each other. A trusted call without a user id belongs to the user of the e-mail.
 */
function namingOf({
  context,
  facts,
  email,
}: Pick<ProfileUpdateInput, 'context'> & ResolvedUser): EmailAssociation | undefined {
  if (!email || facts.keys.email === undefined) return undefined
  const isClaimed = context.hasExplicitUserId || (context.origin !== undefined && !context.trusted)
  const isConfirmed = isConfirming(context, facts)
  return isClaimed || isConfirmed ? { key: email.key, isClaimed, isConfirmed } : undefined
}

/** Updates the profile of the event's user: facts, location, consent and the history of plugins. */
async function updateProfiles(
  { event, context, tag, place, pluginResult }: ProfileUpdateInput,
  user: ResolvedUser,
  newConsent: StoredConsent | undefined,
  deps: DeciderDeps,
): Promise<PendingWrite[]> {
  const naming = namingOf({ context, ...user })
  const isKnownAgain = context.hasExplicitUserId || context.origin !== undefined || naming !== undefined
  const facts = context.kind === 'consent' ? consentFacts(context, user) : user.facts
  const { source, ...location } = place
  const eventFacts: EventFacts = {
    at: event.timestamp,
    ...(source === 'request' && { place: location }),
    ...(isKnownAgain && 'history' in pluginResult && { history: pluginResult.history }),
    ...(isStored(context, user) && { consent: newConsent }),
  }
  const target = { tag, userId: user.userId }
  const profileNaming = context.kind === 'consent' && context.hasExplicitUserId ? undefined : naming
  const write = await changeProfile(
    target,
    user.own,
    (before) => updateProfile(before, facts, eventFacts),
    deps,
    profileNaming,
  )
  return write ? [write] : []
}

/** The facts of a consent: only the e-mail of a trusted call without a user id, because it names the user. */
const consentFacts = ({ hasExplicitUserId }: ProfileUpdateInput['context'], { facts }: ResolvedUser): UserFacts =>
  hasExplicitUserId || facts.keys.email === undefined
    ? noUserFacts
    : { ...noUserFacts, keys: { email: facts.keys.email } }

/** Writes the profile only if it changes; most events change nothing. */
async function changeProfile(
  target: { tag: Snapshot; userId: string },
  before: Profile | undefined,
  update: (before: Profile | undefined) => Profile | undefined,
  deps: DeciderDeps,
  naming?: EmailAssociation,
): Promise<PendingWrite | undefined> {
  const changed = update(before)
  const isNew = changed !== before || (naming && changed && !hasEmail(changed, naming))
  return changed && isNew ? deps.people.change(target, update, naming) : undefined
}
