import { createHash } from 'node:crypto'
import type { ConsentProof } from '#contract/consentProof.ts'
import type { TagEvent } from '#contract/event.ts'
import { userFields } from '#contract/standardKeys.ts'
import type { EventContext } from '#event/record.ts'
import type { StoredConsent } from './statedConsent.ts'
import { maxTextLength } from './text/textDecoders.ts'

/**
 * The maximum characters of all strings of a proof in a profile, and of the strings of objections beside an answer. A string
 * that does not fit is stored as its SHA-256.
 */
const maxStored = { answer: 1_024, objection: 128 }
/** The maximum bytes of a name, and of an event id. */
const maxName = 40
const strings = ['tcf', 'gpp', 'addtlConsent'] as const
/** The characters of valid consent strings. Other characters take more bytes in storage. */
const stringForm = /^[\w.~-]*$/

type AnsweringEvent = {
  event: TagEvent
  context: Pick<EventContext, 'trusted' | 'callTexts'>
}
/** `key`: the key of the consent in `storage`. */
type ProofQuestion = { key: string; at: number }
type Given = Readonly<Record<string, unknown>>
type Shown = Omit<ConsentProof, 'at' | 'source' | 'eventId'>

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The sender's names, truncated to `maxName` bytes. Characters that take more space in storage are removed. */
function namesOf(given: Given): Shown {
  const names: Shown = {}
  for (const name of ['banner', 'version', 'textVersion'] as const) {
    const { [name]: value } = given
    const text = typeof value === 'number' ? `${value}` : value
    const cut = typeof text === 'string' ? firstBytes(text.slice(0, maxName).replace(/[\p{C}"\\]/gu, '')) : ''
    if (cut !== '') names[name] = cut
  }
  return names
}

function firstBytes(text: string): string {
  let cut = text
  while (Buffer.byteLength(cut) > maxName) cut = [...cut].slice(0, -1).join('')
  return cut
}

/** The strings, up to `most` characters in total; the others as their SHA-256. */
function stringsOf(given: Given, most: number): Shown {
  const found: Shown = {}
  let room = most
  for (const name of strings) {
    const { [name]: text } = given
    if (typeof text !== 'string' || text === '') continue
    if (text.length <= room && stringForm.test(text)) {
      found[name] = text
      room -= text.length
    } else found[`${name}Sha256`] = sha256(text)
  }
  return found
}

const naming = userFields.filter(([key]) => key === 'email' || key === 'customerId')

/** True if an event identifies a person, not only a device. */
function namesPerson({ storage, data, ...event }: TagEvent): boolean {
  const kv = storage?.kv as Given | null | undefined
  return naming.some(([key, field]) =>
    [event[field], data?.[field], kv?.[key]].some((each) => each !== undefined && each !== null && each !== ''),
  )
}

const isSectionId = (id: unknown) => Number.isInteger(id) && Math.abs(id as number) < 100
const isShort = (id: string) => Buffer.byteLength(JSON.stringify(id)) <= maxName + 2

/**
 * The proof of the answer in an event. The event itself takes precedence over the texts of its call. Strings are stored
 * in full up to `most` characters.
 */
export function proofOfEvent(
  { event, context }: AnsweringEvent,
  { key, at }: ProofQuestion,
  most = strings.length * maxTextLength,
): ConsentProof {
  const entry = event.storage?.[key] as { consentTexts?: unknown } | null | undefined
  const own = typeof entry?.consentTexts === 'object' ? entry.consentTexts : undefined
  const given: Given = Object.assign({}, ...(context.callTexts ?? []).toReversed(), own)
  const { gdprApplies, gppSections } = given
  return {
    at,
    source: context.trusted ? 'trusted' : namesPerson(event) ? 'claim' : 'device',
    ...(isShort(event.eventId) && { eventId: event.eventId }),
    ...namesOf(given),
    ...stringsOf(given, most),
    ...(typeof gdprApplies === 'boolean' && { gdprApplies }),
    ...(Array.isArray(gppSections) && { gppSections: gppSections.slice(0, 8).filter(isSectionId) }),
  }
}

/** A consent in the form that a profile stores, with the proof from its event. */
export const withProof = (consent: StoredConsent, answer: AnsweringEvent, key: string): StoredConsent => ({
  ...consent,
  proof: proofOfEvent(answer, { key, at: consent.at }, maxStored.answer),
})

/** The proof of US objections beside an answer: the GPP string, and the id of the event, which has the rest. */
export const proofOfObjection = ({ at, source, eventId, gpp, gppSha256 }: ConsentProof): ConsentProof => ({
  at,
  source,
  ...(eventId !== undefined && { eventId }),
  ...(gppSha256 === undefined ? stringsOf({ gpp }, maxStored.objection) : { gppSha256 }),
})

/** True if a later proof adds nothing to the earlier one: events repeat the answer of their visitor. */
export function provesSame(before: ConsentProof | undefined, later: ConsentProof | undefined): boolean {
  if (!later) return true
  const { at: _, source: __, eventId: ___, ...shown } = later
  const known: Given = before ?? {}
  return Object.entries(shown).every(([name, value]) => JSON.stringify(value) === JSON.stringify(known[name]))
}
