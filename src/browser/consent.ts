import type { ConsentMaps } from '#contract/edgeResponses.ts'
import type { ConsentMap, ProviderSelection } from '#contract/event.ts'
import type { ConsentCategory } from '#contract/script.ts'

/** The consent of a page without a consent banner. */
export const fullConsent: ConsentMaps = { consent: { all: true } }

/**
 * Whether a map allows a provider or category; a name that is not in the map follows `all`. A provider with at least one
 * allowed script is allowed in the page.
 */
export function allows(map: ProviderSelection | null | undefined, name: string): boolean {
  if (!map) return true
  if (Array.isArray(map)) return map.includes(name) || map.includes('all')
  const entry = map[name] ?? map.all
  return [entry, ...Object.values(entry ?? {})].includes(true)
}

/** Whether a consent allows any provider and, if it names categories, any of them besides `necessary`. */
export const hasGrant = ({ consent, consentCategories }: ConsentMaps): boolean =>
  Boolean(consent ?? consentCategories) && namesGrant(consent) && namesGrant(consentCategories)

/** `necessary`, `share_pii` and `ad_personalization` grant nothing; no provider id starts with their first 3 characters. */
const namesGrant = (map: ConsentMap | undefined) =>
  !map || Object.keys(map).some((name) => !/^(nec|sha|ad_)/.test(name) && allows(map, name))

/**
 * Whether a provider may run in the page; undefined before a consent is given. It only concerns the page: the edge
 * decides about the deliveries of each script.
 */
export function mayRunInPage(
  maps: ConsentMaps | undefined,
  provider: string,
  category: ConsentCategory,
): boolean | undefined {
  const { consent, consentCategories } = maps ?? {}
  if (!consent && !consentCategories) return undefined
  return allows(consent, provider) && (category === 'necessary' || allows(consentCategories, category))
}
