import { mergeConsent } from '#consent/consent.ts'
import type { StoredConsent } from '#consent/statedConsent.ts'
import { customerIdOf } from '#contract/customerId.ts'
import type { TagEvent } from '#contract/event.ts'
import { isRecord } from '#contract/isRecord.ts'
import { type StandardKey, standardKeys, userFields } from '#contract/standardKeys.ts'
import type { History } from '#contract/tag.ts'
import type { EventContext } from '#event/record.ts'
import type { Location } from '#geo/locate.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { type CaptureRules, isCaptured, isCaptureValue, readCaptured } from './captureRules.ts'

/** A keyed fingerprint of an e-mail, in hex. */
export type EmailKey = string

/** The association of a user with an e-mail: the user claims it, or a trusted call confirms it, or both. */
export type EmailAssociation = { key: EmailKey; isClaimed: boolean; isConfirmed: boolean }

/** A session and the time of its last recorded activity (epoch ms). Its id contains the time of its start. */
type SessionRecord = { readonly sessionId: string; readonly at: number }
/** The current session of a user, and the previous one, to which a late event may belong. */
export type StoredSession = SessionRecord & { readonly previous?: SessionRecord }

export type StandardKeys = Readonly<Partial<Record<StandardKey, string>>>

/** The stored data of one user of a tag. Encrypted with the team's key. */
export type Profile = {
  readonly keys: StandardKeys
  readonly custom: Readonly<Record<string, unknown>>
  /** The custom keys whose values came from a trusted call. */
  readonly trustedCustom?: readonly string[]
  readonly captured: CapturedValues
  /** The last known location of the user's browser. */
  readonly place?: Location
  readonly consent?: StoredConsent
  /** The state of plugins. */
  readonly history?: History
  readonly session?: StoredSession
  /** Data received before this time (epoch ms) has been erased and is not stored again. */
  readonly erasedAt?: number
  /** E-mails from calls with this user's id. Unverified: anybody can send any e-mail. */
  readonly claims?: readonly EmailKey[]
  /** E-mails that a trusted call gave for this user. */
  readonly confirmed?: readonly EmailKey[]
  /** The fingerprint of `keys.customerId`, if a trusted call gave it. */
  readonly customerKey?: EmailKey
  /** Only in the profile of a customer id's own user: the e-mails that trusted calls gave with the id, and when. */
  readonly customerEmails?: Readonly<Record<EmailKey, number>>
  /** Epoch ms. Updated at most once an hour, so that an event without changes does not write the profile. */
  readonly seenAt: number
}

/** The facts of an event about its user. `removedKeys`: keys to delete. */
export type UserFacts = {
  keys: StandardKeys
  custom: Readonly<Record<string, unknown>>
  captured: Record<string, string>
  removedKeys?: readonly string[]
}

export const noUserFacts: UserFacts = { keys: {}, custom: {}, captured: {} }

const hourMs = 3_600_000
const maxTextLength = 500
const maxCustomLength = 1_000
const maxCustomName = 128
/** The maximum number of custom keys, and of captures, in a profile. The newest are kept. */
const maxKeys = 100
/**
 * The maximum bytes per kind of data in a profile. Bounded, because a change of one value rewrites the whole profile.
 */
const maxBytes = { keys: 3 * 1024, custom: 7.5 * 1024, captured: 5 * 1024 }

const isStandard: ReadonlySet<string> = new Set(standardKeys)

/**
 * Reads `userEmail` and the other standard keys at the top level or in `data`, the raw user keys of `storage.kv`, and
 * the captured values. In a call of `/user` or `/data`, every entry of `data` is a key, null deletes it, and
 * `package::key` is a capture.
 */
export function readUserFacts(event: TagEvent, captures: CaptureRules, kind?: EventContext['kind']): UserFacts {
  const keys: Partial<Record<StandardKey, string>> = {}
  const data = mapOf(event.data)
  const { own, captured } = kind === 'user' ? splitCaptures(data, captures) : emptySplit
  const kv = { ...mapOf(event.storage?.kv), ...own }
  for (const [key, field] of userFields) {
    const read = key === 'customerId' ? customerIdOf : textOf
    const text = read(event[field]) ?? read(data[field]) ?? read(kv[key])
    if (text !== undefined) keys[key] = text
  }
  const removedKeys = Object.keys(own).filter((name) => own[name] === null)
  const facts = { keys, custom: customIn(kv), captured: { ...readCaptured(event, captures), ...captured } }
  return removedKeys.length > 0 ? { ...facts, removedKeys } : facts
}

/** The e-mail in the user facts of an event. */
export const readEmail = (event: TagEvent): string | undefined =>
  textOf(event.userEmail) ?? textOf(mapOf(event.data).userEmail) ?? textOf(mapOf(event.storage?.kv).email)

