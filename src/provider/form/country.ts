import { iso31661, iso31661Alpha3ToAlpha2, iso31662 } from 'iso-3166'

/** Lower case without spaces, punctuation and symbols. */
export const simplified = (text: string): string => text.toLowerCase().replace(/[\s\p{P}\p{S}]/gu, '')

/** Builds a table on first use: most processes that load providers never normalise a country. */
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

/** The ISO 3166-1 alpha-2 code in upper case, from an alpha-2 or alpha-3 code or an English name. */
export const countryOf = (text: string): string | undefined => countries().get(simplified(text))

const usStates = once(() => {
  const states = iso31662.filter(({ code }) => code.startsWith('US-'))
  const named = states.flatMap(({ code, name }) =>
    [name, code, code.slice(3)].map((text) => [simplified(text), code] as const),
  )
  return new Map(named.map(([text, code]) => [text, code.slice(3).toLowerCase()]))
})

/** The two lower-case letters of a US state, from its code or English name. */
export const usStateOf = (text: string): string | undefined => usStates().get(simplified(text))

/** Patterns of postcodes in lower case, without spaces and dashes. Countries that are not listed accept any text. */
const postcodes: Readonly<Record<string, RegExp>> = {
  AT: /^\d{4}$/,
  AU: /^\d{4}$/,
  BE: /^\d{4}$/,
  BR: /^\d{8}$/,
  CA: /^[a-z]\d[a-z]\d[a-z]\d$/,
  CH: /^\d{4}$/,
  DE: /^\d{5}$/,
  DK: /^\d{4}$/,
  ES: /^\d{5}$/,
  FI: /^\d{5}$/,
  FR: /^\d{5}$/,
  GB: /^[a-z]{1,2}\d[a-z\d]?\d[a-z]{2}$/,
  IN: /^\d{6}$/,
  IT: /^\d{5}$/,
  JP: /^\d{7}$/,
  MX: /^\d{5}$/,
  NL: /^\d{4}[a-z]{2}$/,
  NO: /^\d{4}$/,
  PL: /^\d{5}$/,
  PT: /^\d{4}(?:\d{3})?$/,
  SE: /^\d{5}$/,
  US: /^\d{5}(?:\d{4})?$/,
}

/** Whether a postcode can belong to this country. */
export const isPostcodeOf = (country: string | undefined, text: string): boolean =>
  (country && postcodes[country]?.test(text.toLowerCase().replace(/[\s\p{Pd}]/gu, ''))) !== false
