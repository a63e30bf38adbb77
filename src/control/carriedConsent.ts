import { withoutTime } from '#consent/consent.ts'
import { proofOfEvent } from '#consent/consentProof.ts'
import { type GivenConsent, readStatedConsent } from '#consent/statedConsent.ts'
import { consentKey } from '#consent/text/consentKey.ts'
import { readTexts } from '#consent/text/consentTexts.ts'
import type { TextWarning } from '#contract/consentCheck.ts'
import type { ConsentProof } from '#contract/consentProof.ts'
import type { RecordEvent } from '#event/record.ts'
import type { JournalEvent, TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'

/** The consent that an event carries, with its proof, including full consent strings. Undefined for an event without consent. */
export function carriedConsent(
  recordEvent: RecordEvent,
  brand: string,
): (GivenConsent & { proof: ConsentProof }) | undefined {
  const { event, context } = recordEvent
  const { consent } = readStatedConsent(event, context.receivedAt, brand, { scripts: [] }, context.callTexts)
  if (!consent) return undefined
  const { texts, at } = consent
  const proof = proofOfEvent(recordEvent, { key: consentKey(brand), at })
  return { ...withoutTime(consent), ...(texts && { texts }), proof }
}

/**
 * The proof of the answer that decided an event: of the event itself, else the stored one of its visitor, unless the
 * visitor has answered again since.
 */
export async function proofOfJourney(
  deps: Pick<ControlDeps, 'brand' | 'profiles'>,
  tag: TagRecord,
  { consent: { source, at }, userId, emailMatch }: Pick<JournalEvent, 'consent' | 'userId' | 'emailMatch'>,
  recorded: RecordEvent | undefined,
): Promise<ConsentProof | undefined> {
  if (at === undefined || recorded?.isErased) return undefined
  if (source === 'event') return recorded && proofOfEvent(recorded, { key: consentKey(deps.brand), at })
  if (source !== 'stored') return undefined
  const profile = await deps.profiles.get({ tag, userId: emailMatch ?? userId })
  return profile?.consent?.at === at ? profile.consent.proof : undefined
}

/** Which consent strings of an event and its call were not applied as sent, by the tag's settings at that time. */
export async function consentWarnings(
  { store, brand }: Pick<ControlDeps, 'store' | 'brand'>,
  { tagId }: TagRecord,
  { event, context }: RecordEvent,
): Promise<TextWarning[]> {
  const entry = event.storage?.[consentKey(brand)] as { consentTexts?: unknown } | null | undefined
  const { callTexts, receivedAt } = context
  if (!entry?.consentTexts && !callTexts) return []
  const deployment = await store.deploymentAt(tagId, receivedAt)
  return readTexts(entry?.consentTexts, receivedAt, { callTexts, ...deployment?.snapshot.tcf }).warnings
}
