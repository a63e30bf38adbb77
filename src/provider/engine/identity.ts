import { hash as digest } from 'node:crypto'
import { asKnown } from '#provider/form/normalise.ts'
import type { RawPerson } from '#provider/form/person.ts'
import { isDigest, isDigestOfNothing, isPlaceholder } from '#provider/form/placeholder.ts'
import { type HashName, type RuleKey, rawValue, type UserRule, type UserRules } from '#provider/form/userRule.ts'

/** Customers may send hashed values. A SHA-256 digest is also accepted where the vendor takes SHA-1. */
const hashedAlready: Readonly<Record<HashName, RegExp>> = {
  sha256: /^[0-9a-f]{64}$/i,
  sha1: /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i,
  md5: /^[0-9a-f]{32}$/i,
}

/**
 * The values of a person for one event. Each rule is evaluated once for all channels. `sent`: the fields sent to each
 * vendor, by the vendor's rules (`sentFields` in contacts.ts).
 */
export type Identity = {
  person: RawPerson
  read(rule: UserRule): string | undefined
  sent: Map<UserRules, Readonly<Record<string, string | undefined>>>
}

/** The keys whose values come from the device, and not from a form or a program. */
const ofDevice: ReadonlySet<RuleKey> = new Set(['ip', 'userAgent'])
/** The keys whose values can look like a digest without being one: a UUID without dashes is an id. */
const ofAnyForm: ReadonlySet<RuleKey> = new Set(['customerId', 'anyStableId', 'anonymousId'])

/**
 * Applies a rule. Undefined for a placeholder, plain or hashed, and for a digest that the vendor does not take: a
 * digest is never hashed again.
 */
function applyRule({ key, normalise, hash }: UserRule, person: RawPerson): string | undefined {
  const raw = rawValue(key, person)
  if (typeof raw !== 'string' || raw.trim() === '') return undefined
  const text = raw.trim()
  if (normalise === asKnown || ofDevice.has(key)) return normalise(raw, person)
  if (isPlaceholder(text) || (isDigest(text) && isDigestOfNothing(text.toLowerCase()))) return undefined
  if (hash && hashedAlready[hash].test(text)) return text.toLowerCase()
  if (isDigest(text) && !ofAnyForm.has(key)) return undefined
  const value = normalise(raw, person)
  return hash && value ? digest(hash, value) : value
}

export function identityOf(person: RawPerson): Identity {
  const values = new Map<UserRule, string | undefined>()
  return {
    person,
    sent: new Map(),
    read(rule) {
      const known = values.get(rule)
      if (known !== undefined || values.has(rule)) return known
      const value = applyRule(rule, person)
      values.set(rule, value)
      return value
    },
  }
}

/** The declared fields of a vendor whose values are known. */
export function resolve<R extends UserRules>(rules: R, identity: Identity): { readonly [K in keyof R]?: string } {
  const user: { [K in keyof R]?: string } = {}
  for (const field in rules) {
    const value = identity.read(rules[field]!)
    if (value !== undefined) user[field] = value
  }
  return Object.freeze(user)
}
