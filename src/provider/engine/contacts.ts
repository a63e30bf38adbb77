import type { TagEvent } from '#contract/event.ts'
import { replaceSpans } from '#kit/stringSearch.ts'
import type { PersonKey, RawPerson } from '#provider/form/person.ts'
import type { UserRules } from '#provider/form/userRule.ts'
import { formEncode } from './formEncode.ts'
import { type Identity, resolve } from './identity.ts'
import { findPhones, indexNationalPhones, type PhoneIndex, phoneDigits, writtenAndSent } from './phoneSearch.ts'
import type { WireRequest } from './wireRequest.ts'

/**
 * The encodings of a text that can occur in a request or a response: plain, percent-encoded, form-encoded, in a JSON
 * string.
 */
export function encodedForms(text: string): string[] {
  // True for nearly all e-mails and phone numbers: only the @ has a second encoding.
  if (/^[\w.@-]*$/.test(text)) return text.includes('@') ? [text, text.replaceAll('@', '%40')] : [text]
  return [text, encodeURIComponent(text.toWellFormed()), formEncode(text), JSON.stringify(text).slice(1, -1)]
}

const anyFormOf = (texts: readonly string[]): string[] => [...new Set(texts.flatMap(encodedForms))]

/**
 * A pattern for an e-mail and a phone number as written, and for the digits of the number. At least one must not be
 * empty.
 */
function contactPattern(mail: string, phone: string, numbers: readonly string[]): RegExp {
  const written = anyFormOf([...(mail ? [mail] : []), ...(numbers.length > 0 ? [phone.trim()] : [])])
  if (numbers.length === 0) return new RegExp(written.map(RegExp.escape).join('|'), 'gi')
  return new RegExp(
    `${written.map(RegExp.escape).join('|')}|(?<![0-9a-z])(?:%2b)?0{0,4}(?:${numbers.map(RegExp.escape).join('|')})(?![0-9a-z])`,
    'gi',
  )
}

/** Finds the e-mail and phone number of a person in a text. */
export type ContactMatcher = {
  /** Lower-case texts. Every text with a contact contains one of them: a cheap check before `pattern`. */
  signs: readonly string[]
  /** The contacts encoded as base64 at each of the three alignments. */
  packed: readonly string[]
  /** The e-mail and the phone number as they were written, and the number's digits without separators. */
  pattern(): RegExp
  /** Finds the phone number in any grouping of digits, with or without its country code. */
  phones: PhoneIndex
}

