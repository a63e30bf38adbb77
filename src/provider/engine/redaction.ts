import { LRUCache } from 'lru-cache'
import { parseJson } from '#kit/json.ts'
import { findStrings, indexStrings, minIndexedLength, replaceSpans, type TextSpan } from '#kit/stringSearch.ts'
import type { RawPerson } from '#provider/form/person.ts'
import { findEmails, findPackedContacts } from './contactSearch.ts'
import { base64Forms, encodedForms } from './contacts.ts'
import { findPhones, indexPhones, isPhone, phoneDigits, writtenAndSent } from './phoneSearch.ts'

/** Masks secrets and personal data. */
export type Redact = (text: string) => string

/** The replacement for masked text. */
const mark = '•••'

/** Caches the strings of secrets by script. */
const knownSecrets = new LRUCache<string, SecretTexts>({ max: 1_000 })

/** In characters. Encoding a longer secret would block the main thread, so only its beginning is searched for. */
const mostIndexed = 4_096

/** The forms of secrets in a text. `beginnings`: of secrets longer than `mostIndexed`. */
type SecretTexts = { whole: readonly string[]; beginnings: readonly string[] }

const isLong = (text: string) => text.trim().length >= minIndexedLength
const inLowerCase = (texts: readonly string[]) => texts.map((text) => text.toLowerCase())

/** The texts inside a secret that is a JSON object. A vendor may repeat only one of them. */
function textsWithin(secret: string): string[] {
  if (!secret.startsWith('{')) return []
  try {
    return Object.values(parseJson(secret) as object).filter((each) => typeof each === 'string')
  } catch {
    return []
  }
}

const formsOf = (texts: readonly string[]): string[] =>
  inLowerCase(texts.flatMap((text) => [...encodedForms(text), ...base64Forms(text)]).filter(isLong))

/** Secrets in lower case: plain, encoded, and inside base64. */
function textsOf(secrets: readonly string[]): SecretTexts {
  const name = secrets.join('\0')
  const known = knownSecrets.get(name)
  if (known) return known
  const long = secrets.flatMap((secret) => [secret, ...textsWithin(secret)]).filter(isLong)
  const texts = {
    whole: formsOf(long.filter(({ length }) => length <= mostIndexed)),
    beginnings: formsOf(
      long.filter(({ length }) => length > mostIndexed).map((secret) => secret.trimStart().slice(0, mostIndexed)),
    ),
  }
  knownSecrets.set(name, texts)
  return texts
}

/** Texts in lower case that identify a person, in each form, and the digits of the phone number. */
type Names = { texts: readonly string[]; phones: readonly string[]; hasContact: boolean }
const knownNames = new WeakMap<RawPerson, Names>()

/** True if `findEmails` matches the whole string. */
const isFound = (email: string) => {
  const [span] = findEmails(email)
  return span?.from === 0 && span.to === email.length
}

/** Cached for all channels. Values of fewer than four characters stay: masking each `1` would make texts unreadable. */
function namesOf(person: RawPerson): Names {
  const known = knownNames.get(person)
  if (known) return known
  const { userAgent: _, userId: __, gender: ___, country: ____, phoneCountry: _____, ...rest } = person
  const { email = '', phone = '', ...named } = rest
  const digits = phoneDigits(phone)
  const further = [...Object.values(named), ...(isFound(email) ? [] : [email]), ...(isPhone(digits) ? [] : [phone])]
  const texts = inLowerCase(further.filter(isLong).flatMap(encodedForms))
  const phones = writtenAndSent(digits, person)
  const names = { texts, phones, hasContact: email !== '' || phone !== '' }
  knownNames.set(person, names)
  return names
}

/**
 * A few letters are longer in lower case. They stay unchanged, so that positions are the same in both texts.
 */
function lowerOf(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Finds secrets and other texts; undefined if the whole text must be masked. */
function spanFinder(secrets: readonly string[], further: readonly string[]) {
  const { whole, beginnings } = textsOf(secrets)
  const index = indexStrings([...whole, ...further])
  const longIndex = beginnings.length > 0 && indexStrings(beginnings)
  return (text: string): TextSpan[] | undefined => {
    const lower = lowerOf(text)
    if (longIndex && findStrings(lower, longIndex)?.length !== 0) return undefined
    return findStrings(lower, index)
  }
}

/** Masks secrets only; used for previews of sample events. */
export function secretRedactor(secrets: readonly string[]): Redact {
  const find = spanFinder(secrets, [])
  return (text) => {
    const spans = find(text)
    return spans ? replaceSpans(text, spans, mark) : mark
  }
}

/**
 * Masks secrets, the personal data of these persons, and every e-mail address: plain, percent-encoded, and inside base64.
 * Phone numbers are found in any grouping of digits. Messages, bodies, URLs and headers are all redacted here. The time is
 * linear in the length of the text. A text that would take longer is masked whole, and so is one that contains the
 * beginning of a secret of more than 4,096 characters.
 */
export function redactor({
  secrets,
  persons = [],
}: {
  secrets: readonly string[]
  persons?: readonly RawPerson[]
}): Redact {
  const names = persons.map(namesOf)
  const find = spanFinder(
    secrets,
    names.flatMap(({ texts }) => texts),
  )
  const phones = indexPhones(names.flatMap((each) => each.phones))
  const hasContact = names.some((each) => each.hasContact)
  return (text) => {
    const spans = find(text)
    if (!spans) return mark
    const packed = hasContact ? findPackedContacts(text, phones) : []
    for (const found of [findPhones(text, phones), findEmails(text), packed]) for (const span of found) spans.push(span)
    return replaceSpans(text, spans, mark)
  }
}

/** A separator that no match spans, and no text of a request contains. */
const between = '\0\n'

/** Redacts many short texts in one search, because each search has a fixed cost. */
export function redactAll(texts: readonly string[], redact: Redact): string[] {
  const redacted = redact(texts.join(between)).split(between)
  return redacted.length === texts.length ? redacted : texts.map(redact)
}

/** Maximum message length, in characters. */
const keptMessage = 300
/** Searched beyond the maximum before truncating, so that a match is not cut in half. */
const margin = 1_024
export const mostMessage = keptMessage + margin

/** Vendor messages of at most `mostMessage` characters, as they are stored. */
export const redactMessages = (messages: readonly string[], redact: Redact): string[] =>
  redactAll(messages, redact).map((redacted, n) => {
    const isCut = messages[n]!.length === mostMessage
    return redacted.slice(0, isCut ? Math.min(Math.max(redacted.length - margin, 0), keptMessage) : keptMessage)
  })
