import { LRUCache } from 'lru-cache'
import { UnreadableText } from './bitReader.ts'
import { decodeGppString, type GppConsent } from './gppString.ts'
import { decodeTcString, type TcConsent } from './tcString.ts'
import { googleAtpIds, gvlIds, vendorList } from './vendorTable.ts'

/** Why a text is not obeyed as it stands. The journal shows these words. */
export type TextWarning = 'TCF_UNREADABLE' | 'TCF_TOO_OLD' | 'TCF_WITHOUT_DISCLOSED_VENDORS' | 'TCF_LIST_NEWER'

/** A TC string, of the vendors of our providers. `consented`: the additional consent of Google. */
export type ReadTcf = TcConsent & { readonly consented: readonly number[]; readonly warnings?: readonly TextWarning[] }

/** A GPP string, with its TC string. */
export type ReadGpp = Omit<GppConsent, 'tcf'> & { readonly tcf?: ReadTcf | 'unreadable' }

/** What the consent texts of an event say. A text that cannot be read refuses all but the necessary. */
export type TextConsent = { readonly tcf?: ReadTcf | 'unreadable'; readonly gpp?: ReadGpp | 'unreadable' }

const dayMs = 86_400_000
/** A TC string is asked again after 13 months. */
const maxAgeMs = 390 * dayMs
/** Since then a string has to have the segment of disclosed vendors (TCF 2.3). */
const disclosedSince = Date.UTC(2026, 1, 28)

const maxTextLength = 8_000
const addtlForm = /^[12]~([0-9.]*)(?:~dv(?:\.[0-9.]*)?)?$/

/** The consented ids of an additional consent text, of those that are asked for. An unreadable text has none. */
function consentedIds(text: unknown, ids: readonly number[]): number[] {
  const list = typeof text === 'string' && text.length <= maxTextLength ? addtlForm.exec(text)?.[1] : undefined
  if (!list) return []
  const given = new Set(list.split('.'))
  return ids.filter((id) => given.has(`${id}`))
}

/** Decoded strings by their text: a visitor sends the same one with each event. At most about 2 MB. */
const decoded = new LRUCache<string, { tcf: TcConsent | 'unreadable' }>({
  max: 2_000,
  maxSize: 1_000_000,
  sizeCalculation: (_, text) => text.length + 200,
})

function decode(text: string): TcConsent | 'unreadable' {
  if (text.length > maxTextLength) return 'unreadable'
  const known = decoded.get(text)
  if (known) return known.tcf
  const tcf = decodeOnce(text)
  decoded.set(text, { tcf })
  return tcf
}

function decodeOnce(text: string): TcConsent | 'unreadable' {
  const tcf = unlessUnreadable(() => decodeTcString(text, gvlIds))
  return tcf !== 'unreadable' && tcf.isServiceSpecific ? tcf : 'unreadable'
}

/**
 * Reads `consentTexts` of an event: `tcf`, `addtlConsent`, `gdprApplies`, `gpp`, `gppSections`. Undefined where they say nothing: without a
 * text, where the law does not apply, and for a text whose time has passed.
 */
export function readConsentTexts(given: unknown, now: number): TextConsent | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { tcf: text, addtlConsent, gdprApplies, gpp: gppText, gppSections } = given as Record<string, unknown>
  const isAsked = gdprApplies !== false && gdprApplies !== 0
  const tcf = isAsked ? readTcf(text, addtlConsent, now) : undefined
  const gpp = readGpp(gppText, gppSections, (own) => (isAsked ? readTcf(own, addtlConsent, now) : undefined))
  return tcf || gpp ? { ...(tcf && { tcf }), ...(gpp && { gpp }) } : undefined
}

function readTcf(text: unknown, addtlConsent: unknown, now: number): ReadTcf | 'unreadable' | undefined {
  if (text === undefined || text === null) return undefined
  const tcf = typeof text === 'string' ? decode(text) : 'unreadable'
  if (tcf === 'unreadable') return tcf
  if (tcf.lastUpdated > now + dayMs || tcf.lastUpdated < now - maxAgeMs) return undefined
  const warnings: TextWarning[] = []
  if (!tcf.disclosed && tcf.lastUpdated >= disclosedSince) warnings.push('TCF_WITHOUT_DISCLOSED_VENDORS')
  if (tcf.listVersion > vendorList.version) warnings.push('TCF_LIST_NEWER')
  const consented = consentedIds(addtlConsent, googleAtpIds)
  return { ...tcf, consented, ...(warnings.length > 0 && { warnings }) }
}

/** Decoded GPP strings by their text and the sections that apply. */
const decodedGpp = new LRUCache<string, { gpp: GppConsent | 'unreadable' }>({
  max: 2_000,
  maxSize: 1_000_000,
  sizeCalculation: (_, text) => text.length + 200,
})

/** `sections`: the ids that apply. Without them the whole string does; without any that applies, it says nothing. */
function readGpp(
  text: unknown,
  sections: unknown,
  readOwnTcf: (text: string) => ReadTcf | 'unreadable' | undefined,
): ReadGpp | 'unreadable' | undefined {
  if (text === undefined || text === null) return undefined
  if (typeof text !== 'string' || text.length > maxTextLength) return 'unreadable'
  const applicable = Array.isArray(sections) ? sections.slice(0, 40).filter(Number.isInteger) : undefined
  const gpp = decodeGpp(text, applicable)
  if (gpp === 'unreadable') return gpp
  if (gpp.sections.length === 0) return undefined
  const { tcf: tcfText, ...us } = gpp
  const tcf = tcfText === undefined ? undefined : readOwnTcf(tcfText)
  return tcf ? { ...us, tcf } : us
}

function decodeGpp(text: string, applicable: number[] | undefined): GppConsent | 'unreadable' {
  const key = applicable ? `${applicable} ${text}` : text
  const known = decodedGpp.get(key)
  if (known) return known.gpp
  const gpp = unlessUnreadable(() => decodeGppString(text, applicable))
  decodedGpp.set(key, { gpp })
  return gpp
}

function unlessUnreadable<Read>(read: () => Read): Read | 'unreadable' {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableText) return 'unreadable'
    throw error
  }
}

/** Whether a string without disclosed vendors is one of a version that had none. */
export const needsDisclosure = ({ lastUpdated, disclosed }: TcConsent): boolean =>
  disclosed !== undefined || lastUpdated >= disclosedSince
