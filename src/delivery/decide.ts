import { isAnswer } from '#consent/statedConsent.ts'
import { ingestAddedEvent, sealEntry } from '#event/ingest.ts'
import { orderHash } from '#event/orderHash.ts'
import { purchaseFacts } from '#event/purchaseFacts.ts'
import type { RecordEvent } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { PlannedEvent } from '#store/store.ts'
import type { StreamEntry } from '#stream/stream.ts'
import { customerUserId, withCustomerEmail } from '#user/customer.ts'
import { isInEvent, profileAfter } from '#user/eventProfile.ts'
import {
  type EmailAssociation,
  type EventFacts,
  hasEmail,
  isOtherCustomer,
  noUserFacts,
  type Profile,
  type UserFacts,
} from '#user/profile.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { findOtherHalf, type OtherHalf } from './joinHalves.ts'
import { type PlanInput, plan, planErased, planPoison } from './plan.ts'
import type { OpenedRecord } from './recordCache.ts'
import { type ResolvedEvent, type ResolveEventDeps, type RetryDeps, resolveEvent } from './resolveEvent.ts'
import { givenCustomer, isConfirming, type ResolvedUser, waitingFor } from './resolveUser.ts'
import { untilStoreAnswers } from './untilStoreAnswers.ts'

/** Dependencies of `redecide`, which updates no profile. */
export type RedecideDeps = ResolveEventDeps &
  RetryDeps &
  Pick<DeliveryDeps, 'providers'> & {
    /** Absent for a test of a single event, which has no other half. */
    stream?: Pick<DeliveryDeps['stream'], 'find' | 'read'>
    store?: { journal: Pick<DeliveryDeps['store']['journal'], 'event'> }
    keys: DeliveryDeps['keys']
  }
export type DeciderDeps = DeliveryDeps & RedecideDeps

/**
 * Logs that an event could not be planned. If the worker has given up its slots or its process is stopping, this is
 * not an error: nothing of the decision is written, and the next owner of the slot plans the event.
 */
export function logUnplanned(
  what: 'an event' | 'a held event',
  event: { tagId: string; position: number; index: number; error: unknown },
  { log, giveUp }: Pick<RetryDeps, 'log' | 'giveUp'>,
): void {
  if (giveUp.aborted) log({ message: `this worker has stopped; another one plans ${what}`, ...event })
  else log({ level: 'error', message: `could not plan ${what}`, ...event })
}

/**
 * `written` resolves when the write is on disk. Wrapped in an object, because an async function would await a bare
 * promise.
 */
export type PendingWrite = { written: Promise<void> }

/**
 * The decision on an event. `resolved`: basis of the decision, used at the first attempts; absent if nothing is sent.
 * `consentKeys`: keys of the held events that its consent releases (`ResolvedUser.waitsFor`). `waitsFor`: key that the
 * event itself would wait for. `added`: events that plugins added.
 */
type Decision = {
  planned: PlannedEvent
  profileWrites: PendingWrite[]
  resolved?: ResolvedEvent
  consentKeys?: readonly string[]
  waitsFor?: string
  isErased?: true
  isPoison?: true
  added?: readonly StreamEntry[]
}

/**
 * Decides which channels get an event of a record: all steps, in order. Updates the user's profile. Never throws: an
 * event that cannot be decided is planned as dead, and a replay decides it again.
 */
export async function decide(record: OpenedRecord, index: number, tag: Snapshot, deps: DeciderDeps): Promise<Decision> {
  const { position } = record
  const recordEvent = record.events[index]!
  const input = { position, index, ...recordEvent, tag, now: deps.clock.now() }
  try {
    const resolved = await resolveEvent(recordEvent, tag, deps, deps) // user, plugins, location and consent
    if (resolved === 'erased')
      return { planned: { ...planErased(input), ...orderFacts(input, deps.keys) }, profileWrites: [], isErased: true }
    const otherHalf = await otherHalfOf(recordEvent, tag, deps) // a purchase that a shop also reports
    const planned = planResolved({ ...input, otherHalf }, resolved, deps) // a delivery per script, or the reason for none
    const profileWrites = await updateProfiles(input, resolved, deps, isAlone(record, index)) // the user data of the event
    const added = addedEntries(recordEvent, resolved, deps) // to the stream
    const consentKeys = releasedKeys(input, resolved) // the held events that its consent releases
    const { waitsFor } = resolved.user
    return { planned, resolved, profileWrites, waitsFor, ...(consentKeys && { consentKeys }), ...(added && { added }) }
  } catch (error) {
    logUnplanned('an event', { tagId: tag.tagId, position, index, error }, deps)
    return { planned: poisonPlan(input, deps), profileWrites: [], isPoison: true }
  }
}

