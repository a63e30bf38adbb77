import type { ConsentMap } from '#contract/event.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'
import { isSelected } from '#event/providerSelection.ts'
import type { ConsentSignal, ConsentSignals } from '#provider/form/consentSignals.ts'
import type { GivenConsent } from './statedConsent.ts'
import type { TextConsent } from './text/textConsent.ts'
import { purposesSignal, textSharesPii, textSignal } from './text/textRefusal.ts'

/** The TCF purposes that Google uses for its signals ad_user_data and ad_personalization. */
const userDataPurposes = [1, 7]
const personalizationPurposes = [1, 3, 4]

type Decision = boolean | undefined

/** Of two decisions a denial applies first, then a grant. */
const stricter = (one: Decision, other: Decision): Decision =>
  one === false || other === false ? false : (one ?? other)

/** The strictest decision of all maps and texts. A loop, because it runs six times for each event. */
function strictest(
  deciding: readonly GivenConsent[],
  ofMap: (map: ConsentMap) => Decision,
  ofText: (text: TextConsent) => Decision,
): Decision {
  let decision: Decision
  for (const { consentCategories, texts } of deciding) {
    if (consentCategories) decision = stricter(decision, ofMap(consentCategories))
    if (texts) decision = stricter(decision, ofText(texts))
  }
  return decision
}

const signal = (decision: Decision): ConsentSignal =>
  decision === undefined ? 'unknown' : decision ? 'granted' : 'denied'

/**
 * The decision of these consents per category, for vendors with consent fields: denied if one of them or GPC denies, granted if
 * one grants, unknown if none decides. As in a delivery decision, a category without an entry follows `all`, and is denied
 * without `all`. `share_pii` and `ad_personalization` do not follow `all`. Google's two signals follow advertising unless they
 * are denied themselves.
 */
export function signalsOf(deciding: readonly GivenConsent[], gpc: boolean, settings: TcfSettings = {}): ConsentSignals {
  const category = (name: 'advertising' | 'analytics' | 'functional') =>
    strictest(
      deciding,
      (map) => isSelected(map, name),
      (text) => textSignal(text, name, settings),
    )
  const entry = (name: 'share_pii' | 'ad_personalization', ofText: (text: TextConsent) => Decision) =>
    strictest(deciding, ({ [name]: value }) => (value === undefined ? undefined : value === true), ofText)
  const byGpc = gpc ? false : undefined
  const advertising = stricter(category('advertising'), byGpc)
  const sharePii = stricter(
    entry('share_pii', (text) => (textSharesPii(text) ? undefined : false)),
    byGpc,
  )
  const ofPurposes = (purposes: readonly number[]) => (text: TextConsent) => purposesSignal(text, purposes, settings)
  const userData = strictest(deciding, undecided, ofPurposes(userDataPurposes))
  const personalization = entry('ad_personalization', ofPurposes(personalizationPurposes))
  const unlessDenied = (...own: Decision[]) => signal(own.includes(false) ? false : advertising)
  return {
    advertising: signal(advertising),
    analytics: signal(category('analytics')),
    functional: signal(category('functional')),
    sharePii: signal(sharePii),
    adUserData: unlessDenied(sharePii, userData),
    adPersonalization: unlessDenied(personalization),
  }
}

const undecided = () => undefined
