import type { ConsentTrace } from '#contract/journey.ts'
import type { RecordEvent } from '#event/record.ts'
import type { ConsentStrings } from '#provider/form/consentSignals.ts'
import type { StatedConsent, StoredConsent } from './statedConsent.ts'
import { readConsentTexts } from './text/consentTexts.ts'
import type { CallTexts, ReadGpp, ReadTcf, TextConsent } from './text/textConsent.ts'

type Given = { [K in keyof CallTexts]?: CallTexts[K] | undefined } & { gdprApplies?: boolean | undefined }
type Handed = { -readonly [K in keyof ConsentStrings]: ConsentStrings[K] }
/**
 * `key`: of the consent in `storage`. `own`: the consent of the event's visitor. `source`: of the consent that
 * decided.
 */
type HandedQuestion = {
  key: string
  stated: StatedConsent
  own: StoredConsent | undefined
  source: ConsentTrace['source']
}

/**
 * The consent strings to pass to a vendor, as received: from the event and its call, else from the stored answer that
 * decided. A string is passed on only if it alone says the same as all received strings together. Of several that
 * differ, this is the strictest one or none.
 */
export function vendorConsentStrings(
  { event, context }: Pick<RecordEvent, 'event' | 'context'>,
  { key, stated, own, source }: HandedQuestion,
): ConsentStrings | undefined {
  const { texts } = stated.consent ?? stated.byDefault ?? {}
  const stored = source === 'none' ? undefined : own?.texts
  if (!texts && !stored && !event.storage?.[key]) return undefined
  const entry = (event.storage?.[key] ?? undefined) as { consentTexts?: Given } | undefined
  const found: Handed = {}
  for (const given of [entry?.consentTexts, ...(context.callTexts ?? [])]) if (given) hand(found, given, texts)
  if (stored?.tcf && source === 'stored') hand(found, { ...own?.proof, gpp: undefined }, stored)
  if (stored?.gpp) {
    const { gpp, gppSections } = own?.objected ?? own?.proof ?? {}
    hand(found, { gpp, gppSections }, stored)
  }
  return Object.keys(found).length > 0 ? found : undefined
}

/** Not checked here: the age of a string was checked when it arrived. */
const whenever = Number.POSITIVE_INFINITY

/** Adds each string that alone says what was decided, unless one was already found. */
function hand(found: Handed, given: Given, decided: TextConsent | undefined): void {
  const { tcf, gpp, gppSections, gdprApplies } = given
  if (typeof gdprApplies === 'boolean') found.gdprApplies ??= gdprApplies
  const alone = readConsentTexts(given, whenever, { maxAgeDays: whenever })
  if (alone?.tcf && found.tcf === undefined && tcfSays(alone.tcf) === tcfSays(decided?.tcf)) found.tcf = tcf!
  if (alone?.gpp && found.gpp === undefined && gppSays(alone.gpp) === gppSays(decided?.gpp)) {
    found.gpp = gpp!
    if (Array.isArray(gppSections)) found.gppSections = gppSections.filter(Number.isInteger)
  }
}

/** The content of a string, in a comparable form. An unreadable string equals no other. */
function tcfSays(tcf: ReadTcf | 'unreadable' | undefined): unknown {
  if (!tcf || tcf === 'unreadable') return Symbol('unreadable')
  const restrictions = tcf.restrictions.map(({ purpose, type, vendors }) => [purpose, type, vendors])
  const lists = [tcf.purposes, tcf.interests, tcf.vendors, tcf.vendorInterests, tcf.disclosed ?? 'none']
  return JSON.stringify([tcf.lastUpdated, ...lists, restrictions])
}

function gppSays(gpp: ReadGpp | 'unreadable' | undefined): unknown {
  if (!gpp || gpp === 'unreadable') return Symbol('unreadable')
  return JSON.stringify([gpp.sections, gpp.advertising, gpp.sharePii, gpp.saleAlone, gpp.gpc])
}
