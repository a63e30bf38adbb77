import type { RawPerson } from '#provider/form/person.ts'
import { base64Forms, encodedForms, rawContacts, replaceEmails, textsInJson } from './contacts.ts'

/** Replaces secrets and personal values in a text by `•••`. */
export type Redact = (text: string) => string

const mask = '•••'
/** Shorter values are not replaced: replacing `1` would make any text unreadable and hide nothing. */
const minLength = 4
const maxCachedSecretLists = 1_000

const isLongEnough = (text: string) => text.trim().length >= minLength
const longestFirst = (texts: readonly string[]) =>
  [...new Set(texts.map((text) => text.toLowerCase()))].sort((one, other) => other.length - one.length)

const secretForms = new Map<string, readonly string[]>()

/** The lower-case encodings in which these secrets can occur in a text. Cached: they are the same for all deliveries of a script. */
function formsOfSecrets(secrets: readonly string[]): readonly string[] {
  const key = secrets.join('\0')
  const known = secretForms.get(key)
  if (known) return known
  const values = secrets.flatMap((secret) => [secret, ...textsInJson(secret)]).filter(isLongEnough)
  const forms = longestFirst(
    values.flatMap((value) => [...encodedForms(value), ...base64Forms(value)]).filter(isLongEnough),
  )
  if (secretForms.size === maxCachedSecretLists) secretForms.delete(secretForms.keys().next().value!)
  secretForms.set(key, forms)
  return forms
}

/** The lower-case encodings of a person's values, and the encodings of a contact that only the contact pattern replaces. */
type PersonForms = { values: readonly string[]; contactSigns: readonly string[] }
const personForms = new WeakMap<RawPerson, PersonForms>()

function formsOfPerson(person: RawPerson): PersonForms {
  const known = personForms.get(person)
  if (known) return known
  const { userAgent: _, userId: __, gender: ___, country: ____, ...identifying } = person
  const contacts = rawContacts(person)
  const texts = Object.values(identifying).filter(isLongEnough).flatMap(encodedForms)
  const values = longestFirst([...texts, ...(contacts?.packed ?? [])])
  const forms = { values, contactSigns: contacts?.signs.filter((sign) => !values.includes(sign)) ?? [] }
  personForms.set(person, forms)
  return forms
}

/** Lower case of the same length, so that an index in one text is the same in the other. A few letters grow in lower case; then only A to Z are mapped. */
function lowerCaseOf(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

type Span = { from: number; to: number }

function spansOf(lower: string, forms: readonly string[]): Span[] {
  const spans: Span[] = []
  for (const form of forms)
    for (let from = lower.indexOf(form), to = 0; from >= 0; from = lower.indexOf(form, to)) {
      to = from + form.length
      spans.push({ from, to })
    }
  return spans
}

/** Replaces all spans in one pass: one pass for each form would copy a long text each time. Overlapping spans become one mask. */
function maskAll(text: string, lower: string, forms: readonly string[]): string {
  const spans = spansOf(lower, forms)
  if (spans.length === 0) return text
  let [masked, end] = ['', 0]
  for (const { from, to } of spans.sort((one, other) => one.from - other.from)) {
    if (from >= end) masked += text.slice(end, from) + mask
    end = Math.max(end, to)
  }
  return masked + text.slice(end)
}

/** Replaces secrets and no personal values: for output that goes back to whoever wrote the sample event. */
export function secretRedaction(secrets: readonly string[]): Redact {
  const forms = formsOfSecrets(secrets)
  return (text) => maskAll(text, lowerCaseOf(text), forms)
}

/** Replaces secrets, the values that identify the person, and every e-mail address: for the journal and the log. */
export function redaction(secrets: readonly string[], person: RawPerson = {}): Redact {
  const { values, contactSigns } = formsOfPerson(person)
  const forms = [...formsOfSecrets(secrets), ...values]
  return (text) => {
    const lower = lowerCaseOf(text)
    const masked = maskAll(text, lower, forms)
    const hasContact = contactSigns.some((sign) => lower.includes(sign))
    const left = hasContact ? masked.replace(rawContacts(person)!.pattern(), mask) : masked
    return replaceEmails(left, mask)
  }
}

/** `redaction` of one text. */
export const redact = (text: string, secrets: readonly string[], person?: RawPerson): string =>
  redaction(secrets, person)(text)
