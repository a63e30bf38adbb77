import { isIPv4 } from 'node:net'
import { iso31661, iso31661Alpha3ToAlpha2, iso31662 } from 'iso-3166'
import type { RawPerson } from './person.ts'

/**
 * Normalises one value of a person; undefined where no valid value remains. Some rules depend on other values of the
 * person.
 */
export type Normalise = (raw: string, person: RawPerson) => string | undefined

const orUndefined = (text: string) => text || undefined
const simplified = (text: string) => text.toLowerCase().replace(/[\s\p{P}\p{S}]/gu, '')

export const trimmed: Normalise = (raw) => orUndefined(raw.trim())

export const lowerCase: Normalise = (raw) => orUndefined(raw.trim().toLowerCase())

/** Trimmed; undefined for an e-mail address, which vendors reject as an id. */
export const nonEmailId: Normalise = (raw) => (raw.includes('@') ? undefined : orUndefined(raw.trim()))

/** Lower case without white space: `van der Berg` → `vanderberg`. */
export const withoutSpaces: Normalise = (raw) => orUndefined(raw.toLowerCase().replace(/\s/g, ''))

/** Lower case without spaces, punctuation and symbols: `São Tomé-2` → `sãotomé2`. */
export const lettersAndDigits: Normalise = (raw) => orUndefined(simplified(raw))

/** Lower case without digits and symbols, with its inner spaces: `Bad Homburg v.d.H.` → `bad homburg vdh`. */
export const lettersOnly: Normalise = (raw) =>
  orUndefined(
    raw
      .toLowerCase()
      .replace(/[\p{N}\p{P}\p{S}]/gu, '')
      .trim(),
  )

/** Trimmed, in lower case; undefined without exactly one `@` between two parts. */
export const emailAddress: Normalise = (raw) => {
  const text = raw.trim().toLowerCase()
  return /^[^\s@]+@[^\s@]+$/.test(text) ? text : undefined
}

/** `emailAddress` without the dots before `@gmail.com` and `@googlemail.com`, which Google ignores. */
export const googleEmail: Normalise = (raw, person) => {
  const [name, domain] = emailAddress(raw, person)?.split('@') ?? []
  if (!name || !domain) return undefined
  return `${/^(gmail|googlemail)\.com$/.test(domain) ? name.replaceAll('.', '') : name}@${domain}`
}

/** `googleEmail` without the `+` suffix of the name, at the same two domains. */
export const googleMailbox: Normalise = (raw, person) => {
  const [name, domain] = googleEmail(raw, person)?.split('@') ?? []
  if (!name || !domain) return undefined
  const mailbox = /^(gmail|googlemail)\.com$/.test(domain) ? name.split('+', 1)[0] : name
  return mailbox ? `${mailbox}@${domain}` : undefined
}

/** `emailAddress` without the dots and the `+` suffix of the name, at every domain. */
export const canonicalMailbox: Normalise = (raw, person) => {
  const [name = '', domain] = emailAddress(raw, person)?.split('@') ?? []
  const mailbox = name.split('+', 1)[0]!.replaceAll('.', '')
  return mailbox && domain ? `${mailbox}@${domain}` : undefined
}

/** Digits with the country code, without `+`, `00` or other leading zeros. */
export const phoneDigits: Normalise = (raw) => orUndefined(raw.replace(/\D/g, '').replace(/^0+/, ''))

/** E.164: `+` and the digits with the country code. */
export const phoneE164: Normalise = (raw, person) => {
  const digits = phoneDigits(raw, person)
  return digits && `+${digits}`
}

/** E.164 of 8 to 15 digits; undefined for other lengths. */
export const validE164: Normalise = (raw, person) => /^\+\d{8,15}$/.exec(phoneE164(raw, person) ?? '')?.[0]

/** An IPv4 address, also one that is written as IPv6 (`::ffff:192.0.2.1`); undefined for other addresses. */
export const ipv4Address: Normalise = (raw) => {
  const address = raw.trim().replace(/^::ffff:/i, '')
  return isIPv4(address) ? address : undefined
}

/** `f` or `m`. */
export const genderLetter: Normalise = (raw) =>
  /^(?:(f)(?:emale)?|(m)(?:ale)?)$/i.exec(raw.trim())?.[0][0]?.toLowerCase()

/**
 * `YYYYMMDD`, of a date that begins with the year; undefined for other orders, in which day and month are ambiguous.
 */
export const birthDate: Normalise = (raw) => {
  const [, year, month, day] = /^(\d{4})[-/. ]?(\d{1,2})[-/. ]?(\d{1,2})(?=\D|$)/.exec(raw.trim()) ?? []
  if (!year || !month || !day || +month < 1 || +month > 12 || +day < 1 || +day > 31) return undefined
  return year + month.padStart(2, '0') + day.padStart(2, '0')
}

/** `birthDate` with dashes: `YYYY-MM-DD`. */
export const isoBirthDate: Normalise = (raw, person) =>
  birthDate(raw, person)?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')

/** Builds a table at its first use: most processes that load providers never normalise a country. */
function once<T>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}

const countries = once(() => {
  const english = new Intl.DisplayNames(['en'], { type: 'region' })
  return new Map([
    ['uk', 'GB'],
    ...iso31661.flatMap(({ alpha2, name }): [string, string][] => [
      [simplified(alpha2), alpha2],
      [simplified(name), alpha2],
      [simplified(english.of(alpha2) ?? name), alpha2],
    ]),
    ...Object.entries(iso31661Alpha3ToAlpha2).map(([alpha3, alpha2]): [string, string] => [simplified(alpha3), alpha2]),
  ])
})

/** ISO 3166-1 alpha-2 in upper case, of an alpha-2 or alpha-3 code or an English name. */
export const countryCode: Normalise = (raw) => countries().get(simplified(raw))

/** `countryCode` in lower case. */
export const countryCodeLower: Normalise = (raw, person) => countryCode(raw, person)?.toLowerCase()

const usStates = once(() => {
  const states = iso31662.filter(({ code }) => code.startsWith('US-'))
  const named = states.flatMap(({ code, name }) =>
    [name, code, code.slice(3)].map((text) => [simplified(text), code] as const),
  )
  return new Map(named.map(([text, code]) => [text, code.slice(3).toLowerCase()]))
})
const inUs = ({ country = '' }: RawPerson) => (country ? countries().get(simplified(country)) === 'US' : undefined)

/** The two-letter code of a US state where the country is the US or unknown; otherwise `lettersAndDigits`. */
export const stateCode: Normalise = (raw, person) =>
  (inUs(person) !== false && usStates().get(simplified(raw))) || lettersAndDigits(raw, person)

/**
 * Lower case without spaces and dashes; in the US the first five digits. Without a country, a ZIP+4 counts as one of
 * the US.
 */
export const zipCode: Normalise = (raw, person) => {
  const text = raw.toLowerCase().replace(/[\s\p{Pd}]/gu, '')
  const isUs = inUs(person) ?? /^\d{5}-\d{4}$/.test(raw.trim())
  return orUndefined(isUs ? text.slice(0, 5) : text)
}
