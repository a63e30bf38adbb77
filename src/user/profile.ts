import { agreed, type StoredConsent } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import type { History } from '#contract/tag.ts'
import { type StandardKey, standardKeys } from '#contract/user.ts'
import type { EventContext } from '#event/record.ts'
import type { Located } from '#geo/locate.ts'
import { type Captures, capturedIn, isCapture, isCaptured } from './capture.ts'

/** A keyed fingerprint of an e-mail, as hex. */
export type EmailKey = string

/** How a user is known by an e-mail from a call on: it claims the e-mail, or a trusted call confirms it, or both. */
export type Naming = { key: EmailKey; isClaimed: boolean; isConfirmed: boolean }

/** A captured value by its own name, and when it was first seen (epoch ms). */
export type Captured = Readonly<Record<string, { value: string; at: number }>>
export type Keys = Readonly<Partial<Record<StandardKey, string>>>

/** What a tag knows of one person, by what came under this person's id. Kept sealed under the team's key. */
export type Profile = {
  readonly keys: Keys
  readonly custom: Readonly<Record<string, unknown>>
  readonly captured: Captured
  /** Where the person's browser was last. */
  readonly place?: Located
  readonly consent?: StoredConsent
  /** What plugins remember. */
  readonly history?: History
  /** The visit that goes on, and when it was last seen to (epoch ms). */
  readonly session?: { readonly sessionId: string; readonly at: number }
  /** What came before then (epoch ms) has been erased, and is not learnt again. */
  readonly erasedAt?: number
  /** E-mails that calls under this user's id gave. Anybody can give any: the person may be somebody else. */
  readonly claims?: readonly EmailKey[]
  /** E-mails that a trusted call gave for this user. */
  readonly confirmed?: readonly EmailKey[]
  /** epoch ms, to the hour: a visit is no reason to write the profile again and again */
  readonly seenAt: number
}

/** What an event says of the person who did it. `gone`: names of keys that are to be forgotten. */
export type Said = {
  keys: Keys
  custom: Readonly<Record<string, unknown>>
  captured: Record<string, string>
  gone?: readonly string[]
}

export const nothingSaid: Said = { keys: {}, custom: {}, captured: {} }

const hourMs = 3_600_000
const longestText = 500
const longestCustom = 1_000
/** So that nobody fills a profile with names: the newest are kept. */
const most = 100

/** `email` → `userEmail`: its name in an event. */
const fields = standardKeys.map((key) => [key, `user${key[0]!.toUpperCase()}${key.slice(1)}`] as const)
const isStandard: ReadonlySet<string> = new Set(standardKeys)

/**
 * Reads `userEmail` and the like at the top or in `data`, the raw user keys of `storage.kv`, and what was captured. Of what
 * came by `/user` or `/data`, all that stands in `data` is keys, null forgets one, and `package::key` is a capture.
 */
export function saidIn(event: TagEvent, captures: Captures, kind?: EventContext['kind']): Said {
  const keys: Partial<Record<StandardKey, string>> = {}
  const data = mapOf(event.data)
  const { own, captured } = kind === 'user' ? sorted(data, captures) : nothingOwn
  const kv = { ...mapOf(event.storage?.kv), ...own }
  for (const [key, field] of fields) {
    const text = textOf(event[field]) ?? textOf(data[field]) ?? textOf(kv[key])
    if (text !== undefined) keys[key] = text
  }
  const gone = Object.keys(own).filter((name) => own[name] === null)
  const told = { keys, custom: customIn(kv), captured: { ...capturedIn(event, captures), ...captured } }
  return gone.length > 0 ? { ...told, gone } : told
}

const nothingOwn: ReturnType<typeof sorted> = { own: {}, captured: {} }
const captureName = /^[^:]+::(.+)$/

/** The captures among the keys of a person, by their own names, and the others. What nobody captures is dropped. */
function sorted(
  data: Record<string, unknown>,
  captures: Captures,
): { own: Record<string, unknown>; captured: Record<string, string> } {
  const own: [string, unknown][] = []
  const captured: [string, string][] = []
  for (const [key, value] of Object.entries(data)) {
    const name = captureName.exec(key)?.[1]
    if (name === undefined) own.push([key, value])
    else if (isCaptured(captures, name) && isCapture(value)) captured.push([name, value])
  }
  return { own: Object.fromEntries(own), captured: Object.fromEntries(captured) }
}

/** What else an event tells: when it was, where the browser was, what was agreed to, and what plugins remember of it. */
export type Met = {
  at: number
  place?: Located | undefined
  consent?: StoredConsent | undefined
  history?: History | undefined
}