/** The base64 characters of a text that do not depend on the bytes around it, for each of its three alignments. */
export function base64Forms(text: string): string[] {
  const forms: string[] = []
  for (const lead of ['', ' ', '  ']) {
    const bytes = Buffer.from(lead + text)
    const from = Math.ceil((lead.length * 4) / 3)
    const inner = bytes.toString('base64').slice(from, Math.floor((bytes.length * 4) / 3))
    forms.push(inner)
    if (/[+/]/.test(inner)) forms.push(inner.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}

const unique = (texts: readonly string[]) => [...new Set(texts)]

function contactsOf(person: RawPerson, keys: readonly PersonKey[]): ContactMatcher | undefined {
  const { email = '', phone = '' } = person
  const mail = email.includes('@') && keys.includes('email') ? email.trim() : ''
  const numbers = keys.includes('phone') ? writtenAndSent(phoneDigits(phone), person) : []
  if (!mail && numbers.length === 0) return undefined
  const raw = [...(mail ? [mail] : []), ...(numbers.length > 0 ? [phone.trim(), ...numbers] : [])]
  let pattern: RegExp | undefined
  return {
    signs: unique(raw.flatMap(encodedForms).map((form) => form.toLowerCase())),
    packed: unique([...raw, mail.toLowerCase()])
      .filter(Boolean)
      .flatMap(base64Forms),
    pattern: () => (pattern ??= contactPattern(mail, phone, numbers)),
    phones: indexNationalPhones(numbers),
  }
}

const contactKeysByRules = new WeakMap<UserRules, readonly PersonKey[]>()

/** The contacts that these rules never send without a hash. */
function contactKeysOf(rules: UserRules): readonly PersonKey[] {
  const known = contactKeysByRules.get(rules)
  if (known) return known
  const plain = Object.values(rules).flatMap(({ key, hash }) => (hash ? [] : [key]))
  const keys = (['email', 'phone'] as const).filter((key) => !plain.includes(key))
  contactKeysByRules.set(rules, keys)
  return keys
}

const matchers = new WeakMap<RawPerson, Map<string, ContactMatcher | undefined>>()
const noRules: UserRules = {}

/**
 * A matcher for the raw e-mail and phone number of a person, except those that the rules send without a hash. Cached
 * for all channels.
 */
export function rawContacts(person: RawPerson, rules: UserRules = noRules): ContactMatcher | undefined {
  const keys = contactKeysOf(rules)
  const known = matchers.get(person) ?? new Map<string, ContactMatcher | undefined>()
  matchers.set(person, known)
  const key = keys.join()
  if (!known.has(key)) known.set(key, contactsOf(person, keys))
  return known.get(key)
}

const isIn = (text: string, { signs, packed, pattern, phones }: ContactMatcher): boolean => {
  const lower = text.toLowerCase()
  const isSuspect = signs.some((sign) => lower.includes(sign))
  if ((isSuspect && text.search(pattern()) >= 0) || packed.some((form) => text.includes(form))) return true
  return findPhones(text, phones).length > 0
}

/**
 * Removes person ids that are an e-mail or a phone number, as in some shops, unless the vendor takes e-mails or phone
 * numbers without a hash.
 */
function withoutContactIds<User extends Readonly<Record<string, string | undefined>>>(
  user: User,
  rules: UserRules,
  contacts: ContactMatcher | undefined,
): User {
  const takesEmails = !contactKeysOf(rules).includes('email')
  const isContact = (text: string) =>
    (text.includes('@') && !takesEmails) || (contacts !== undefined && isIn(text, contacts))
  const dropped = Object.keys(user).filter((field) => {
    const { key, hash } = rules[field]!
    return (key === 'customerId' || key === 'anyStableId') && !hash && isContact(user[field]!)
  })
  if (dropped.length === 0) return user
  return Object.freeze(Object.fromEntries(Object.entries(user).filter(([field]) => !dropped.includes(field)))) as User
}

/** The vendor's fields as they are sent. Resolved once for each event. */
export function sentFields<R extends UserRules>(rules: R, identity: Identity): { readonly [K in keyof R]?: string } {
  const known = identity.sent.get(rules)
  if (known) return known as { readonly [K in keyof R]?: string }
  const sent = withoutContactIds(resolve(rules, identity), rules, rawContacts(identity.person, rules))
  identity.sent.set(rules, sent)
  return sent
}

const mark = 'redacted'

function redactText(text: string, { pattern, phones }: ContactMatcher): string {
  const redacted = text.replace(pattern(), mark)
  return replaceSpans(redacted, findPhones(redacted, phones), mark)
}

/**
 * Redacts contacts in the page's URL, referrer and search, where shops put them (`?email=…`), so that the event can be
 * sent.
 */
export function redactContacts(event: TagEvent, contacts: ContactMatcher | undefined): TagEvent {
  if (!contacts) return event
  const redacted = (['pageUrl', 'referrer', 'search'] as const).flatMap((key) => {
    const text = event[key]
    if (!text || !isIn(text, contacts)) return []
    return [[key, redactText(text, contacts)]]
  })
  return redacted.length > 0 ? Object.freeze({ ...event, ...Object.fromEntries(redacted) }) : event
}

/** Whether a request contains a raw contact, plain or encoded as base64. Linear in the request. */
export const containsContact = ({ url, headers, body = '' }: WireRequest, contacts: ContactMatcher): boolean =>
  isIn([url, ...Object.values(headers), body].join('\n'), contacts)
