import { isIP, isIPv4 } from 'node:net'
import { countryOf, isPostcodeOf, simplified, usStateOf } from './country.ts'
import type { RawPerson } from './person.ts'
import { e164Of } from './phone.ts'
import { isPlaceholderEmail } from './placeholder.ts'

/**
 * Normalises one value of a person. Undefined if the value is invalid. Some rules depend on other values of the person.
 */
export type Normalise = (raw: string, person: RawPerson) => string | undefined

const orUndefined = (text: string) => text || undefined

export const trimmed: Normalise = (raw) => orUndefined(raw.trim())

/** Only trimmed, for the customer's own systems. Placeholders and digests are kept. */
export const asKnown: Normalise = (raw) => orUndefined(raw.trim())

export const lowerCase: Normalise = (raw) => orUndefined(raw.trim().toLowerCase())

/** Trimmed. Undefined for an e-mail address, which vendors reject as an id. */
export const nonEmailId: Normalise = (raw) => (raw.includes('@') ? undefined : orUndefined(raw.trim()))

/** Lower case without white space: `van der Berg` → `vanderberg`. */
export const withoutSpaces: Normalise = (raw) => orUndefined(raw.toLowerCase().replace(/\s/g, ''))

/** Lower case without spaces, punctuation and symbols: `São Tomé-2` → `sãotomé2`. */
export const lettersAndDigits: Normalise = (raw) => orUndefined(simplified(raw))

/** Lower case without digits and symbols. Keeps inner spaces: `Bad Homburg v.d.H.` → `bad homburg vdh`. */
export const lettersOnly: Normalise = (raw) =>
  orUndefined(
    raw
      .toLowerCase()
      .replace(/[\p{N}\p{P}\p{S}]/gu, '')
      .trim(),
  )

/**
 * Trimmed and in lower case. Undefined for a placeholder, for a test domain, and unless there is exactly one `@` and a
 * dot in the domain.
 */
export const emailAddress: Normalise = (raw) => {
  const text = raw.trim().toLowerCase()
  const [name, domain = '', ...rest] = text.split('@')
  const isAddress = name && rest.length === 0 && /^[^.].*\.[^.]+$/.test(domain) && !/[\s,;<>]/.test(text)
  return isAddress && !isPlaceholderEmail(text) ? text : undefined
}

/** `emailAddress` without dots in the name at `gmail.com` and `googlemail.com`: Google ignores these dots. */
export const googleEmail: Normalise = (raw, person) => {
  const [name, domain] = emailAddress(raw, person)?.split('@') ?? []
  if (!name || !domain) return undefined
  return `${/^(gmail|googlemail)\.com$/.test(domain) ? name.replaceAll('.', '') : name}@${domain}`
}

/** `googleEmail` without the `+` suffix of the name at the same two domains. */
export const googleMailbox: Normalise = (raw, person) => {
  const [name, domain] = googleEmail(raw, person)?.split('@') ?? []
  if (!name || !domain) return undefined
  const mailbox = /^(gmail|googlemail)\.com$/.test(domain) ? name.split('+', 1)[0] : name
  return mailbox ? `${mailbox}@${domain}` : undefined
}

/** `emailAddress` without the dots and the `+` suffix of the name, for every domain. */
export const canonicalMailbox: Normalise = (raw, person) => {
  const [name = '', domain] = emailAddress(raw, person)?.split('@') ?? []
  const mailbox = name.split('+', 1)[0]!.replaceAll('.', '')
  return mailbox && domain ? `${mailbox}@${domain}` : undefined
}

/**
 * E.164: `+` and the digits with the country code. The number must be valid in its country. A number without country
 * code belongs to the person's country (`phoneCountryOf`). Undefined if that country is not known.
 */
export const phoneE164: Normalise = e164Of

/** The digits of `phoneE164`, without the `+`. */
export const phoneDigits: Normalise = (raw, person) => e164Of(raw, person)?.slice(1)

/** An IP address. Undefined for any other text. */
export const ipAddress: Normalise = (raw) => (isIP(raw.trim()) ? raw.trim() : undefined)

/** An IPv4 address, including one written as IPv6 (`::ffff:192.0.2.1`). Undefined for other addresses. */
export const ipv4Address: Normalise = (raw) => {
  const address = raw.trim().replace(/^::ffff:/i, '')
  return isIPv4(address) ? address : undefined
}

