import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'
import { tcStringsOf } from './consentTexts.ts'
import { tcfAllows, tcfRefusal } from './tcfRefusal.ts'
import { purposesOf } from './tcfRules.ts'
import type { TextConsent } from './textConsent.ts'

/** The refusing part of a text, and the kind of text. */
type TextRefusal = { by: 'tcf' | 'gpp'; bit: string }

/** Why the consent texts refuse a provider. All texts and sections are checked. Undefined if none refuses. */
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

/**
 * What the texts state about a category, regardless of the vendor. Undefined if there are only US sections that do not
 * mention it.
 */
export function textSignal(
  texts: TextConsent,
  category: Exclude<ConsentCategory, 'necessary'>,
  settings: TcfSettings = {},
): boolean | undefined {
  const { gpp } = texts
  if (gpp === 'unreadable' || (category === 'advertising' && gpp?.advertising)) return false
  return purposesSignal(texts, purposesOf(category, settings), settings)
}

/** True if all TC strings among the texts allow these purposes; undefined without a TC string. */
export function purposesSignal(texts: TextConsent, purposes: readonly number[], settings: TcfSettings = {}) {
  const strings = tcStringsOf(texts)
  return strings.length === 0 ? undefined : strings.every((each) => tcfAllows(each, purposes, settings))
}

/** True if identifying data may be shared. Objections about sale, sensitive data or children forbid it. */
export const textSharesPii = ({ gpp }: TextConsent): boolean =>
  gpp === undefined || (gpp !== 'unreadable' && gpp.sharePii === undefined)

/** The texts as they apply to a vendor that limits its use of data: an opt-out of sale alone does not concern it. */
export function withoutSale(texts: TextConsent): TextConsent {
  const { gpp } = texts
  if (!gpp || gpp === 'unreadable' || !gpp.saleAlone) return texts
  const { advertising: _, sharePii: __, saleAlone: ___, ...rest } = gpp
  return { ...texts, gpp: rest }
}

/** True if a section repeats Global Privacy Control, which has the same effect as the header. */
export const textHasGpc = ({ gpp }: TextConsent): boolean =>
  gpp !== undefined && gpp !== 'unreadable' && gpp.gpc === true
