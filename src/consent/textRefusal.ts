import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { TextConsent } from './consentTexts.ts'
import { tcfAllows, tcfRefusal } from './tcfRefusal.ts'

/** What refuses in a text, and which text it is. */
export type TextRefusal = { by: 'tcf' | 'gpp'; bit: string }

/** What a consent text refuses a provider by, the strictest of all texts and sections. Undefined if none refuses. */
export function textRefusal(
  { tcf, gpp }: TextConsent,
  providerId: ProviderId,
  category: ConsentCategory,
): TextRefusal | undefined {
  const own = tcf && tcfRefusal(tcf, providerId, category)
  if (own) return { by: 'tcf', bit: own }
  if (!gpp || category === 'necessary') return undefined
  if (gpp === 'unreadable') return { by: 'gpp', bit: gpp }
  if (category === 'advertising' && gpp.advertising) return { by: 'gpp', bit: gpp.advertising }
  const nested = gpp.tcf && tcfRefusal(gpp.tcf, providerId, category)
  return nested ? { by: 'gpp', bit: nested } : undefined
}

/** What the texts say of a category, whoever the vendor is: undefined where only sections of US law say nothing of it. */
export function textSignal(
  { tcf, gpp }: TextConsent,
  category: Exclude<ConsentCategory, 'necessary'>,
): boolean | undefined {
  if (gpp === 'unreadable' || (category === 'advertising' && gpp?.advertising)) return false
  const strings = [tcf, gpp?.tcf].filter((each) => each !== undefined)
  return strings.length === 0 ? undefined : strings.every((each) => tcfAllows(each, category))
}

/** Whether the texts let what identifies the person be shared: sale, sensitive data and children refuse it. */
export const textSharesPii = ({ gpp }: TextConsent): boolean =>
  gpp === undefined || (gpp !== 'unreadable' && gpp.sharePii === undefined)

/** Whether a section repeats Global Privacy Control, which counts as the header does. */
export const textHasGpc = ({ gpp }: TextConsent): boolean =>
  gpp !== undefined && gpp !== 'unreadable' && gpp.gpc === true