const emptySplit: ReturnType<typeof splitCaptures> = { own: {}, captured: {} }
const captureName = /^[^:]+::(.+)$/

/** Splits `data` into the captures (without their package) and the user's own keys. Unknown captures are dropped. */
function splitCaptures(
  data: Record<string, unknown>,
  captures: CaptureRules,
): { own: Record<string, unknown>; captured: Record<string, string> } {
  const own: [string, unknown][] = []
  const captured: [string, string][] = []
  for (const [key, value] of Object.entries(data)) {
    const name = captureName.exec(key)?.[1]
    if (name === undefined) own.push([key, value])
    else if (isCaptured(captures, name) && isCaptureValue(value)) captured.push([name, value])
  }
  return { own: Object.fromEntries(own), captured: Object.fromEntries(captured) }
}

/** The other facts of an event: time, location, consent, and the state of plugins. */
export type EventFacts = {
  at: number
  place?: Location | undefined
  consent?: StoredConsent | undefined
  history?: History | undefined
  trusted?: boolean
  /** The fingerprint of the customer id in the event, if its call is trusted. */
  customerKey?: EmailKey | undefined
}

/** True if an event names a customer other than the owner of the profile. */
export const isOtherCustomer = (profile: Profile | undefined, { customerId }: StandardKeys): boolean =>
  customerId !== undefined && profile?.keys.customerId !== undefined && profile.keys.customerId !== customerId

/**
 * The parts of the profile and of the event's facts that may be stored together. Data about another customer is
 * dropped. An untrusted call does not replace a customer id from a trusted call: none of its facts about the person are
 * stored.
 */
function ofOneCustomer(profile: Profile, facts: UserFacts, customerKey: EmailKey | undefined): [Profile, UserFacts] {
  if (!isOtherCustomer(profile, facts.keys)) return [profile, facts]
  if (profile.customerKey && !customerKey) return [profile, { ...noUserFacts, captured: facts.captured }]
  const { claims: _, confirmed: __, customerKey: ___, trustedCustom: ____, ...device } = profile
  return [{ ...device, keys: {}, custom: {} }, facts]
}

/** The profile after an event. Returns the same object if nothing is new; undefined while there is no data. */
export function updateProfile(
  profile: Profile | undefined,
  eventFacts: UserFacts,
  { at, place, consent: eventConsent, history: eventHistory, trusted = false, customerKey: givenKey }: EventFacts,
): Profile | undefined {
  const [before, facts] = ofOneCustomer(profile ?? emptyProfile, eventFacts, givenKey)
  const keys = mergeKeys(omitKeys(before.keys, facts.removedKeys), facts.keys)
  const custom = mergeNew(omitKeys(before.custom, facts.removedKeys), facts.custom, maxBytes.custom)
  const trustedCustom = trustedKeys(before, custom, trusted ? facts.custom : {})
  const captured = mergeCaptured(before.captured, facts.captured, at)
  const hasMoved = place?.country !== undefined && !isSame(place, before.place)
  const consent = mergeConsent(before.consent, eventConsent)
  const history = { ...eventHistory, ...before.history } // the first entry wins
  const hasNewHistory = eventHistory !== undefined && !isSame(history, before.history)
  const hasNewFacts = keys !== before.keys || custom !== before.custom || captured !== before.captured
  const isTrustNew = trustedCustom !== before.trustedCustom
  const customerKey = keys.customerId === undefined ? undefined : (givenKey ?? before.customerKey)
  const hasNewTrust = isTrustNew || customerKey !== before.customerKey
  const isNew = hasNewFacts || hasNewTrust || hasMoved || hasNewHistory || consent !== before.consent
  if (!isNew && (!profile || at < profile.seenAt + hourMs)) return profile
  const changed = { keys, custom, captured, seenAt: Math.max(at, before.seenAt), ...(hasNewHistory && { history }) }
  const { claims, confirmed, customerKey: _, ...rest } = before
  const emails = keys.email !== undefined && { ...(claims && { claims }), ...(confirmed && { confirmed }) }
  return {
    ...rest,
    ...emails,
    ...(customerKey && { customerKey }),
    ...changed,
    ...(isTrustNew && trustedCustom && { trustedCustom }),
    ...(hasMoved && { place }),
    ...(consent && { consent }),
  }
}

/** The custom keys of trusted calls after an update: unchanged ones, and those that a trusted call gave. */
function trustedKeys(
  { custom: known, trustedCustom: before }: Profile,
  custom: Profile['custom'],
  given: Profile['custom'],
): Profile['trustedCustom'] {
  const names = Object.keys(custom).filter(
    (name) => Object.hasOwn(given, name) || (before?.includes(name) && custom[name] === known[name]),
  )
  return names.length === (before?.length ?? 0) && names.every((name) => before?.includes(name)) ? before : names
}

