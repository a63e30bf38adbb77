import type { ConsentMaps } from '#contract/edge.ts'
import type { ProviderSelection } from '#contract/event.ts'
import type { ConsentCategory } from '#contract/script.ts'

/** What a page without a banner says. */
export const allOfIt: ConsentMaps = { consent: { all: true } }

/**
 * Whether a map lets a provider or category through: who is not named follows `all`. A provider of which only some
 * scripts are let through has a part in the page for these.
 */
export function allows(map: ProviderSelection | null | undefined, name: string): boolean {
  if (!map) return true
  if (Array.isArray(map)) return map.includes(name) || map.includes('all')
  const entry = map[name] ?? map.all
  return typeof entry === 'object' ? Object.values(entry).includes(true) : entry === true
}

/**
 * Whether a provider may do something in the page; undefined while nobody has been asked. What is delivered is decided
 * by the edge, script by script: this is about the page alone.
 */
export function mayRun(
  given: ConsentMaps | undefined,
  provider: string,
  category: ConsentCategory,
): boolean | undefined {
  const { consent, consentCategories } = given ?? {}
  if (!consent && !consentCategories) return undefined
  return allows(consent, provider) && (category === 'necessary' || allows(consentCategories, category))
}
