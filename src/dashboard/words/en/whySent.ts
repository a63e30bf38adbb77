import type { ConsentCheck, TextWarning } from '#contract/consentCheck.ts'
import type { ConsentProof } from '#contract/consentProof.ts'
import { list, moment, type Zone } from '../format.ts'

const purposes: Record<number, string> = {
  1: 'store and read information on the device',
  2: 'choose ads by limited data',
  3: 'make a profile for ads',
  4: 'choose ads by a profile',
  5: 'make a profile for content',
  6: 'choose content by a profile',
  7: 'measure ads',
  8: 'measure content',
  9: 'learn about audiences',
  10: 'develop and improve services',
  11: 'choose content by limited data',
}
const purpose = (id: number) => (purposes[id] ? `${id} (${purposes[id]})` : `${id}`)

const rules: Record<ConsentCheck['rule'], string> = {
  agreed: 'Allowed: the answer of the visitor allows it.',
  default: 'Allowed: the page shows no banner here and grants this by default. The visitor has not answered.',
  limitedUse:
    'Allowed: the visitor only opted out of the sale of data, and the vendor is asked to limit its use of the event.',
  necessary: 'Allowed: the channel is necessary and needs no consent.',
  disabled: 'Allowed: consent is off for this tag.',
  none: 'Refused: the visitor had given no consent.',
  unanswered: 'Refused: the visitor had not answered the banner yet.',
  category: 'Refused: the visitor did not agree to this category.',
  provider: 'Refused: the visitor did not agree to this channel by name.',
  gpc: 'Refused: the browser sent Global Privacy Control, which counts as a refusal of advertising.',
  tcf: 'Refused: the TC string of the visitor does not allow it.',
  gpp: 'Refused: the GPP string of the visitor objects to it.',
  others: 'Refused: another visitor with the same e-mail or customer id refused, and the stricter answer counts.',
  later: 'Refused: the visitor withdrew the consent after the event arrived and before it was sent.',
}
const warnings: Record<TextWarning, string> = {
  TCF_OUT_OF_TIME:
    'A TC string came with the event. It was older than the tag allows or has a date in the future, so it counts as no answer.',
  TCF_UNREADABLE: 'The TC string of the event cannot be read, which counts as a refusal.',
  TCF_WITHOUT_DISCLOSED_VENDORS:
    'The TC string of the event does not say which vendors the banner disclosed, so it refuses each vendor.',
  TCF_LIST_NEWER: 'The TC string of the event uses a newer vendor list than the server has.',
  GPP_UNREADABLE: 'The GPP string of the event cannot be read, which counts as a refusal.',
}
const sources: Record<ConsentProof['source'], string> = {
  device: 'from the browser or app of the visitor',
  trusted: 'from a server with an access token',
  claim:
    'from a browser or app that names a person: this proves the answer of the device, not the identity of the person',
}

/** Why an event was or was not sent to a channel, in words for a lawyer. */
export const whySentWords = {
  title: 'Why it was sent, or not',
  answered: (at: number, zone: Zone) => `Answered ${moment(at, zone)}`,
  notAsked: 'Consent is off for this tag, so there is no proof of an answer.',
  noAnswer: 'The visitor had given no answer.',
  noProof:
    'No proof of the answer is stored: the visitor has answered again since, or answered before proofs were stored.',
  redacted: 'Your role may not read the proof of the answer.',
  source: 'Source',
  sources,
  banner: 'Banner',
  bannerVersion: 'Version of the banner',
  textVersion: 'Version of the text shown',
  tcf: 'TC string',
  addtlConsent: 'Additional consent of Google',
  gpp: 'GPP string',
  rules,
  warnings,
  needsNothing: 'The channel is necessary.',
  needs: (category: string) => `The channel needs consent for ${category}.`,
  purpose,
  needsPurposes: (ids: readonly number[]) => `The tag needs the purposes ${list(ids.map(purpose))}.`,
  needsVendor: (id: number) => `It also needs consent for vendor ${id} of the Global Vendor List.`,
  bitOfPurpose: (id: number) => `Refused by purpose ${purpose(id)}.`,
  bit: (text: string) => `Refused by this part of the string: “${text}”.`,
  unreadable: 'The string cannot be read, which counts as a refusal.',
}
