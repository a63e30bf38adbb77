import { iso31661, iso31662 } from 'iso-3166'
import type { Issue } from '#contract/schema.ts'
import type { Located } from './locate.ts'

/** Where a script runs: the places it names, and those it takes out again. Both empty: everywhere. */
export type Regions = { include: ReadonlySet<string>; exclude: ReadonlySet<string> }

/** https://european-union.europa.eu/principles-countries-history/eu-countries_en, as of 2026 */
const eu = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')
/** The EU and the EFTA states of https://www.efta.int/eea-relations-eu */
const eea = [...eu, 'IS', 'LI', 'NO']

const groups: ReadonlyMap<string, readonly string[]> = new Map([
  ['EU', eu],
  ['EEA', eea],
])
const countries: ReadonlySet<string> = new Set(iso31661.map((country) => country.alpha2))
const subdivisions: ReadonlySet<string> = new Set(iso31662.map((subdivision) => subdivision.code))

/** `US` */
export const isCountry = (code: string): boolean => countries.has(code)
/** `US-CA` */
export const isSubdivision = (code: string): boolean => subdivisions.has(code)

const path = 'geoRegions'
const expected =
  'an ISO 3166-1 country (US), an ISO 3166-2 subdivision (US-CA), EU or EEA, each with a leading - to exclude'

/**
 * Reads a script's `geoRegions`: `EU,US,-US-CA`, in any case, spaces allowed. Absent, null or blank is everywhere.
 * Otherwise the issues, each with the entry that nobody knows.
 */
export function parseRegions(text: string | null | undefined): { regions: Regions } | { issues: Issue[] } {
  const include = new Set<string>()
  const exclude = new Set<string>()
  const issues: Issue[] = []
  const entries = text?.trim() ? text.split(',') : []
  for (const entry of entries) {
    const name = entry.trim().toUpperCase()
    const places = placesOf(name.startsWith('-') ? name.slice(1).trimStart() : name)
    if (!places) issues.push({ path, message: `"${entry.trim().slice(0, 40)}" is not ${expected}` })
    for (const place of places ?? []) (name.startsWith('-') ? exclude : include).add(place)
  }
  return issues.length > 0 ? { issues } : { regions: { include, exclude } }
}

const placesOf = (name: string) => groups.get(name) ?? (isCountry(name) || isSubdivision(name) ? [name] : undefined)

/**
 * Whether a place lies inside. An exclusion goes before an inclusion. Where only the country is known, it may be any part
 * of it: it lies in no subdivision that is included, and is kept out by every one that is excluded. A place that is not
 * known at all passes only where nothing is included.
 */
export function isInside({ include, exclude }: Regions, { country, region }: Located): boolean {
  const isIn = (places: ReadonlySet<string>) =>
    (country !== undefined && places.has(country)) || (region !== undefined && places.has(region))
  const mayBeOut = country !== undefined && region === undefined && hasPartOf(exclude, country)
  return !isIn(exclude) && !mayBeOut && (include.size === 0 || isIn(include))
}

const hasPartOf = (places: ReadonlySet<string>, country: string) =>
  [...places].some((place) => place.startsWith(`${country}-`))
