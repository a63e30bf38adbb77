import { hash as digest } from 'node:crypto'
import type { TagEvent } from '#contract/event.ts'
import { type StandardKey, standardKeys } from '#contract/user.ts'
import { emailAddress, lowered, type Normalise, phoneE164, trimmed } from './normalise.ts'
import type { Person, PersonKey } from './person.ts'

/** What a customer may send hashed already, by the hash that the vendor wants: who takes SHA-1 takes SHA-256 for it. */
const digests = {
  sha256: /^[0-9a-f]{64}$/i,
  sha1: /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i,
  md5: /^[0-9a-f]{32}$/i,
}
export type HashName = keyof typeof digests

/** How one field of a vendor is made: from which key, normalised by which rule, hashed or plain. */
export type UserRule = { of: PersonKey; normalise: Normalise; hash?: HashName }
export type UserRules = Readonly<Record<string, UserRule>>

const usual: Partial<Record<PersonKey, Normalise>> = {
  email: emailAddress,
  phone: phoneE164,
  userId: trimmed,
  ip: trimmed,
  userAgent: trimmed,
}

const rules = new Map<Normalise, UserRule[]>()

/** One object for one rule, so that a person is read by it once however many vendors ask. */
function only(rule: UserRule): UserRule {
  const alike = rules.get(rule.normalise) ?? []
  rules.set(rule.normalise, alike)
  const known = alike.find(({ of, hash }) => of === rule.of && hash === rule.hash)
  if (!known) alike.push(rule)
  return known ?? rule
}

/**
 * A digest in lower-case hex characters, SHA-256 unless it is said, of the value as the rule makes it: text keys are trimmed
 * and lower-cased unless it says otherwise.
 */
export const hashed = (
  of: PersonKey,
  normalise: Normalise = usual[of] ?? lowered,
  hash: HashName = 'sha256',
): UserRule => only({ of, normalise, hash })

/** The value itself: only where a vendor (or the customer's own system) takes it in no other form. */
export const plain = (of: PersonKey, normalise: Normalise = trimmed): UserRule => only({ of, normalise })

/** A person, made once per event: what several channels ask for by the same rule is normalised and hashed once. */
export type Identity = { person: Person; read(rule: UserRule): string | undefined }

function read({ of, normalise, hash }: UserRule, person: Person): string | undefined {
  const raw = person[of]
  if (typeof raw !== 'string' || raw.trim() === '') return undefined
  // a customer may send what is hashed already: hashing it again would name nobody
  if (hash && digests[hash].test(raw.trim())) return raw.trim().toLowerCase()
  const value = normalise(raw, person)
  return hash && value ? digest(hash, value) : value
}

export function identityOf(person: Person): Identity {
  const known = new Map<UserRule, string | undefined>()
  return {
    person,
    read(rule) {
      const before = known.get(rule)
      if (before !== undefined || known.has(rule)) return before
      const value = read(rule, person)
      known.set(rule, value)
      return value
    },
  }
}

/** The fields of a vendor that the person is known by. */
export function resolve<R extends UserRules>(rules: R, identity: Identity): { readonly [K in keyof R]?: string } {
  const user: { [K in keyof R]?: string } = {}
  for (const field in rules) {
    const value = identity.read(rules[field]!)
    if (value !== undefined) user[field] = value
  }
  return Object.freeze(user)
}

/** All that is known of a person, plain: for a customer's own systems. */
export const asKnown = Object.fromEntries(
  (['userId', ...standardKeys] as const).map((key) => [key, plain(key)]),
) as Readonly<Record<'userId' | StandardKey, UserRule>>

const fieldOf = (key: StandardKey) => `user${key[0]!.toUpperCase()}${key.slice(1)}`

/** The fields of an event, at the top or in `data`, that hold a standard key: `userEmail`, `userPhone`, … */
export const personFields: readonly string[] = standardKeys.map(fieldOf)

/** What an event says of the person itself: `userEmail`, … at the top or in `data`, `ip` and `userAgent`. */
export function personIn(event: TagEvent): Person {
  const said = { ...event.data, ...event }
  const entries = [
    ...standardKeys.map((key) => [key, said[fieldOf(key)]] as const),
    ...(['ip', 'userAgent'] as const).map((key) => [key, event[key]] as const),
  ]
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value))
}
