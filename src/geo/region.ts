import { iso31661, iso31662 } from 'iso-3166'
import type { Issue } from '#contract/schema.ts'
import type { Location } from './locate.ts'

/**
 * The locations where a script runs: country and subdivision codes to include and to exclude. Both empty: everywhere.
 */
export type RegionRule = { include: ReadonlySet<string>; exclude: ReadonlySet<string> }

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

/** Whether a code is an ISO 3166-1 country: `US`. */
export const isCountry = (code: string): boolean => countries.has(code)
/** Whether a code is an ISO 3166-2 subdivision: `US-CA`. */
export const isSubdivision = (code: string): boolean => subdivisions.has(code)

const path = 'geoRegions'
const expected =
  'an ISO 3166-1 country (US), an ISO 3166-2 subdivision (US-CA), EU or EEA, each with a leading - to exclude'

/**
 * Parses a script's `geoRegions`: `EU,US,-US-CA`, in any case, with optional spaces. Undefined, null or blank means
 * everywhere. Returns an issue for each unknown entry.
 */
export function parseRegions(text: string | null | undefined): { regions: RegionRule } | { issues: Issue[] } {
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
 * Whether a location is inside a rule. Exclusions take precedence over inclusions. A location with only a country may
 * be any part of it: it is in no included subdivision, and every excluded subdivision of the country excludes it. An
 * unknown location is inside only if the rule includes nothing.
 */
export function isInside({ include, exclude }: RegionRule, { country, region }: Location): boolean {
  const isIn = (places: ReadonlySet<string>) =>
    (country !== undefined && places.has(country)) || (region !== undefined && places.has(region))
  const mayBeExcluded = country !== undefined && region === undefined && hasPartOf(exclude, country)
  return !isIn(exclude) && !mayBeExcluded && (include.size === 0 || isIn(include))
}

const hasPartOf = (places: ReadonlySet<string>, country: string) =>
  [...places].some((place) => place.startsWith(`${country}-`))
