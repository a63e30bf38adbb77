import { createRequire } from 'node:module'
import type * as PhoneLibrary from 'libphonenumber-js/max'
import { countryOf } from './country.ts'
import type { RawPerson } from './person.ts'

/** Longer texts are not parsed as phone numbers. `tel:`, 15 digits, separators and an extension fit. */
const maxLength = 60
/** A longer number without `+` is first read with its country code: longer national numbers begin with a zero. */
const mostNationalDigits = 10

let library: typeof PhoneLibrary | undefined
const phoneLibrary = () => (library ??= createRequire(import.meta.url)('libphonenumber-js/max') as typeof PhoneLibrary)

/**
 * Loads 250 kB of tables, which takes 35 to 200 ms. A worker loads them before it accepts events, other processes at
 * the first phone number.
 */
export const loadPhoneNumbers = (): void => void phoneLibrary()

function validNumber(text: string, country?: string): string | undefined {
  const { parsePhoneNumberFromString, isSupportedCountry } = phoneLibrary()
  const defaultCountry = country !== undefined && isSupportedCountry(country) ? country : undefined
  const number = parsePhoneNumberFromString(text, { ...(defaultCountry && { defaultCountry }), extract: false })
  return number?.isValid() ? number.number : undefined
}

const hasCallingCode = (digits: string, country: string) => {
  const { getCountryCallingCode, isSupportedCountry } = phoneLibrary()
  return isSupportedCountry(country) && digits.startsWith(getCountryCallingCode(country))
}

function parsePhone(raw: string, country: string | undefined): string | undefined {
  const text = raw.trim().replace(/^(?:tel|phone|mobile):\s*/i, '')
  const digits = text.replace(/\D/g, '')
  if (digits.length === 0 || text.length > maxLength) return undefined
  if (/^[+\uFF0B]/.test(text)) return validNumber(text)
  if (/^\(?00/.test(text)) return validNumber(`+${digits.slice(2)}`)
  const mayBeInternational = digits.length > mostNationalDigits && (!country || hasCallingCode(digits, country))
  const international = mayBeInternational ? validNumber(`+${digits}`) : undefined
  return international ?? (country && validNumber(text, country))
}

/** The country for a phone number without country code: ISO 3166-1 alpha-2. */
export const phoneCountryOf = ({ country, phoneCountry }: RawPerson): string | undefined =>
  (country && countryOf(country)) || phoneCountry

const parsed = new WeakMap<RawPerson, { raw: string; number: string | undefined }>()

/**
 * A valid phone number in E.164. Undefined for any other text, and for a national number whose country is not known.
 * Parsed once for each person.
 */
export function e164Of(raw: string, person: RawPerson): string | undefined {
  const known = parsed.get(person)
  if (known?.raw === raw) return known.number
  const number = parsePhone(raw, phoneCountryOf(person))
  parsed.set(person, { raw, number })
  return number
}
