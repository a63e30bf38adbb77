import { customerIdOf } from '#contract/customerId.ts'
import { type StandardKey, standardKeys } from '#contract/standardKeys.ts'
import { asKnown, emailAddress, ipAddress, lowerCase, type Normalise, phoneE164, trimmed } from './normalise.ts'
import type { PersonKey, RawPerson } from './person.ts'

export type HashName = 'sha256' | 'sha1' | 'md5'

/**
 * The ids of a person by their use. `customerId`: the shop's own id, which identifies a profile at the vendor.
 * `anyStableId`: a match key for which any stable id helps: the shop's id, otherwise Aglet's id for the visitor.
 * `anonymousId`: Aglet's id for the visitor, for the vendor's field for anonymous visitors.
 */
export type PersonId = 'customerId' | 'anyStableId' | 'anonymousId'

/** The value of the person that a rule reads. */
export type RuleKey = Exclude<PersonKey, 'userId'> | PersonId

/** How to make a vendor's field from a value of the person: normalise it, then hash it unless `hash` is absent. */
export type UserRule = { key: RuleKey; normalise: Normalise; hash?: HashName }
export type UserRules = Readonly<Record<string, UserRule>>

/** The person's value for a rule, neither normalised nor hashed. */
export function rawValue(key: RuleKey, person: RawPerson): unknown {
  if (key === 'customerId') return customerIdOf(person.customerId)
  if (key === 'anyStableId') return customerIdOf(person.customerId) ?? person.userId
  return person[key === 'anonymousId' ? 'userId' : key]
}

const defaultNormalisers: Partial<Record<RuleKey, Normalise>> = {
  email: emailAddress,
  phone: phoneE164,
  customerId: trimmed,
  anyStableId: trimmed,
  anonymousId: trimmed,
  ip: ipAddress,
  userAgent: trimmed,
}

const rulesByNormaliser = new Map<Normalise, UserRule[]>()

/** Returns one object for equal rules: an Identity caches the person's values by the rule. */
function sharedRule(rule: UserRule): UserRule {
  const rules = rulesByNormaliser.get(rule.normalise) ?? []
  rulesByNormaliser.set(rule.normalise, rules)
  const known = rules.find(({ key, hash }) => key === rule.key && hash === rule.hash)
  if (!known) rules.push(rule)
  return known ?? rule
}

/**
 * The digest in lower-case hex of the normalised value. By default, texts are trimmed and in lower case, and phones are
 * in E.164.
 */
export const hashed = (
  key: RuleKey,
  normalise: Normalise = defaultNormalisers[key] ?? lowerCase,
  hash: HashName = 'sha256',
): UserRule => sharedRule({ key, normalise, hash })

/** The normalised value without a hash: only if the vendor takes no hash, or for the customer's own system. */
export const plain = (key: RuleKey, normalise: Normalise = key === 'ip' ? ipAddress : trimmed): UserRule =>
  sharedRule({ key, normalise })

/** All values of the person without a hash, for the customer's own systems. */
export const plainFields = Object.fromEntries(
  (['userId', ...standardKeys] as const).map((key) => [key, plain(key === 'userId' ? 'anonymousId' : key, asKnown)]),
) as Readonly<Record<'userId' | StandardKey, UserRule>>
