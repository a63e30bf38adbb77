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

/** A channel, and the consent that was applied to an event. */
type CheckedChannel = {
  script: SnapshotScript
  /** Absent if this build does not have the provider. */
  provider?: Provider
  consent: ConsentTrace
  settings?: TextSettings | undefined
}
type Refusal = { by: NonNullable<DeliveryFacts['consent']>['refusedBy']; bit?: string }
/** The maps of a trace. `others`: of other users with the same e-mail. */
type TracedMaps = {
  consent?: ConsentMap
  consentCategories?: ConsentMap
  gpc?: boolean
  byDefault?: true
} & Partial<TextConsent>

/** The category that a channel needs. A provider that this build lacks has none of its own: advertising, the strictest, applies. */
export const neededCategory = ({ script, provider }: Pick<CheckedChannel, 'script' | 'provider'>): ConsentCategory =>
  script.consentCategory ?? provider?.consent[0] ?? 'advertising'

/**
 * What refuses a channel in the applied consent of the visitor, in the order in which `decideConsent` applies it. Undefined
 * if nothing there does: then others with the same e-mail may, or a later answer.
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

/** Which rule let a channel have an event, or refused it. `isRefused`: it was skipped for its consent. */
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

/** What refused where the applied consent of the visitor did not. */
const laterRule = ({ joinedBy, decided }: ConsentTrace): ConsentCheck['rule'] =>
  joinedBy || decided?.others ? 'others' : 'later'
