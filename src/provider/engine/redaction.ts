import { parseJson } from '#kit/json.ts'
import { createLruCache } from '#kit/lruCache.ts'
import {
  findStrings,
  indexStrings,
  minIndexedLength,
  replaceInParts,
  replaceSpans,
  type StringIndex,
  type TextSpan,
} from '#kit/stringSearch.ts'
import type { RawPerson } from '#provider/form/person.ts'
import { findEmails, findPackedContacts } from './contactSearch.ts'
import { base64Forms, encodedForms } from './contacts.ts'
import { findPhones, indexPhones, isPhone, type PhoneIndex, phoneDigits, writtenAndSent } from './phoneSearch.ts'

/**
 * Masks secrets and personal data. `spansIn`: the positions to mask in a text. Undefined if the whole text must be
 * masked.
 */
export type Redact = ((text: string) => string) & { spansIn?(text: string): TextSpan[] | undefined }

/** The replacement for masked text. */
export const mark = '•••'

/** Caches the strings of secrets by script. */
const knownSecrets = createLruCache<string, SecretTexts>(1_000)
/** Caches the strings of secrets by the frozen list of a deployment. */
const knownLists = new WeakMap<readonly string[], SecretTexts>()

/** In characters. Encoding a longer secret would block the main thread, so only its beginning is searched for. */
const mostIndexed = 4_096

/** The searched forms of secrets. `beginnings`: for secrets longer than `mostIndexed`. */
type SecretTexts = { whole: StringIndex; beginnings: StringIndex | undefined }

const isLong = (text: string) => text.trim().length >= minIndexedLength
const inLowerCase = (texts: readonly string[]) => texts.map((text) => text.toLowerCase())

/** The texts inside a secret that is a JSON object. A vendor's response may contain only one of them. */
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
  const ofList = knownLists.get(secrets)
  if (ofList) return ofList
  const texts = textsOfAll(secrets)
  if (Object.isFrozen(secrets)) knownLists.set(secrets, texts)
  return texts
}

function textsOfAll(secrets: readonly string[]): SecretTexts {
  const name = secrets.join('\0')
  const known = knownSecrets.get(name)
  if (known) return known
  const long = secrets.flatMap((secret) => [secret, ...textsWithin(secret)]).filter(isLong)
  const beginnings = long.filter(({ length }) => length > mostIndexed)
  const texts = {
    whole: indexStrings(formsOf(long.filter(({ length }) => length <= mostIndexed))),
    beginnings:
      beginnings.length > 0
        ? indexStrings(formsOf(beginnings.map((secret) => secret.trimStart().slice(0, mostIndexed))))
        : undefined,
  }
  knownSecrets.set(name, texts)
  return texts
}

/** Texts in lower case that identify persons, in each encoding, and the digits of their phone numbers. */
type Names = { texts: readonly string[]; phones: readonly string[]; hasContact: boolean; index: NameIndex }
type NameIndex = { texts: StringIndex; phones: PhoneIndex }
const knownNames = new WeakMap<RawPerson, Names>()

/** True if `findEmails` matches the whole string. */
const isFound = (email: string) => {
  const [span] = findEmails(email)
  return span?.from === 0 && span.to === email.length
}

/**
 * Cached for all channels. Values of fewer than four characters are not masked: masking each `1` would make texts
 * unreadable.
 */
function namesOf(person: RawPerson): Names {
  const known = knownNames.get(person)
  if (known) return known
  const { userAgent: _, userId: __, gender: ___, country: ____, phoneCountry: _____, ...rest } = person
  const { email = '', phone = '', ...named } = rest
  const digits = phoneDigits(phone)
  const further = [...Object.values(named), ...(isFound(email) ? [] : [email]), ...(isPhone(digits) ? [] : [phone])]
  const texts = inLowerCase(further.filter(isLong).flatMap(encodedForms))
  const phones = writtenAndSent(digits, person)
  const index = { texts: indexStrings(texts), phones: indexPhones(phones) }
  const names = { texts, phones, hasContact: email !== '' || phone !== '', index }
  knownNames.set(person, names)
  return names
}

const nobody: NameIndex = { texts: indexStrings([]), phones: indexPhones([]) }

/** The index of a single person is built once for all channels. */
function indexNames(names: readonly Names[]): NameIndex {
  if (names.length < 2) return names[0]?.index ?? nobody
  return {
    texts: indexStrings(names.flatMap(({ texts }) => texts)),
    phones: indexPhones(names.flatMap(({ phones }) => phones)),
  }
}

/** A few letters become longer in lower case. They stay unchanged, so that positions match in both texts. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Finds secrets and other texts; undefined if the whole text must be masked. */
function spanFinder(secrets: readonly string[], further?: StringIndex) {
  const { whole, beginnings } = textsOf(secrets)
  return (text: string): TextSpan[] | undefined => {
    const lower = lowerOf(text)
    if (beginnings && findStrings(lower, beginnings)?.length !== 0) return undefined
    return findStrings(lower, whole, further)
  }
}

function redactSpans(spansIn: (text: string) => TextSpan[] | undefined): Redact {
  const redact = (text: string) => {
    const spans = spansIn(text)
    return spans ? replaceSpans(text, spans, mark) : mark
  }
  return Object.assign(redact, { spansIn })
}

/** Masks secrets only; used for previews of sample events. */
export const secretRedactor = (secrets: readonly string[]): Redact => redactSpans(spanFinder(secrets))

/**
 * Masks secrets, the personal data of these persons, and every e-mail address: plain, percent-encoded, and inside
 * base64. Phone numbers are found in any grouping of digits. Messages, bodies, URLs and headers are all redacted here.
 * The time is linear in the length of the text. A text is masked whole if the search would take longer, or if the text
 * contains the beginning of a secret of more than 4,096 characters.
 */
export function redactor({
  secrets,
  persons = [],
}: {
  secrets: readonly string[]
  persons?: readonly RawPerson[]
}): Redact {
  const names = persons.map(namesOf)
  const { texts, phones } = indexNames(names)
  const find = spanFinder(secrets, texts)
  const hasContact = names.some((each) => each.hasContact)
  return redactSpans((text) => {
    const spans = find(text)
    if (!spans) return undefined
    const packed = hasContact ? findPackedContacts(text, phones) : []
    for (const found of [findPhones(text, phones), findEmails(text), packed]) for (const span of found) spans.push(span)
    return spans
  })
}

/** A separator that no match spans and no request contains. */
const between = '\0\n'

/** Redacts many short texts in one search, because each search has a fixed cost. */
export function redactAll(texts: readonly string[], redact: Redact, replacement = mark): string[] {
  const spans = redact.spansIn?.(texts.join(between))
  return (spans && replaceInParts(texts, between, spans, replacement)) ?? texts.map(redact)
}

/** Maximum message length, in characters. */
const keptMessage = 300
/** Also searched, beyond the maximum, before truncating, so that a match is not cut in half. */
const margin = 1_024
export const mostMessage = keptMessage + margin

/** Vendor messages of at most `mostMessage` characters, as they are stored. */
export const redactMessages = (messages: readonly string[], redact: Redact): string[] =>
  redactAll(messages, redact).map((redacted, n) => {
    const isCut = messages[n]!.length === mostMessage
    return redacted.slice(0, isCut ? Math.min(Math.max(redacted.length - margin, 0), keptMessage) : keptMessage)
  })