/** The profile after an event; the one before, where the event says nothing new. Undefined while nothing is known. */
export function learn(
  profile: Profile | undefined,
  said: Said,
  { at, place, consent: given, history: seen }: Met,
): Profile | undefined {
  const before = profile ?? nobody
  const keys = withNew(without(before.keys, said.gone), said.keys)
  const custom = withNew(without(before.custom, said.gone), said.custom)
  const captured = withSeen(before.captured, said.captured, at)
  const moved = place?.country !== undefined && !isSame(place, before.place)
  const consent = agreed(before.consent, given)
  const history = { ...seen, ...before.history } // what was first stays
  const isSeen = seen !== undefined && !isSame(history, before.history)
  const isTold = keys !== before.keys || custom !== before.custom || captured !== before.captured
  const isNew = isTold || moved || isSeen || consent !== before.consent
  if (!isNew && (!profile || at < profile.seenAt + hourMs)) return profile
  const fresh = { keys, custom, captured, seenAt: Math.max(at, before.seenAt), ...(isSeen && { history }) }
  const { claims, confirmed, ...rest } = before
  const names = keys.email !== undefined && { ...(claims && { claims }), ...(confirmed && { confirmed }) }
  return { ...rest, ...names, ...fresh, ...(moved && { place }), ...(consent && { consent }) }
}

/** A person has a few e-mails. Those that it gave longest ago lead to it only as long as the store keeps them. */
const mostNames = 8

/** The profile, known by an e-mail. */
export function named(profile: Profile, { key, isClaimed, isConfirmed }: Naming): Profile {
  const isNew = (keys: readonly EmailKey[] | undefined) => !keys?.includes(key)
  const add = (keys: readonly EmailKey[] = []) => [...keys, key].slice(-mostNames)
  return {
    ...profile,
    ...(isClaimed && isNew(profile.claims) && { claims: add(profile.claims) }),
    ...(isConfirmed && isNew(profile.confirmed) && { confirmed: add(profile.confirmed) }),
  }
}

/** Whether a profile is known by the e-mail in this way already. */
export const isNamed = ({ claims, confirmed }: Profile, { key, isClaimed, isConfirmed }: Naming): boolean =>
  (!isClaimed || claims?.includes(key) === true) && (!isConfirmed || confirmed?.includes(key) === true)

const nobody: Profile = { keys: {}, custom: {}, captured: {}, seenAt: 0 }

/** Captured values with those of an event. A value that is known keeps the time when it was first seen. */
export function withSeen(captured: Captured, seen: Record<string, string>, at: number): Captured {
  const fresh = Object.entries(seen).filter(([name, value]) => {
    const known = Object.hasOwn(captured, name) ? captured[name] : undefined
    return !known || (known.value !== value && known.at <= at)
  })
  if (fresh.length === 0) return captured
  return newest(captured, Object.fromEntries(fresh.map(([name, value]) => [name, { value, at }])))
}

function withNew<Values extends Readonly<Record<string, unknown>>>(known: Values, said: Values): Values {
  const fresh = Object.entries(said).filter(([name, value]) => !isSame(known[name], value))
  return fresh.length === 0 ? known : newest(known, Object.fromEntries(fresh) as Values)
}

/** The values but those of these names; the same object, where it has none of them. */
export function without<Values extends Readonly<Record<string, unknown>>>(
  values: Values,
  names: readonly string[] = [],
): Values {
  if (!names.some((name) => Object.hasOwn(values, name))) return values
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))) as Values
}

const newest = <Values extends Readonly<Record<string, unknown>>>(known: Values, fresh: Values): Values => {
  const older = Object.entries(known).filter(([name]) => !Object.hasOwn(fresh, name))
  return Object.fromEntries([...older, ...Object.entries(fresh)].slice(-most)) as Values
}

const isSame = (one: unknown, other: unknown) =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))

/** Keys of the customer's own; what is too long for a key is left out. */
const customIn = (kv: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(kv)
      .filter(([name, value]) => !isStandard.has(name) && name.length <= longestText && isKeepable(value))
      .slice(0, most),
  )

const isKeepable = (value: unknown) =>
  value !== null && value !== undefined && JSON.stringify(value).length <= longestCustom

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? `${value}` : value
  if (typeof text !== 'string') return undefined
  const trimmed = text.trim()
  return trimmed && trimmed.length <= longestText ? trimmed : undefined
}

const mapOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
