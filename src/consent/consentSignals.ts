import type { TcfSettings } from '#contract/tcfSettings.ts'
import { isSelected } from '#event/providerSelection.ts'
import type { ConsentSignal, ConsentSignals } from '#provider/form/consentSignals.ts'
import type { GivenConsent } from './statedConsent.ts'
import { purposesSignal, textSharesPii, textSignal } from './text/textRefusal.ts'

/** The TCF purposes that Google uses for its signals ad_user_data and ad_personalization. */
const userDataPurposes = [1, 7]
const personalizationPurposes = [1, 3, 4]

type Decisions = readonly (boolean | undefined)[]

/** Denied if a deciding map or GPC denies; granted if a map grants; unknown if no map decides. */
function signal(decisions: Decisions): ConsentSignal {
  if (decisions.includes(false)) return 'denied'
  return decisions.includes(true) ? 'granted' : 'unknown'
}

/** Keeps only a denial; everything else follows advertising. */
const denied = (decisions: Decisions) => (decisions.includes(false) ? [false] : [])

/**
 * The decision of these consents per category, for vendors with consent fields. As in a delivery decision, a category
 * without an entry follows `all`, and is denied without `all`. `share_pii` and `ad_personalization` do not follow `all`.
 */
export function signalsOf(deciding: readonly GivenConsent[], gpc: boolean, settings: TcfSettings = {}): ConsentSignals {
  const maps = deciding.flatMap(({ consentCategories }) => (consentCategories ? [consentCategories] : []))
  const texts = deciding.flatMap((each) => each.texts ?? [])
  const decisions = (category: 'advertising' | 'analytics' | 'functional') => [
    ...maps.map((map) => isSelected(map, category)),
    ...texts.map((text) => textSignal(text, category, settings)),
  ]
  const entries = (name: 'share_pii' | 'ad_personalization') =>
    maps.map(({ [name]: entry }) => (entry === undefined ? undefined : entry === true))
  const ofPurposes = (purposes: readonly number[]) => texts.map((text) => purposesSignal(text, purposes, settings))
  const byGpc = gpc ? [false] : []
  const advertising = [...decisions('advertising'), ...byGpc]
  const sharePii = [
    ...entries('share_pii'),
    ...texts.map((text) => (textSharesPii(text) ? undefined : false)),
    ...byGpc,
  ]
  return {
    advertising: signal(advertising),
    analytics: signal(decisions('analytics')),
    functional: signal(decisions('functional')),
    sharePii: signal(sharePii),
    adUserData: signal([...advertising, ...denied([...sharePii, ...ofPurposes(userDataPurposes)])]),
    adPersonalization: signal([
      ...advertising,
      ...denied([...entries('ad_personalization'), ...ofPurposes(personalizationPurposes)]),
    ]),
  }
}
