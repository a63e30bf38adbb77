import { purposesOf } from '#consent/text/tcfRules.ts'
import type { TextConsent } from '#consent/text/textConsent.ts'
import { textRefusal, withoutSale } from '#consent/text/textRefusal.ts'
import { currentVendors } from '#consent/text/vendorTable.ts'
import type { ConsentCheck } from '#contract/consentCheck.ts'
import type { DeliveryFacts } from '#contract/deliveryFacts.ts'
import type { ConsentMap } from '#contract/event.ts'
import type { ConsentTrace } from '#contract/journey.ts'
import type { ConsentCategory } from '#contract/script.ts'
import { isSelected } from '#event/providerSelection.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'

/** How a tag reads consent texts. */
export type TextSettings = Pick<Snapshot, 'tcf' | 'saleOptOut'>

/** A channel, and the consent that was applied to the event. */
type CheckedChannel = {
  script: SnapshotScript
  /** Absent if this build lacks the provider. */
  provider?: Provider
  consent: ConsentTrace
  settings?: TextSettings | undefined
}
type Refusal = { by: NonNullable<DeliveryFacts['consent']>['refusedBy']; bit?: string }
/** The maps of a trace. `others`: from other users with the same e-mail. */
type TracedMaps = {
  consent?: ConsentMap
  consentCategories?: ConsentMap
  gpc?: boolean
  byDefault?: true
} & Partial<TextConsent>

/** The category that a channel needs. If this build lacks the provider, advertising applies, because it is the strictest. */
export const neededCategory = ({ script, provider }: Pick<CheckedChannel, 'script' | 'provider'>): ConsentCategory =>
  script.consentCategory ?? provider?.consent[0] ?? 'advertising'

/**
 * Why the visitor's applied consent refuses a channel. The checks run in the order of `decideConsent`. Undefined if that
 * consent refuses nothing: other users with the same e-mail, or a later answer, may still refuse.
 */
export function consentRefusal({ script, provider, consent, settings }: CheckedChannel): Refusal | undefined {
  const { source, state, decided = {} } = consent
  const { consent: providers, consentCategories, gpc, ...texts } = decided as TracedMaps
  const category = neededCategory({ script, ...(provider && { provider }) })
  if (source === 'none') return { by: state === 'unanswered' ? 'unanswered' : 'none' }
  if (gpc && category === 'advertising') return { by: 'gpc' }
  if (!isSelected(providers, script.providerId, script.name)) return { by: 'provider' }
  if (category !== 'necessary' && !isSelected(consentCategories, category)) return { by: 'category' }
  const asked = provider?.limitedUse && settings?.saleOptOut === 'limitedUse' ? withoutSale(texts) : texts
  return textRefusal(asked, script.providerId, category, settings?.tcf)
}

/**
 * The rule that allowed or refused an event for a channel. `isRefused`: the delivery was skipped because of consent.
 */
export function consentCheck(checked: CheckedChannel, isRefused: boolean): ConsentCheck {
  const { script, consent, settings: { tcf } = {} } = checked
  const category = neededCategory(checked)
  const { tcf: text, byDefault } = (consent.decided ?? {}) as TracedMaps
  const refusal = consentRefusal(checked)
  const isAllowed = !refusal && !isRefused
  const isLimited = isAllowed && consentRefusal({ ...checked, settings: tcf ? { tcf } : undefined }) !== undefined
  const { gvlId } = currentVendors().rows[script.providerId] ?? {}
  return {
    category,
    isAllowed,
    rule: isAllowed
      ? allowingRule(consent, category, isLimited ? 'limitedUse' : byDefault && 'default')
      : (refusal?.by ?? laterRule(consent)),
    ...(refusal?.bit !== undefined && { bit: refusal.bit }),
    ...(text && category !== 'necessary' && { purposes: [...purposesOf(category, tcf)] }),
    ...(text && category !== 'necessary' && gvlId !== undefined && tcf?.requireVendor !== false && { vendor: gvlId }),
  }
}

function allowingRule(
  { source }: ConsentTrace,
  category: ConsentCategory,
  special?: 'limitedUse' | 'default',
): ConsentCheck['rule'] {
  if (category === 'necessary') return source === 'disabled' ? source : category
  if (special === 'limitedUse') return special
  return source === 'disabled' ? source : (special ?? 'agreed')
}

/** The refusing rule if the visitor's applied consent did not refuse. */
const laterRule = ({ joinedBy, decided }: ConsentTrace): ConsentCheck['rule'] =>
  joinedBy || decided?.others ? 'others' : 'later'
