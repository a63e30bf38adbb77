import { createHash } from 'node:crypto'
import type { ConsentProof } from '#contract/consentProof.ts'
import type { TagEvent } from '#contract/event.ts'
import { userFields } from '#contract/standardKeys.ts'
import type { EventContext } from '#event/record.ts'
import type { StoredConsent } from './statedConsent.ts'
import { maxTextLength } from './text/consentTexts.ts'

/** A longer string is kept in a profile as its SHA-256. */
const maxStoredText = 1_024
const maxName = 64
const maxEventId = 128
const strings = ['tcf', 'addtlConsent', 'gpp'] as const
/** The characters of the strings of consent. A text with others takes more bytes where it is stored. */
const stringForm = /^[\w.~-]*$/

type AnsweringEvent = {
  event: TagEvent
  context: Pick<EventContext, 'trusted' | 'callTexts'>
}
/** `key`: of the consent in `storage`. */
type ProofQuestion = { key: string; at: number }
type Given = Readonly<Record<string, unknown>>
type Shown = Omit<ConsentProof, 'at' | 'source' | 'eventId'>

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The names of the sender, in their first characters. */
function namesOf(given: Given): Shown {
  const names: Shown = {}
  for (const name of ['banner', 'version', 'textVersion'] as const) {
    const { [name]: value } = given
    const text = typeof value === 'number' ? `${value}` : value
    if (typeof text === 'string' && text !== '') names[name] = text.slice(0, maxName).toWellFormed()
  }
  return names
}

function stringsOf(given: Given, most: number): Shown {
  const found: Shown = {}
  for (const name of strings) {
    const { [name]: text } = given
    if (typeof text !== 'string' || text === '') continue
    if (text.length <= most && stringForm.test(text)) found[name] = text
    else found[`${name}Sha256`] = sha256(text)
  }
  return found
}

const naming = userFields.filter(([key]) => key === 'email' || key === 'customerId')

/** Whether an event names a person, besides the device that it comes from. */
function namesPerson({ storage, data, ...event }: TagEvent): boolean {
  const kv = storage?.kv as Given | null | undefined
  return naming.some(([key, field]) =>
    [event[field], data?.[field], kv?.[key]].some((each) => each !== undefined && each !== null && each !== ''),
  )
}

const isSectionId = (id: unknown) => Number.isInteger(id) && Math.abs(id as number) < 1_000

/**
 * The proof of the answer that an event brings. What the event says itself goes before what its call brought beside it.
 * Strings are whole up to `most` characters.
 */
export function proofOfEvent(
  { event, context }: AnsweringEvent,
  { key, at }: ProofQuestion,
  most = maxTextLength,
): ConsentProof {
  const entry = event.storage?.[key] as { consentTexts?: unknown } | null | undefined
  const own = typeof entry?.consentTexts === 'object' ? entry.consentTexts : undefined
  const given: Given = Object.assign({}, ...(context.callTexts ?? []).toReversed(), own)
  const { gdprApplies, gppSections } = given
  return {
    at,
    source: context.trusted ? 'trusted' : namesPerson(event) ? 'claim' : 'device',
    ...(event.eventId.length <= maxEventId && { eventId: event.eventId }),
    ...namesOf(given),
    ...stringsOf(given, most),
    ...(typeof gdprApplies === 'boolean' && { gdprApplies }),
    ...(Array.isArray(gppSections) && { gppSections: gppSections.slice(0, 40).filter(isSectionId) }),
  }
}

/** A consent as a profile keeps it, with the proof of the event that brings it. */
export const withProof = (consent: StoredConsent, answer: AnsweringEvent, key: string): StoredConsent => ({
  ...consent,
  proof: proofOfEvent(answer, { key, at: consent.at }, maxStoredText),
})

/** Whether a later proof shows nothing else than the one before: an event repeats the answer of its visitor. */
export function provesSame(before: ConsentProof | undefined, later: ConsentProof | undefined): boolean {
  if (!later) return true
  const { at: _, source: __, eventId: ___, ...shown } = later
  const known: Given = before ?? {}
  return Object.entries(shown).every(([name, value]) => JSON.stringify(value) === JSON.stringify(known[name]))
}
