import type { ConsentMaps } from '#contract/edgeResponses.ts'
import type { TagEvent } from '#contract/event.ts'
import { readCategoryMap, readProviderMap } from './consentMaps.ts'

/** The consent maps of a user, and the time of the consent (epoch ms). */
export type StoredConsent = ConsentMaps & { at: number }

/**
 * What an event says of consent. `consent`: an answer. `isUnanswered`: a banner was shown and the visitor has not
 * answered yet. The maps beside it are the defaults of the page, and no answer.
 */
export type StatedConsent = { readonly consent?: StoredConsent; readonly isUnanswered?: true }

/** The key of the consent in `storage`: `service` for the brand `Service`. */
export const consentKey = (brand: string): string => brand.charAt(0).toLowerCase() + brand.slice(1)

const nothingStated: StatedConsent = Object.freeze({})
const unanswered: StatedConsent = Object.freeze({ isUnanswered: true })

/**
 * Reads what an event says of consent. Read it once for each event: the maps are sanitized anew each time. The time of a
 * consent is at most `receivedAt`, so that a fast clock does not block later consents.
 */
export function readStatedConsent(
  { storage, timestamp }: Pick<TagEvent, 'storage' | 'timestamp'>,
  receivedAt: number,
  brand: string,
  tag: { scripts: readonly { name: string }[] },
): StatedConsent {
  const entry = storage?.[consentKey(brand)]
  if (typeof entry !== 'object' || entry === null) return nothingStated
  const { consent, consentCategories, consentState } = entry as Record<string, unknown>
  if (consentState === 'unanswered') return unanswered
  const providers = readProviderMap(consent, tag.scripts)
  const categories = readCategoryMap(consentCategories)
  if (!providers && !categories) return nothingStated
  const maps: ConsentMaps = {}
  if (providers) maps.consent = providers
  if (categories) maps.consentCategories = categories
  return { consent: { ...maps, at: Math.min(timestamp, receivedAt) } }
}
