import type { ConsentMaps } from '#contract/edgeResponses.ts'
import type { TagEvent } from '#contract/event.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import { readCategoryMap, readProviderMap } from './consentMaps.ts'
import { readConsentTexts, type TextConsent } from './consentTexts.ts'

/** What a person agreed to: the maps, and what consent texts say. Each of them must allow a delivery. */
export type GivenConsent = ConsentMaps & { texts?: TextConsent }

/** The consent of a user, and its time (epoch ms). */
export type StoredConsent = GivenConsent & { at: number }

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
  tag: { scripts: readonly Pick<SnapshotScript, 'providerId' | 'name'>[] },
): StatedConsent {
  const entry = storage?.[consentKey(brand)]
  if (typeof entry !== 'object' || entry === null) return nothingStated
  const { consent, consentCategories, consentTexts, consentState } = entry as Record<string, unknown>
  if (consentState === 'unanswered') return unanswered
  const providers = readProviderMap(consent, tag.scripts)
  const categories = readCategoryMap(consentCategories)
  const texts = consentTexts === undefined ? undefined : readConsentTexts(consentTexts, receivedAt)
  if (!providers && !categories && !texts) return nothingStated
  const maps: GivenConsent = {}
  if (providers) maps.consent = providers
  if (categories) maps.consentCategories = categories
  if (texts) maps.texts = texts
  return { consent: { ...maps, at: Math.min(timestamp, receivedAt) } }
}
