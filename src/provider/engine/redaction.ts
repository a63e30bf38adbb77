import { LRUCache } from 'lru-cache'
import { parseJson } from '#kit/json.ts'
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
 * Gives a text without what must not be kept of it. `spansIn`: where that stands in a text; undefined where nothing of the
 * text may be kept.
 */
export type Redact = ((text: string) => string) & { spansIn?(text: string): TextSpan[] | undefined }

/** What stands in place of what was taken out. */
const mark = '•••'

/** The strings of secrets are found once for each script; so many are remembered. */
const knownSecrets = new LRUCache<string, SecretTexts>({ max: 1_000 })
/** The same by the list of a deployment, which is frozen. */
const knownLists = new WeakMap<readonly string[], SecretTexts>()

/** Characters. The encoded forms of a longer secret would hold the main thread: only its beginning is searched for. */
const mostIndexed = 4_096

/** Secrets as they may stand in a text. `beginnings`: of those that are longer than `mostIndexed`. */
type SecretTexts = { whole: StringIndex; beginnings: StringIndex | undefined }

const isLong = (text: string) => text.trim().length >= minIndexedLength
const inLowerCase = (texts: readonly string[]) => texts.map((text) => text.toLowerCase())

/** The texts inside a secret that is a JSON object: a vendor may repeat only one of them. */
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

/** Secrets in lower case: as they are, encoded, and inside of base64. */
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

/** What names persons: texts in lower case in each of their forms, and the digits of their phone numbers. */
type Names = { texts: readonly string[]; phones: readonly string[]; hasContact: boolean; index: NameIndex }
type NameIndex = { texts: StringIndex; phones: PhoneIndex }
const knownNames = new WeakMap<RawPerson, Names>()

/** Whether every e-mail address that is found in a text is this one where it stands in one. */
const isFound = (email: string) => {
  const [span] = findEmails(email)
  return span?.from === 0 && span.to === email.length
}

/** Found once for all channels. Values of fewer than four characters are left: without `1` no text could be read. */
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

/** The index of a single person is made once for all channels. */
function indexNames(names: readonly Names[]): NameIndex {
  if (names.length < 2) return names[0]?.index ?? nobody
  return {
    texts: indexStrings(names.flatMap(({ texts }) => texts)),
    phones: indexPhones(names.flatMap(({ phones }) => phones)),
  }
}

/**
 * A few letters are longer in lower case: they stay as they are, so that a place in one text is the same in the other.
 */
function lowerOf(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Finds secrets and other texts; undefined where nothing of the text may be left. */
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

/** Takes out secrets and no person: for what goes back to whoever made up the sample. */
export const secretRedactor = (secrets: readonly string[]): Redact => redactSpans(spanFinder(secrets))

/**
 * Replaces secrets, the personal data of these persons, and every e-mail address by a mark. It finds them as they are,
 * percent-encoded, and inside base64; it finds phone numbers in any grouping of digits. Messages, bodies, addresses and
 * headers are all redacted here. The time is linear in the length of the text. A text that would take longer is removed
 * whole, and so is one that holds the beginning of a secret of more than 4,096 characters.
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

/** No text of a request holds it, and nothing that is taken out goes across it. */
const between = '\0\n'

/** Many short texts in one go: looking for what must go costs by the look more than by the length. */
export function redactAll(texts: readonly string[], redact: Redact): string[] {
  const spans = redact.spansIn?.(texts.join(between))
  return (spans && replaceInParts(texts, between, spans, mark)) ?? texts.map(redact)
}

/** Of what a vendor says of an event so much is kept, characters. */
const keptMessage = 300
/** So much more is looked at: what stands across the cut is taken out before it is cut. */
const margin = 1_024
export const mostMessage = keptMessage + margin

/** Messages of vendors, of `mostMessage` characters at most, as they are kept. */
export const redactMessages = (messages: readonly string[], redact: Redact): string[] =>
  redactAll(messages, redact).map((redacted, n) => {
    const isCut = messages[n]!.length === mostMessage
    return redacted.slice(0, isCut ? Math.min(Math.max(redacted.length - margin, 0), keptMessage) : keptMessage)
  })
