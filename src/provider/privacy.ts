import type { TagEvent } from '#contract/event.ts'
import { formEncoded } from './form.ts'
import type { UserRules } from './identity.ts'
import type { Person, PersonKey } from './person.ts'
import { phoneDigits } from './phoneSearch.ts'
import type { WireRequest } from './send.ts'

/** Every way in which a text may stand in a request or an answer: as it is, in an address, a form, a JSON string. */
export function formsOf(text: string): string[] {
  // as nearly all addresses and numbers are: nothing else in them is ever written otherwise
  if (/^[\w.@-]*$/.test(text)) return text.includes('@') ? [text, text.replaceAll('@', '%40')] : [text]
  return [text, encodeURIComponent(text.toWellFormed()), formEncoded(text), JSON.stringify(text).slice(1, -1)]
}

const anyOf = (texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap(formsOf))].map((form) => RegExp.escape(form))

/** A phone number as it was written, and as bare digits. */
const phonePatterns = (phone: string): string[] => [
  ...anyOf([phone.trim()]),
  `(?<![0-9a-z])(?:%2b)?0*${phoneDigits(phone)}(?![0-9a-z])`,
]

/** What of a person must not stand in a request. */
export type Contacts = {
  /** Lower-case texts of which one stands wherever a contact stands; looking for them costs next to nothing. */
  signs: readonly string[]
  /** A contact inside of base64, wherever in it. */
  packed: readonly string[]
  pattern(): RegExp
}

/** The characters that a text makes inside of base64 whatever stands around it: by where in three bytes it begins. */
export function packedForms(text: string): string[] {
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

function contactsOf({ email = '', phone = '' }: Person, wanted: readonly PersonKey[]): Contacts | undefined {
  const mail = email.includes('@') && wanted.includes('email') ? email.trim() : ''
  const number = wanted.includes('phone') ? phoneDigits(phone) : ''
  if (!mail && !number) return undefined
  const raw = [...(mail ? [mail] : []), ...(number ? [phone.trim(), number] : [])]
  let pattern: RegExp | undefined
  return {
    signs: unique(raw.flatMap(formsOf).map((form) => form.toLowerCase())),
    packed: unique([...raw, mail.toLowerCase()])
      .filter(Boolean)
      .flatMap(packedForms),
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
  const plain = Object.values(rules).flatMap(({ of, hash }) => (hash ? [] : [of]))
  const wanted = (['email', 'phone'] as const).filter((key) => !plain.includes(key))
  wantedBy.set(rules, wanted)
  return wanted
}

const made = new WeakMap<Person, Map<string, Contacts | undefined>>()
const noRules: UserRules = {}

/** Finds the raw e-mail and phone number of a person, except those that these rules send plain. Made once for all channels. */
export function rawContacts(person: Person, rules: UserRules = noRules): Contacts | undefined {
  const wanted = wantedOf(rules)
  const known = made.get(person) ?? new Map<string, Contacts | undefined>()
  made.set(person, known)
  const key = wanted.join()
  if (!known.has(key)) known.set(key, contactsOf(person, wanted))
  return known.get(key)
}

const standsIn = (text: string, { signs, packed, pattern }: Contacts): boolean => {
  const lower = text.toLowerCase()
  const isSuspect = signs.some((sign) => lower.includes(sign))
  return (isSuspect && text.search(pattern()) >= 0) || packed.some((form) => text.includes(form))
}

/** Shops put the e-mail into the address of a page (`?email=…`): there it is struck out, so that the event can still go. */
export function withoutContacts(event: TagEvent, contacts: Contacts | undefined): TagEvent {
  if (!contacts) return event
  const struck = (['pageUrl', 'referrer', 'search'] as const).flatMap((key) => {
    const text = event[key]
    if (!text || !standsIn(text, contacts)) return []
    return [[key, text.replace(contacts.pattern(), 'redacted')]]
  })
  return struck.length > 0 ? Object.freeze({ ...event, ...Object.fromEntries(struck) }) : event
}

/** Whether a raw contact stands anywhere in a request, also inside of base64. */
export const holds = ({ url, headers, body = '' }: WireRequest, contacts: Contacts): boolean =>
  standsIn([url, ...Object.values(headers), body].join('\n'), contacts)
