import type { ConsentMap } from '#contract/event.ts'
import type { ConsentTrace } from '#contract/journey.ts'
import type { GivenConsent } from './statedConsent.ts'
import { tcStringsOf } from './text/consentTexts.ts'
import type { ReadTcf, TextConsent } from './text/textConsent.ts'

type TracedConsent = GivenConsent & Partial<TextConsent>
type AnsweredState = NonNullable<ConsentTrace['state']>

const isNoGrant = (name: string) => /^(necessary|share_pii|ad_personalization)$/.test(name)
const isGrant = (entry: ConsentMap[string]) =>
  typeof entry === 'boolean' ? entry : Object.values(entry).some((each) => each)

/** True if a map allows anything that needs consent. An absent map does not restrict. */
const grantsSome = (map: ConsentMap | undefined): boolean =>
  !map || Object.entries(map).some(([name, entry]) => !isNoGrant(name) && isGrant(entry))

const allowsSome = (tcf: ReadTcf | 'unreadable') =>
  tcf !== 'unreadable' && tcf.purposes.length + tcf.interests.length > 0

/**
 * The state of the applied consent: `agreed` to at least one channel or category, `refused` all, or `unanswered`.
 * Undefined if the tag needs no consent.
 */
export function consentStateOf({ source, decided = {} }: ConsentTrace): AnsweredState | undefined {
  if (source === 'disabled') return undefined
  if (source === 'none') return 'unanswered'
  const { consent, consentCategories, tcf, gpp } = decided as TracedConsent
  const texts = { ...(tcf && { tcf }), ...(gpp && { gpp }) }
  const agreesByText = gpp !== 'unreadable' && tcStringsOf(texts).every(allowsSome)
  return agreesByText && grantsSome(consent) && grantsSome(consentCategories) ? 'agreed' : 'refused'
}

/** The trace with its state, as the API returns it. */
export function withConsentState(trace: ConsentTrace): ConsentTrace {
  const state = consentStateOf(trace)
  return state ? { ...trace, state } : trace
}
