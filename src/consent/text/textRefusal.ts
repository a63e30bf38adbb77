import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'
import { tcStringsOf } from './consentTexts.ts'
import { tcfAllows, tcfRefusal } from './tcfRefusal.ts'
import { purposesOf } from './tcfRules.ts'
import type { TextConsent } from './textConsent.ts'

/** What refuses in a text, and which text it is. */
type TextRefusal = { by: 'tcf' | 'gpp'; bit: string }

/** What a consent text refuses a provider by, the strictest of all texts and sections. Undefined if none refuses. */
export function textRefusal(
  { tcf, gpp }: TextConsent,
  providerId: ProviderId,
  category: ConsentCategory,
  settings: TcfSettings = {},
): TextRefusal | undefined {
  const own = tcf && tcfRefusal(tcf, providerId, category, settings)
  if (own) return { by: 'tcf', bit: own }
  if (!gpp || category === 'necessary') return undefined
  if (gpp === 'unreadable') return { by: 'gpp', bit: gpp }
  if (category === 'advertising' && gpp.advertising) return { by: 'gpp', bit: gpp.advertising }
  const nested = tcStringsOf({ gpp }).map((each) => tcfRefusal(each, providerId, category, settings))
  const bit = nested.find((each) => each !== undefined)
  return bit === undefined ? undefined : { by: 'gpp', bit }
}

/** What the texts say of a category, whoever the vendor is: undefined where only sections of US law say nothing of it. */
export function textSignal(
  texts: TextConsent,
  category: Exclude<ConsentCategory, 'necessary'>,
  settings: TcfSettings = {},
): boolean | undefined {
  const { gpp } = texts
  if (gpp === 'unreadable' || (category === 'advertising' && gpp?.advertising)) return false
  return purposesSignal(texts, purposesOf(category, settings), settings)
}

/** Whether the TC strings among the texts allow these purposes; undefined without one. */
export function purposesSignal(texts: TextConsent, purposes: readonly number[], settings: TcfSettings = {}) {
  const strings = tcStringsOf(texts)
  return strings.length === 0 ? undefined : strings.every((each) => tcfAllows(each, purposes, settings))
}

/** Whether the texts let what identifies the person be shared: sale, sensitive data and children refuse it. */
export const textSharesPii = ({ gpp }: TextConsent): boolean =>
  gpp === undefined || (gpp !== 'unreadable' && gpp.sharePii === undefined)

/** What the texts say to a vendor that limits its use of data: an opt-out of sale alone does not concern it. */
export function withoutSale(texts: TextConsent): TextConsent {
  const { gpp } = texts
  if (!gpp || gpp === 'unreadable' || !gpp.saleAlone) return texts
  const { advertising: _, sharePii: __, saleAlone: ___, ...rest } = gpp
  return { ...texts, gpp: rest }
}

/** Whether a section repeats Global Privacy Control, which counts as the header does. */
export const textHasGpc = ({ gpp }: TextConsent): boolean =>
  gpp !== undefined && gpp !== 'unreadable' && gpp.gpc === true
