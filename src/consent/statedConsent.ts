import type { ConsentProof } from '#contract/consentProof.ts'
import type { ConsentMaps } from '#contract/edgeResponses.ts'
import type { TagEvent } from '#contract/event.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'
import type { EventContext } from '#event/record.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import { readCategoryMap, readProviderMap } from './consentMaps.ts'
import { consentKey } from './text/consentKey.ts'
import { readConsentTexts, textsAnswer } from './text/consentTexts.ts'
import type { TextConsent } from './text/textConsent.ts'

/** What a person agreed to: the maps and the consent texts. Each of them must allow a delivery. */
export type GivenConsent = ConsentMaps & { texts?: TextConsent }

/** The consent of a user, its time (epoch ms) and its proof. `objected`: the proof of US objections beside the answer. */
export type StoredConsent = GivenConsent & { at: number; proof?: ConsentProof; objected?: ConsentProof }

/**
 * True if a consent is an answer of the visitor. A GPP string with only US sections is not: those laws are opt-out, so the
 * string can only object.
 */
export const isAnswer = ({ consent, consentCategories, texts }: GivenConsent): boolean =>
  Boolean(consent || consentCategories || (texts && textsAnswer(texts)))

/**
 * The consent that an event states. `consent`: an answer, or objections under US law (`isAnswer`). `byDefault`: what the
 * page grants if it shows no banner; not an answer and not stored. `isUnanswered`: a banner was shown and the visitor has
 * not answered yet; the maps beside it are the page's defaults, not an answer.
 */
export type StatedConsent = {
  readonly consent?: StoredConsent
  readonly byDefault?: StoredConsent
  readonly isUnanswered?: true
}

const nothingStated: StatedConsent = Object.freeze({})
const unanswered: StatedConsent = Object.freeze({ isUnanswered: true })
type ReadTag = { scripts: readonly Pick<SnapshotScript, 'providerId' | 'name'>[]; tcf?: TcfSettings }

/**
 * Reads the consent that an event states. Call it once per event, because each call sanitizes the maps again. The time of a
 * consent is at most `receivedAt`, so that a fast clock does not block later consents. `callTexts`: the texts in the headers
 * and the cookie of the call.
 */
export function readStatedConsent(
  { storage, timestamp }: Pick<TagEvent, 'storage' | 'timestamp'>,
  receivedAt: number,
  brand: string,
  tag: ReadTag,
  callTexts?: EventContext['callTexts'],
): StatedConsent {
  const own = storage?.[consentKey(brand)]
  const entry = typeof own === 'object' && own !== null ? own : undefined
  if (!entry && !callTexts) return nothingStated
  const { consent, consentCategories, consentTexts, consentState } = (entry ?? {}) as Record<string, unknown>
  const texts =
    consentTexts || callTexts ? readConsentTexts(consentTexts, receivedAt, { callTexts, ...tag.tcf }) : undefined
  const at = Math.min(timestamp, receivedAt)
  if (consentState === 'unanswered')
    return texts && !textsAnswer(texts) ? { ...unanswered, consent: { texts, at } } : unanswered
  const providers = readProviderMap(consent, tag.scripts)
  const categories = readCategoryMap(consentCategories)
  if (!providers && !categories && !texts) return nothingStated
  const maps: GivenConsent = {}
  if (providers) maps.consent = providers
  if (categories) maps.consentCategories = categories
  if (texts) maps.texts = texts
  const given = { ...maps, at }
  return consentState === 'default' && isAnswer(given) ? { byDefault: given } : { consent: given }
}
