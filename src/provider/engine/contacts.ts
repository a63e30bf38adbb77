import type { TagEvent } from '#contract/event.ts'
import type { PersonKey, RawPerson } from '#provider/form/person.ts'
import type { UserRules } from '#provider/form/userRule.ts'
import { formEncode } from './formEncode.ts'
import type { WireRequest } from './wireRequest.ts'

/** Every way in which a text may stand in a request or an answer: as it is, in an address, a form, a JSON string. */
export function encodedForms(text: string): string[] {
  // as nearly all addresses and numbers are: nothing else in them is ever written otherwise
  if (/^[\w.@-]*$/.test(text)) return text.includes('@') ? [text, text.replaceAll('@', '%40')] : [text]
  return [text, encodeURIComponent(text.toWellFormed()), formEncode(text), JSON.stringify(text).slice(1, -1)]
}

const anyOf = (texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap(encodedForms))].map((form) => RegExp.escape(form))

/** The digits of a phone number; none where they are fewer than seven, so that no quantity or price is taken for one. */
const digitsOf = (phone: string): string => {
  const digits = phone.replace(/\D/g, '').replace(/^0+/, '')
  return digits.length < 7 ? '' : digits
}

/** A phone number as it was written, and as bare digits. */
const phonePatterns = (phone: string): string[] => [
  ...anyOf([phone.trim()]),
  `(?<![0-9a-z])(?:%2b)?0*${digitsOf(phone)}(?![0-9a-z])`,
]

/** What of a person must not stand in a request. */
export type ContactMatcher = {
  /** Lower-case texts of which one stands wherever a contact stands; looking for them costs next to nothing. */
  signs: readonly string[]
  /** A contact inside of base64, wherever in it. */
  packed: readonly string[]
  pattern(): RegExp
}

/** The characters that a text makes inside of base64 whatever stands around it: by where in three bytes it begins. */
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

function contactsOf({ email = '', phone = '' }: RawPerson, wanted: readonly PersonKey[]): ContactMatcher | undefined {
  const mail = email.includes('@') && wanted.includes('email') ? email.trim() : ''
  const number = wanted.includes('phone') ? digitsOf(phone) : ''
  if (!mail && !number) return undefined
  const raw = [...(mail ? [mail] : []), ...(number ? [phone.trim(), number] : [])]
  let pattern: RegExp | undefined
  return {
    signs: unique(raw.flatMap(encodedForms).map((form) => form.toLowerCase())),
    packed: unique([...raw, mail.toLowerCase()])
      .filter(Boolean)
      .flatMap(base64Forms),
    pattern: () =>
      (pattern ??= new RegExp(
        [...(mail ? anyOf([mail]) : []), ...(number ? phonePatterns(phone) : [])].join('|'),
        'gi',
      )),
  }
}

const wantedBy = new WeakMap<UserRules, readonly PersonKey[]>()

/** The contacts that these rules do not send plain. */
function wantedOf(rules: UserRules): readonly PersonKey[] {
  const known = wantedBy.get(rules)
  if (known) return known
  const plain = Object.values(rules).flatMap(({ key, hash }) => (hash ? [] : [key]))
  const wanted = (['email', 'phone'] as const).filter((key) => !plain.includes(key))
  wantedBy.set(rules, wanted)
  return wanted
}

const made = new WeakMap<RawPerson, Map<string, ContactMatcher | undefined>>()
const noRules: UserRules = {}

/** Finds the raw e-mail and phone number of a person, except those that these rules send plain. Made once for all channels. */
export function rawContacts(person: RawPerson, rules: UserRules = noRules): ContactMatcher | undefined {
  const wanted = wantedOf(rules)
  const known = made.get(person) ?? new Map<string, ContactMatcher | undefined>()
  made.set(person, known)
  const key = wanted.join()
  if (!known.has(key)) known.set(key, contactsOf(person, wanted))
  return known.get(key)
}

const standsIn = (text: string, { signs, packed, pattern }: ContactMatcher): boolean => {
  const lower = text.toLowerCase()
  const isSuspect = signs.some((sign) => lower.includes(sign))
  return (isSuspect && text.search(pattern()) >= 0) || packed.some((form) => text.includes(form))
}

/** Shops put the e-mail into the address of a page (`?email=…`): there it is struck out, so that the event can still go. */
export function redactContacts(event: TagEvent, contacts: ContactMatcher | undefined): TagEvent {
  if (!contacts) return event
  const struck = (['pageUrl', 'referrer', 'search'] as const).flatMap((key) => {
    const text = event[key]
    if (!text || !standsIn(text, contacts)) return []
    return [[key, text.replace(contacts.pattern(), 'redacted')]]
  })
  return struck.length > 0 ? Object.freeze({ ...event, ...Object.fromEntries(struck) }) : event
}

/** Whether a raw contact stands anywhere in a request, also inside of base64. */
export const containsContact = ({ url, headers, body = '' }: WireRequest, contacts: ContactMatcher): boolean =>
  standsIn([url, ...Object.values(headers), body].join('\n'), contacts)

// bounded, and no part holds the sign itself: else a text of a few kilobytes that somebody made for it takes minutes
export const emailPattern =
  /(?:(?!%40)[^\s@"'<>(),;:=&]){1,64}(?:@|%40)(?:(?!%40)[^\s@"'<>(),;:=&]){1,255}\.[a-z]{2,63}/gi

/** The texts inside a secret that is a JSON object: a vendor may repeat only one of them. */
export function textsInJson(secret: string): string[] {
  try {
    const value: unknown = JSON.parse(secret)
    return typeof value === 'object' && value !== null
      ? Object.values(value).filter((each) => typeof each === 'string')
      : []
  } catch {
    return []
  }
}
