import type { StoredConsent } from '#consent/statedConsent.ts'
import type { TagEvent } from '#contract/event.ts'
import { badRequest } from '#contract/fault.ts'
import { Type } from '#contract/schema.ts'
import { compileValidator } from '#contract/validator.ts'
import { type AppendItem, type IngestDeps, type IngestSource, ingestUserUpdate } from '#event/ingest.ts'
import { isTimestampAccepted, parseObject } from '#event/parseBody.ts'
import type { EventContext } from '#event/record.ts'
import { newId } from '#kit/id.ts'
import type { CaptureRules } from './captureRules.ts'
import { findCustomer, namedUser } from './customer.ts'
import { noUserFacts, type Profile, readUserFacts, type UserFacts, updateProfile } from './profile.ts'
import type { Profiles } from './profiles.ts'

const Key = Type.String({ minLength: 1, maxLength: 500 })
const Value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.Unknown()),
  Type.Record(Type.String(), Type.Unknown()),
  // null deletes the key
  Type.Null(),
])
const checkKey = compileValidator(Type.Object({ key: Key, value: Value }))
const checkData = compileValidator(Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) }))

type Fields = Record<string, unknown>
type Kind = NonNullable<EventContext['kind']>

/** Reads `{key, value}` and the fields of the page. Throws the faults of `parseObject`, and badRequest. */
export function parseUserKey(body: Buffer): Fields {
  const input = parseObject(body)
  const issues = checkKey(input)
  if (issues.length > 0) throw badRequest(...issues)
  const { key, value, ...more } = input
  return { ...more, data: { [key as string]: value } }
}

/** Reads `{data: {key: value, …}}` and the fields of the page. Throws the faults of `parseObject`, and badRequest. */
export function parseUserData(body: Buffer): Fields {
  const input = parseObject(body)
  const issues = checkData(input)
  if (issues.length > 0) throw badRequest(...issues)
  return input
}

/**
 * Turns a user update into an event of the stream. Senders that retry send an `eventId`, and senders that queue send
 * a `timestamp`. A missing or invalid value is replaced by a new id and by `now`.
 */
export function toUserEvent(kind: Kind, { eventId, timestamp, ...fields }: Fields, now: number): TagEvent {
  const isId = typeof eventId === 'string' && eventId !== '' && eventId.length <= 500 && eventId.isWellFormed()
  return {
    ...fields,
    eventName: kind,
    eventId: isId ? eventId : newId('evt', now),
    timestamp: isTimestampAccepted(timestamp, now) ? timestamp : now,
  }
}

/** A user update and the facts of its call. `consent`: the consent in it. */
export type UserUpdate = { kind: Kind; event: TagEvent; source: IngestSource; consent?: StoredConsent | undefined }

type UserUpdateDeps = Pick<IngestDeps, 'keys'> & {
  profiles: Pick<Profiles, 'emailKey' | 'ownerOf' | 'byEmail' | 'find' | 'change'>
  captures(): CaptureRules | Promise<CaptureRules>
  /** Appends the events to the stream, durably. Resolves to one boolean per event: false for a duplicate. */
  append(item: AppendItem): Promise<readonly boolean[]>
}

/**
 * Appends a user update to the stream, from which the worker updates the profile and sends the update to the
 * channels. Also updates the profile here, so that the next call sees it. False for a duplicate, which changes
 * nothing. Throws loopRefused.
 */
export async function appendUserUpdate(update: UserUpdate, deps: UserUpdateDeps): Promise<boolean> {
  const [isNew = false] = await deps.append(ingestUserUpdate(update.kind, update.event, update.source, deps))
  if (isNew) await updateStoredProfile(update, deps)
  return isNew
}

/**
 * Updates the profile of the user id in the call, and its claim of an e-mail. A trusted call without an id can store
 * a consent for a customer id or an e-mail: for the user with it, else for a new user.
 */
async function updateStoredProfile({ kind, event, source, consent }: UserUpdate, deps: UserUpdateDeps): Promise<void> {
  const { tag, caller, trusted } = source
  const { profiles } = deps
  const facts = readUserFacts(event, await deps.captures(), kind)
  const { email, customerId } = facts.keys
  const key = email === undefined ? undefined : profiles.emailKey(tag, email)
  const at = event.timestamp
  const customer =
    trusted && customerId !== undefined
      ? await findCustomer(tag, { customerId, email: key, at: source.receivedAt }, deps)
      : undefined
  const customerKey = customer?.isShared ? undefined : customer?.key
  const applyFacts = (applied: UserFacts) => (known: Profile | undefined) =>
    updateProfile(known, customer?.isShared ? withoutCustomerId(applied) : applied, {
      at,
      consent,
      customerKey,
      trusted,
    })
  if (caller.hasExplicitUserId) {
    const applied = kind === 'consent' ? noUserFacts : facts
    const emailClaim =
      key !== undefined && kind !== 'consent' ? { key, isClaimed: true, isConfirmed: trusted } : undefined
    return void (await profiles.change({ tag, userId: caller.userId }, applyFacts(applied), emailClaim))
  }
  if (!trusted || (key === undefined && customerId === undefined)) return
  const owner = key === undefined ? undefined : await profiles.ownerOf(tag, key)
  const { userId } = namedUser(customer, owner) ?? caller
  const keys = { ...(email !== undefined && { email }), ...(customerId !== undefined && { customerId }) }
  const emailClaim = key === undefined ? undefined : { key, isClaimed: false, isConfirmed: true }
  await profiles.change({ tag, userId }, applyFacts({ ...noUserFacts, keys }), emailClaim)
}

const withoutCustomerId = ({ keys: { customerId: _, ...keys }, ...facts }: UserFacts): UserFacts => ({ ...facts, keys })
