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

/** What a person agreed to: the maps, and what consent texts say. Each of them must allow a delivery. */
export type GivenConsent = ConsentMaps & { texts?: TextConsent }

/**
 * The consent of a user, its time (epoch ms) and its proof. `objected`: the proof of the objections by US law that stand beside
 * the answer.
 */
export type StoredConsent = GivenConsent & { at: number; proof?: ConsentProof; objected?: ConsentProof }

/**
 * Whether a consent is an answer of the visitor. A GPP string of US sections alone is none: these laws are opt-out, so it only
 * objects.
 */
export const isAnswer = ({ consent, consentCategories, texts }: GivenConsent): boolean =>
  Boolean(consent || consentCategories || (texts && textsAnswer(texts)))

/**
 * What an event says of consent. `consent`: an answer, or the objections of US law (`isAnswer`). `byDefault`: what the page
 * grants where it shows no banner, which is no answer and is not stored. `isUnanswered`: a banner was shown and the visitor has not
 * answered yet. The maps beside it are the defaults of the page, and no answer.
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
 * Reads what an event says of consent. Read it once for each event: the maps are sanitized anew each time. The time of a
 * consent is at most `receivedAt`, so that a fast clock does not block later consents. `callTexts`: those that its call brought
 * beside the event.
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
