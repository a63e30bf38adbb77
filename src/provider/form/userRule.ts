import { type StandardKey, standardKeys } from '#contract/standardKeys.ts'
import { emailAddress, ipAddress, lowerCase, type Normalise, phoneE164, trimmed } from './normalise.ts'
import type { PersonKey } from './person.ts'

export type HashName = 'sha256' | 'sha1' | 'md5'

/** How a field of a vendor is made of a value of the person: normalised, then hashed unless `hash` is absent. */
export type UserRule = { key: PersonKey; normalise: Normalise; hash?: HashName }
export type UserRules = Readonly<Record<string, UserRule>>

const defaultNormalisers: Partial<Record<PersonKey, Normalise>> = {
  email: emailAddress,
  phone: phoneE164,
  userId: trimmed,
  ip: ipAddress,
  userAgent: trimmed,
}

const rulesByNormaliser = new Map<Normalise, UserRule[]>()

/** Equal rules are one object: an Identity caches the values of a person by the rule. */
function sharedRule(rule: UserRule): UserRule {
  const rules = rulesByNormaliser.get(rule.normalise) ?? []
  rulesByNormaliser.set(rule.normalise, rules)
  const known = rules.find(({ key, hash }) => key === rule.key && hash === rule.hash)
  if (!known) rules.push(rule)
  return known ?? rule
}

/**
 * The digest in lower-case hex of the normalised value. By default the text is trimmed and in lower case; phones are
 * E.164.
 */
export const hashed = (
  key: PersonKey,
  normalise: Normalise = defaultNormalisers[key] ?? lowerCase,
  hash: HashName = 'sha256',
): UserRule => sharedRule({ key, normalise, hash })

/** The normalised value without a hash: only where the vendor takes no hash, or for the customer's own system. */
export const plain = (key: PersonKey, normalise: Normalise = key === 'ip' ? ipAddress : trimmed): UserRule =>
  sharedRule({ key, normalise })

/** All values of the person without a hash: for the customer's own systems. */
export const plainFields = Object.fromEntries(
  (['userId', ...standardKeys] as const).map((key) => [key, plain(key)]),
) as Readonly<Record<'userId' | StandardKey, UserRule>>
