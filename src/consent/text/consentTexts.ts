import type { TextWarning } from '#contract/consentCheck.ts'
import { tcfDefaults } from '#contract/tcfDefaults.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'
import { lacksDisclosed, stricterTexts } from './stricterTexts.ts'
import type { TcConsent } from './tcString.ts'
import type { CallTexts, ReadGpp, ReadTcf, TextConsent } from './textConsent.ts'
import { decodeCanada, decodeGpp, decodeTcf, maxTextLength } from './textDecoders.ts'
import { currentVendors, googleAtpIds } from './vendorTable.ts'

const dayMs = 86_400_000
const addtlForm = /^[12]~([0-9.]*)(?:~dv(?:\.[0-9.]*)?)?$/

/** The requested ids that an additional consent text consents to. Empty for an unreadable text. */
function consentedIds(text: unknown, ids: readonly number[]): number[] {
  const list = typeof text === 'string' && text.length <= maxTextLength ? addtlForm.exec(text)?.[1] : undefined
  return list ? ids.filter((id) => `.${list}.`.includes(`.${id}.`)) : []
}

/** The texts to read, and the limits for their age. */
type TextQuestion = { addtlConsent: unknown; now: number; maxAgeDays: number }
type Found = { texts?: TextConsent; warnings: TextWarning[] }

type ReadOptions = { callTexts?: readonly CallTexts[] | undefined } & TcfSettings

/**
 * Reads `consentTexts` of an event (`tcf`, `addtlConsent`, `gdprApplies`, `gpp`, `gppSections`) and the texts of the headers
 * and the cookie of its call. If there are several, the strictest counts. `texts` is absent if they state nothing: no text,
 * the law does not apply, or the text has expired.
 */
export function readTexts(
  given: unknown,
  now: number,
  { callTexts, maxAgeDays = tcfDefaults.maxAgeDays }: ReadOptions = {},
): Found {
  const sources = [...(typeof given === 'object' && given !== null ? [given] : []), ...(callTexts ?? [])]
  const warnings: TextWarning[] = []
  let texts: TextConsent | undefined
  for (const source of sources) {
    const read = readSource(source as Record<string, unknown>, { now, maxAgeDays }, warnings)
    texts = texts && read ? stricterTexts(texts, read) : (read ?? texts)
  }
  return { ...(texts && { texts }), warnings: [...new Set(warnings)] }
}

/** Returns only the texts, without warnings. */
export const readConsentTexts = (...question: Parameters<typeof readTexts>): TextConsent | undefined =>
  readTexts(...question).texts

function readSource(
  { tcf: text, addtlConsent, gdprApplies, gpp: gppText, gppSections }: Record<string, unknown>,
  time: Omit<TextQuestion, 'addtlConsent'>,
  warnings: TextWarning[],
): TextConsent | undefined {
  const isAsked = gdprApplies !== false && gdprApplies !== 0
  const question = { addtlConsent, ...time }
  const tcf = isAsked ? readTcf(text, question, warnings) : undefined
  const gpp = readGpp(gppText, gppSections, { ...question, isTcfAsked: isAsked }, warnings)
  return tcf || gpp ? { ...(tcf && { tcf }), ...(gpp && { gpp }) } : undefined
}

function readTcf(text: unknown, question: TextQuestion, warnings: TextWarning[]): ReadTcf | 'unreadable' | undefined {
  if (text === undefined || text === null) return undefined
  return withTime(typeof text === 'string' ? decodeTcf(text) : 'unreadable', question, warnings)
}

function withTime(
  tcf: TcConsent | 'unreadable',
  { addtlConsent, now, maxAgeDays }: TextQuestion,
  warnings: TextWarning[],
  law?: 'canada',
): ReadTcf | 'unreadable' | undefined {
  if (tcf === 'unreadable') {
    warnings.push(law ? 'GPP_UNREADABLE' : 'TCF_UNREADABLE')
    return tcf
  }
  if (tcf.lastUpdated > now + dayMs || tcf.lastUpdated < now - maxAgeDays * dayMs) {
    warnings.push('TCF_OUT_OF_TIME')
    return undefined
  }
  const own: TextWarning[] = []
  if (lacksDisclosed(law ? { ...tcf, law } : tcf)) own.push('TCF_WITHOUT_DISCLOSED_VENDORS')
  if (!law && tcf.listVersion > currentVendors().version) own.push('TCF_LIST_NEWER')
  warnings.push(...own)
  const consented = consentedIds(addtlConsent, googleAtpIds)
  return { ...tcf, consented, ...(law && { law }), ...(own.length > 0 && { warnings: own }) }
}

/**
 * `sections`: the ids that apply. Without them the whole string applies; if none of them is in the string, it states
 * nothing.
 */
function readGpp(
  text: unknown,
  sections: unknown,
  { isTcfAsked, ...question }: TextQuestion & { isTcfAsked: boolean },
  warnings: TextWarning[],
): ReadGpp | 'unreadable' | undefined {
  if (text === undefined || text === null) return undefined
  const applicable = Array.isArray(sections) ? sections.slice(0, 40).filter(Number.isInteger) : undefined
  const isText = typeof text === 'string' && text.length <= maxTextLength
  const gpp = isText ? decodeGpp(text, applicable) : 'unreadable'
  if (gpp === 'unreadable') {
    warnings.push('GPP_UNREADABLE')
    return gpp
  }
  if (gpp.sections.length === 0) return undefined
  const { tcf: tcfText, canada: canadaText, ...us } = gpp
  const tcf = isTcfAsked ? readTcf(tcfText, question, warnings) : undefined
  const canada = canadaText === undefined ? undefined : withTime(decodeCanada(canadaText), question, warnings, 'canada')
  return { ...us, ...(tcf && { tcf }), ...(canada && { canada }) }
}

/** The TC strings among the texts, including the Canadian section, which has the same form. */
export const tcStringsOf = ({ tcf, gpp }: TextConsent): (ReadTcf | 'unreadable')[] =>
  [tcf, ...(gpp && gpp !== 'unreadable' ? [gpp.tcf, gpp.canada] : [])].filter((each) => each !== undefined)

/**
 * True if the texts are an answer of the visitor. US sections alone are not: those laws are opt-out, so they can only
 * object. An unreadable text counts as a refusal.
 */
export const textsAnswer = (texts: TextConsent): boolean => texts.gpp === 'unreadable' || tcStringsOf(texts).length > 0
