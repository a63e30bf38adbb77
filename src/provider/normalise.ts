import { iso31661, iso31661Alpha3ToAlpha2, iso31662 } from 'iso-3166'
import type { Person } from './person.ts'

/** One value of a person as a vendor wants it; undefined where nothing usable is left. The person tells what it depends on. */
export type Normalise = (raw: string, person: Person) => string | undefined

const orNone = (text: string) => text || undefined
const bare = (text: string) => text.toLowerCase().replace(/[\s\p{P}\p{S}]/gu, '')

export const trimmed: Normalise = (raw) => orNone(raw.trim())

export const lowered: Normalise = (raw) => orNone(raw.trim().toLowerCase())

/** An id that names nobody: vendors refuse an e-mail address for one. */
export const unnamed: Normalise = (raw) => (raw.includes('@') ? undefined : orNone(raw.trim()))

/** Lower case without spaces, punctuation and symbols: `São Tomé-2` → `sãotomé2`. */
export const lettersAndDigits: Normalise = (raw) => orNone(bare(raw))

/** Lower case without digits and symbols; spaces within stay: `Bad Homburg v.d.H.` → `bad homburg vdh`. */
export const lettersOnly: Normalise = (raw) =>
  orNone(
    raw
      .toLowerCase()
      .replace(/[\p{N}\p{P}\p{S}]/gu, '')
      .trim(),
  )

/** Trimmed, lower case; what has no `@` between two ends is no address. */
export const emailAddress: Normalise = (raw) => {
  const text = raw.trim().toLowerCase()
  return /^[^\s@]+@[^\s@]+$/.test(text) ? text : undefined
}

/** As `emailAddress`, the dots before `@gmail.com` and `@googlemail.com` dropped: Google reads them as one mailbox. */
export const googleEmail: Normalise = (raw, person) => {
  const [name, domain] = emailAddress(raw, person)?.split('@') ?? []
  if (!name || !domain) return undefined
  return `${/^(gmail|googlemail)\.com$/.test(domain) ? name.replaceAll('.', '') : name}@${domain}`
}

/** As `googleEmail`, and what follows a `+` in the name dropped too. */
export const googleMailbox: Normalise = (raw, person) => {
  const [name, domain] = googleEmail(raw, person)?.split('@') ?? []
  if (!name || !domain) return undefined
  const mailbox = /^(gmail|googlemail)\.com$/.test(domain) ? name.split('+', 1)[0] : name
  return mailbox ? `${mailbox}@${domain}` : undefined
}

/** Digits with the country code, without `+`, `00` or other leading zeros. */
export const phoneDigits: Normalise = (raw) => orNone(raw.replace(/\D/g, '').replace(/^0+/, ''))

/** E.164: `+` and the digits with the country code. */
export const phoneE164: Normalise = (raw, person) => {
  const digits = phoneDigits(raw, person)
  return digits && `+${digits}`
}

/** E.164 of 8 to 15 digits: what is shorter or longer is no number. */
export const fullPhone: Normalise = (raw, person) => /^\+\d{8,15}$/.exec(phoneE164(raw, person) ?? '')?.[0]

/** `f` or `m`. */
export const genderLetter: Normalise = (raw) =>
  /^(?:(f)(?:emale)?|(m)(?:ale)?)$/i.exec(raw.trim())?.[0][0]?.toLowerCase()

/** `YYYYMMDD`, from a date that begins with its year: in any other order day and month cannot be told apart. */
export const birthDate: Normalise = (raw) => {
  const [, year, month, day] = /^(\d{4})[-/. ]?(\d{1,2})[-/. ]?(\d{1,2})(?=\D|$)/.exec(raw.trim()) ?? []
  if (!year || !month || !day || +month < 1 || +month > 12 || +day < 1 || +day > 31) return undefined
  return year + month.padStart(2, '0') + day.padStart(2, '0')
}

/** Made at the first use: most processes that load providers never normalise a country. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

const countries = once(() => {
  const english = new Intl.DisplayNames(['en'], { type: 'region' })
  return new Map([
    ['uk', 'GB'],
    ...iso31661.flatMap(({ alpha2, name }): [string, string][] => [
      [bare(alpha2), alpha2],
      [bare(name), alpha2],
      [bare(english.of(alpha2) ?? name), alpha2],
    ]),
    ...Object.entries(iso31661Alpha3ToAlpha2).map(([alpha3, alpha2]): [string, string] => [bare(alpha3), alpha2]),
  ])
})

/** ISO 3166-1 alpha-2, upper case, from itself, alpha-3 or the English name. */
export const countryCode: Normalise = (raw) => countries().get(bare(raw))

/** ISO 3166-1 alpha-2, lower case. */
export const countryLetters: Normalise = (raw, person) => countryCode(raw, person)?.toLowerCase()

const usStates = once(() => {
  const states = iso31662.filter(({ code }) => code.startsWith('US-'))
  const named = states.flatMap(({ code, name }) =>
    [name, code, code.slice(3)].map((text) => [bare(text), code] as const),
  )
  return new Map(named.map(([text, code]) => [text, code.slice(3).toLowerCase()]))
})
const inUs = ({ country = '' }: Person) => (country ? countries().get(bare(country)) === 'US' : undefined)

/** In the US (or where no country is known) the two letters of the state; elsewhere `lettersAndDigits`. */
export const stateLetters: Normalise = (raw, person) =>
  (inUs(person) !== false && usStates().get(bare(raw))) || lettersAndDigits(raw, person)

/** Lower case without spaces and dashes; in the US the first five digits. A ZIP+4 is American without being told. */
export const zipCode: Normalise = (raw, person) => {
  const text = raw.toLowerCase().replace(/[\s\p{Pd}]/gu, '')
  const american = inUs(person) ?? /^\d{5}-\d{4}$/.test(raw.trim())
  return orNone(american ? text.slice(0, 5) : text)
}
