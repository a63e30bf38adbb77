import { customerIdOf } from '#contract/customerId.ts'
import type { UnusedKey } from '#contract/journey.ts'
import { type StandardKey, standardKeys } from '#contract/standardKeys.ts'
import { birthDate, countryCode, emailAddress, type Normalise, postcode } from './normalise.ts'
import type { RawPerson } from './person.ts'
import { e164Of, phoneCountryOf } from './phone.ts'
import { isDigest, isDigestOfNothing, isPlaceholder } from './placeholder.ts'

/** The checks for keys that can have invalid values. */
const checks: Partial<Record<StandardKey, Normalise>> = {
  email: emailAddress,
  phone: e164Of,
  dateOfBirth: birthDate,
  zip: postcode,
  country: countryCode,
}

function reasonOf(key: StandardKey, raw: string, person: RawPerson): UnusedKey['reason'] | undefined {
  const text = raw.trim()
  if (key === 'customerId') return customerIdOf(raw) === undefined ? 'missing' : undefined
  if (isPlaceholder(text)) return 'missing'
  if (isDigest(text)) return isDigestOfNothing(text.toLowerCase()) ? 'missing' : undefined
  const check = checks[key]
  if (!check || check(raw, person) !== undefined) return undefined
  const isNational = key === 'phone' && /\d{5}/.test(text.replace(/\D/g, '')) && !/^(?:\+|00)/.test(text)
  return isNational && phoneCountryOf(person) === undefined ? 'countryUnknown' : 'invalid'
}

/** The person's keys that no vendor receives, because no valid value can be derived from them. */
export const unusedKeysOf = (person: RawPerson): UnusedKey[] =>
  standardKeys.flatMap((key) => {
    const raw = person[key]
    const reason = raw === undefined ? undefined : reasonOf(key, raw, person)
    return reason ? [{ key, reason }] : []
  })