/** The plan of an event that cannot be decided. It includes the order if the order can be read. */
function poisonPlan(input: DecideInput, { providers, keys }: Pick<RedecideDeps, 'providers' | 'keys'>): PlannedEvent {
  const planned = planPoison(input, providers)
  try {
    return { ...planned, ...orderFacts(input, keys) }
  } catch {
    return planned
  }
}

/** `resolved`: the basis of the decision; absent if the user was erased. */
type Redecision = { planned: PlannedEvent; resolved?: ResolvedEvent }

/** Decides again which channels get an event, using the current profiles. Updates no profile. */
export async function redecide(
  record: OpenedRecord,
  index: number,
  tag: Snapshot,
  deps: RedecideDeps,
): Promise<Redecision> {
  const recordEvent = record.events[index]!
  const input = { position: record.position, index, ...recordEvent, tag, now: deps.clock.now() }
  const resolved = await resolveEvent(recordEvent, tag, deps, deps)
  if (resolved === 'erased') return { planned: planErased(input) }
  const otherHalf = await otherHalfOf(recordEvent, tag, deps)
  return { planned: planResolved({ ...input, otherHalf }, resolved, deps), resolved }
}

/** Looks up the other half of an event; retries until the store answers. */
async function otherHalfOf(
  recordEvent: RecordEvent,
  tag: Snapshot,
  deps: RedecideDeps,
): Promise<OtherHalf | undefined> {
  const { stream, store, keys } = deps
  if (!tag.shops || !stream || !store) return undefined
  return untilStoreAnswers(
    'look for the other half of a purchase',
    () => findOtherHalf(recordEvent, tag, { stream, store, keys }),
    deps,
  )
}

type DecideInput = Omit<PlanInput, 'consent' | 'place' | 'user'>

function orderFacts(input: DecideInput, keys: RedecideDeps['keys']): Pick<PlannedEvent, 'orderHash' | 'purchase'> {
  const hash = orderHash(input.tag, input.event.data?.orderId, keys)
  const purchase = purchaseFacts(input, keys)
  return { ...(hash && { orderHash: hash }), ...(purchase && { purchase }) }
}

function planResolved(
  input: DecideInput,
  { user, pluginResult, place, consent }: ResolvedEvent,
  { providers, keys }: Pick<RedecideDeps, 'providers' | 'keys'>,
): PlannedEvent {
  const sendable = 'filtered' in pluginResult ? { isFiltered: true as const } : { event: pluginResult.event }
  return { ...plan({ ...input, ...sendable, user, consent, place }, providers), ...orderFacts(input, keys) }
}

function addedEntries(
  recordEvent: RecordEvent,
  { tag, pluginResult }: ResolvedEvent,
  { keys, stream }: Pick<DeciderDeps, 'keys' | 'stream'>,
): StreamEntry[] | undefined {
  if (!('more' in pluginResult)) return undefined
  const slot = stream.slotFor?.(tag.tagId, recordEvent.userId)
  return pluginResult.more?.map((event) => {
    const item = ingestAddedEvent(event, recordEvent, { keys })
    return sealEntry([slot === undefined ? item : { ...item, slot }], tag, keys)
  })
}

/** The consent of an event is stored if its caller presented the user id, or is trusted and identifies the user. */
const isStored = (context: DecideInput['context'], user: ResolvedUser) =>
  context.hasExplicitUserId ||
  (context.trusted && user.email !== undefined) ||
  givenCustomer(context, user) !== undefined

/**
 * The keys of the held events that a stored consent releases: those that wait for this user, the e-mail or the
 * customer id.
 */
function releasedKeys({ context }: DecideInput, { user, ownConsent }: ResolvedEvent): string[] | undefined {
  if (!ownConsent || !isAnswer(ownConsent) || !isStored(context, user)) return undefined
  const keys = [user.email?.key, givenCustomer(context, user)].filter((key) => key !== undefined)
  return [user.userId, ...keys.map(waitingFor)]
}

/**
 * How the event links its user to its e-mail. A server call without a user id claims no e-mail: offline purchases would
 * match each other. A trusted call without a user id belongs to the user of the e-mail.
 */