/** `f` or `m`. */
export const genderLetter: Normalise = (raw) => genderLetters.get(raw.trim().toLowerCase())
const genderLetters = new Map([
  ...['f', 'female', 'woman', 'girl'].map((word) => [word, 'f'] as const),
  ...['m', 'male', 'man', 'boy'].map((word) => [word, 'm'] as const),
])

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthOf = (word: string) => {
  const index = months.findIndex((month) => word.toLowerCase().startsWith(month))
  return index < 0 ? undefined : String(index + 1)
}

/** Year, month and day of a date. Undefined if day and month could be exchanged. */
function dateParts(text: string): (string | undefined)[] | undefined {
  const yearFirst = /^(\d{4})[-/. ]?(\d{1,2})[-/. ]?(\d{1,2})(?=\D|$)/.exec(text)
  if (yearFirst) return yearFirst.slice(1)
  const [, first, second, year] = /^(\d{1,2})[-/. ] ?(\d{1,2})[-/. ] ?(\d{4})(?=\D|$)/.exec(text) ?? []
  if (first && second) {
    if (+first > 12 || +first === +second) return [year, second, first]
    return +second > 12 ? [year, first, second] : undefined
  }
  const [, day, month = '', after] = /^(\d{1,2})[. -] ?([a-z]{3,9})[. ,-] ?(\d{4})$/i.exec(text) ?? []
  if (day) return [after, monthOf(month), day]
  const [, name, number, last] = /^([a-z]{3,9})[. ] ?(\d{1,2}),? (\d{4})$/i.exec(text) ?? []
  return name ? [last, monthOf(name), number] : undefined
}

/** Whether the calendar has this day. */
const isDay = (year: string, month: string, day: string) => {
  const date = new Date(Date.UTC(+year, +month - 1, +day))
  return +year >= 1900 && date.getUTCMonth() === +month - 1 && date.getUTCDate() === +day
}

/** `YYYYMMDD`, from a date in any unambiguous order: year first, a day above 12, or an English month name. */
export const birthDate: Normalise = (raw) => {
  const [year, month, day] = dateParts(raw.trim()) ?? []
  if (!year || !month || !day || !isDay(year, month, day)) return undefined
  return year + month.padStart(2, '0') + day.padStart(2, '0')
}

/** `birthDate` with dashes: `YYYY-MM-DD`. */
export const isoBirthDate: Normalise = (raw, person) =>
  birthDate(raw, person)?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')

/** The ISO 3166-1 alpha-2 code in upper case, from an alpha-2 or alpha-3 code or an English name. */
export const countryCode: Normalise = (raw) => countryOf(raw)

/** `countryCode` in lower case. */
export const countryCodeLower: Normalise = (raw) => countryOf(raw)?.toLowerCase()

const ownCountry = ({ country }: RawPerson) => (country ? countryOf(country) : undefined)
const inUs = (person: RawPerson) => (person.country ? ownCountry(person) === 'US' : undefined)

/**
 * The two-letter code of a US state if the country is the US or unknown. Otherwise `lettersAndDigits`; for a code such
 * as `DE-NW`, without the country.
 */
export const stateCode: Normalise = (raw, person) => {
  const country = ownCountry(person)
  const state = inUs(person) !== false && usStateOf(raw)
  if (state) return state
  const text = raw.trim()
  const isIso = country !== undefined && text.slice(0, 3).toUpperCase() === `${country}-`
  return lettersAndDigits(isIso ? text.slice(3) : text, person)
}

/** The postcode as written. Undefined if it cannot belong to the person's country. */
export const postcode: Normalise = (raw, person) =>
  isPostcodeOf(ownCountry(person), raw) ? orUndefined(raw.trim()) : undefined

/**
 * Lower case without spaces and dashes. For the US, the first five digits; without a country, a ZIP+4 counts as a US
 * code. Undefined if the postcode cannot belong to the person's country.
 */
export const zipCode: Normalise = (raw, person) => {
  if (!isPostcodeOf(ownCountry(person), raw)) return undefined
  const text = raw.toLowerCase().replace(/[\s\p{Pd}]/gu, '')
  const isUs = inUs(person) ?? /^\d{5}-\d{4}$/.test(raw.trim())
  return orUndefined(isUs ? text.slice(0, 5) : text)
}