/**
 * The maximum number of e-mails in a profile. The newest are kept; older ones find the user only as long as the store
 * has them.
 */
const maxEmails = 8

/** The profile with an added association with an e-mail. */
export function addEmail(profile: Profile, { key, isClaimed, isConfirmed }: EmailAssociation): Profile {
  const isNew = (keys: readonly EmailKey[] | undefined) => !keys?.includes(key)
  const add = (keys: readonly EmailKey[] = []) => [...keys, key].slice(-maxEmails)
  return {
    ...profile,
    ...(isClaimed && isNew(profile.claims) && { claims: add(profile.claims) }),
    ...(isConfirmed && isNew(profile.confirmed) && { confirmed: add(profile.confirmed) }),
  }
}

/** True if a profile has this association with the e-mail. */
export const hasEmail = ({ claims, confirmed }: Profile, { key, isClaimed, isConfirmed }: EmailAssociation): boolean =>
  (!isClaimed || claims?.includes(key) === true) && (!isConfirmed || confirmed?.includes(key) === true)

/** The fingerprints by which a user can be found: of e-mails, and of a customer id from a trusted call. */
export const lookupKeys = (profile: Profile, list: 'claims' | 'confirmed'): readonly EmailKey[] => [
  ...(profile[list] ?? []),
  ...(profile.customerKey ? [profile.customerKey] : []),
]

const emptyProfile: Profile = { keys: {}, custom: {}, captured: {}, seenAt: 0 }

/** Merges the captured values of an event. A known value keeps the time when it was first seen. */
export function mergeCaptured(captured: CapturedValues, values: Record<string, string>, at: number): CapturedValues {
  const changed = Object.entries(values).filter(([name, value]) => {
    const known = Object.hasOwn(captured, name) ? captured[name] : undefined
    return !known || (known.value !== value && known.at <= at)
  })
  if (changed.length === 0) return captured
  const updates = Object.fromEntries(changed.map(([name, value]) => [name, { value, at }]))
  return newest(captured, updates, maxBytes.captured)
}

function mergeNew<Values extends Readonly<Record<string, unknown>>>(
  known: Values,
  updates: Values,
  most: number,
): Values {
  const changed = Object.entries(updates).filter(([name, value]) => !isSame(known[name], value))
  return changed.length === 0 ? known : newest(known, Object.fromEntries(changed) as Values, most)
}

/** Merges the standard keys in their order, which begins with identifying keys: of too many, the first are kept. */
function mergeKeys(known: StandardKeys, updates: StandardKeys): StandardKeys {
  if (Object.entries(updates).every(([name, value]) => known[name as StandardKey] === value)) return known
  const keys: Partial<Record<StandardKey, string>> = {}
  let bytes = 0
  for (const key of standardKeys) {
    const value = updates[key] ?? known[key]
    if (value === undefined) continue
    bytes += Buffer.byteLength(JSON.stringify([key, value]))
    if (bytes <= maxBytes.keys) keys[key] = value
  }
  return keys
}

/** Removes these names from the values. Returns the same object if none of them is in it. */
export function omitKeys<Values extends Readonly<Record<string, unknown>>>(
  values: Values,
  names: readonly string[] = [],
): Values {
  if (!names.some((name) => Object.hasOwn(values, name))) return values
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))) as Values
}

const newest = <Values extends Readonly<Record<string, unknown>>>(
  known: Values,
  changed: Values,
  most: number,
): Values => {
  const older = Object.entries(known).filter(([name]) => !Object.hasOwn(changed, name))
  const all = [...older, ...Object.entries(changed)].slice(-maxKeys)
  let bytes = 0
  const first = all.findLastIndex((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry))
    return bytes > most
  })
  return Object.fromEntries(all.slice(first + 1)) as Values
}

const isSame = (one: unknown, other: unknown) =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))

/** The custom keys of `storage.kv`, except those with a name or value that is too long. */
const customIn = (kv: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(kv)
      .filter(([name, value]) => !isStandard.has(name) && name.length <= maxCustomName && isStorable(value))
      .slice(0, maxKeys),
  )

const isStorable = (value: unknown) =>
  value !== null && value !== undefined && JSON.stringify(value).length <= maxCustomLength

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? `${value}` : value
  if (typeof text !== 'string') return undefined
  const trimmed = text.trim()
  return trimmed && trimmed.length <= maxTextLength ? trimmed : undefined
}

const mapOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