function namingOf({
  context,
  facts,
  email,
  own,
}: Pick<DecideInput, 'context'> & ResolvedUser): EmailAssociation | undefined {
  if (!email || facts.keys.email === undefined) return undefined
  if (!context.trusted && own?.customerKey && isOtherCustomer(own, facts.keys)) return undefined
  const isClaimed = context.hasExplicitUserId || (context.origin !== undefined && !context.trusted)
  const isConfirmed = isConfirming(context, facts)
  return isClaimed || isConfirmed ? { key: email.key, isClaimed, isConfirmed } : undefined
}

/** True if no other event of the record has this user. Events of one body are adjacent. */
const isAlone = ({ events }: OpenedRecord, index: number) =>
  [index - 1, index + 1].every((other) => events[other]?.userId !== events[index]!.userId)

/** Updates the profile of the event's user: facts, location, consent and the history of plugins. */
async function updateProfiles(
  { event, context, tag }: DecideInput,
  { user, place, pluginResult, ownConsent }: ResolvedEvent,
  deps: DeciderDeps,
  isOnlyEvent: boolean,
): Promise<PendingWrite[]> {
  const naming = namingOf({ context, ...user })
  const customerKey = givenCustomer(context, user)
  const isNamed = naming !== undefined || customerKey !== undefined
  const isKnownAgain = context.hasExplicitUserId || context.origin !== undefined || isNamed
  const facts = storedFacts(context, user)
  const { source, ...location } = place
  const eventFacts: EventFacts = {
    at: event.timestamp,
    trusted: context.trusted,
    ...(source === 'request' && { place: location }),
    ...(isKnownAgain && 'history' in pluginResult && { history: pluginResult.history }),
    ...(isStored(context, user) && { consent: ownConsent }),
    ...(context.kind !== 'consent' || !context.hasExplicitUserId ? { customerKey } : {}),
  }
  const isGenerated = !context.hasExplicitUserId && user.emailMatch === undefined
  if (isGenerated && isOnlyEvent && !naming && isInEvent(context, user.facts, eventFacts)) return []
  const target = { tag, userId: user.userId }
  const profileNaming = context.kind === 'consent' && context.hasExplicitUserId ? undefined : naming
  const write = await changeProfile(
    target,
    user.own,
    (before) => profileAfter(before, { event, context }, user.userId, facts, eventFacts),
    deps,
    { naming: profileNaming, isGenerated },
  )
  const counted = await countCustomerEmail({ event, context, tag }, user, deps)
  return [write, counted].filter((each) => each !== undefined)
}

/**
 * The facts to store. For a consent: only the identifiers of a trusted call without a user id. A customer id that many
 * people share is not stored.
 */
function storedFacts(
  { kind, hasExplicitUserId }: DecideInput['context'],
  { facts, customer }: ResolvedUser,
): UserFacts {
  const { customerId, ...others } = facts.keys
  const isOne = customerId !== undefined && !customer?.isShared
  if (kind !== 'consent') return isOne || customerId === undefined ? facts : { ...facts, keys: others }
  if (hasExplicitUserId) return noUserFacts
  const { email } = others
  return { ...noUserFacts, keys: { ...(email !== undefined && { email }), ...(isOne && { customerId }) } }
}

/** Records the e-mail that a trusted event gives with a customer id. An id with many e-mails identifies nobody. */
async function countCustomerEmail(
  { event, context, tag }: Pick<DecideInput, 'event' | 'context' | 'tag'>,
  { facts, email, customer }: ResolvedUser,
  deps: DeciderDeps,
): Promise<PendingWrite | undefined> {
  const { customerId, email: given } = facts.keys
  if (!context.trusted || customerId === undefined || given === undefined || !email || !customer) return undefined
  const record = { tag, userId: customerUserId(tag, customerId, deps.keys) }
  return changeWhenRead(deps, [record, (known) => withCustomerEmail(known, email.key, event.timestamp)])
}

/** Writes the profile only if it changes; most events change nothing. */
async function changeProfile(
  target: { tag: Snapshot; userId: string },
  before: Profile | undefined,
  update: (before: Profile | undefined) => Profile | undefined,
  deps: DeciderDeps,
  { naming, isGenerated }: { naming: EmailAssociation | undefined; isGenerated: boolean },
): Promise<PendingWrite | undefined> {
  const changed = update(before)
  const isNew = changed !== before || (naming && changed && !hasEmail(changed, naming))
  return changed && isNew ? changeWhenRead(deps, [target, update, naming, isGenerated]) : undefined
}

/** Reads the profile before changing it. */
const changeWhenRead = (deps: DeciderDeps, change: Parameters<DeciderDeps['profiles']['change']>) =>
  untilStoreAnswers('read a user profile', () => deps.profiles.change(...change), deps)
