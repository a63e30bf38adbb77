import type { TagEvent } from '#contract/event.ts'
import { parseJson } from '#kit/json.ts'
import { formEncoded } from './form.ts'
import type { UserRules } from './identity.ts'
import type { Person, PersonKey } from './person.ts'
import type { WireRequest } from './send.ts'

/** Every way in which a text may stand in a request or an answer: as it is, in an address, a form, a JSON string. */
export function formsOf(text: string): string[] {
  // as nearly all addresses and numbers are: nothing else in them is ever written otherwise
  if (/^[\w.@-]*$/.test(text)) return text.includes('@') ? [text, text.replaceAll('@', '%40')] : [text]
  return [text, encodeURIComponent(text.toWellFormed()), formEncoded(text), JSON.stringify(text).slice(1, -1)]
}

const anyFormOf = (texts: readonly string[]): string[] => [...new Set(texts.flatMap(formsOf))]

/** The digits of a phone number; none where they are fewer than seven, so that no quantity or price is taken for one. */
const digitsOf = (phone: string): string => {
  const digits = phone.replace(/\D/g, '').replace(/^0+/, '')
  return digits.length < 7 ? '' : digits
}

/** An e-mail and a phone number as they were written, and the number as bare digits. Each may be empty, not both. */
function contactPattern(mail: string, phone: string, digits: string): RegExp {
  const written = anyFormOf([...(mail ? [mail] : []), ...(digits ? [phone.trim()] : [])])
  if (!digits) return new RegExp(written.map(RegExp.escape).join('|'), 'gi')
  return new RegExp(
    `${written.map(RegExp.escape).join('|')}|(?<![0-9a-z])(?:%2b)?0*${RegExp.escape(digits)}(?![0-9a-z])`,
    'gi',
  )
}

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
  const number = wanted.includes('phone') ? digitsOf(phone) : ''
  if (!mail && !number) return undefined
  const raw = [...(mail ? [mail] : []), ...(number ? [phone.trim(), number] : [])]
  let pattern: RegExp | undefined
  return {
    signs: unique(raw.flatMap(formsOf).map((form) => form.toLowerCase())),
    packed: unique([...raw, mail.toLowerCase()])
      .filter(Boolean)
      .flatMap(packedForms),
    pattern: () => (pattern ??= contactPattern(mail, phone, number)),
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

const mostBeforeSign = 64
const hostOfEmail = /(?:(?!%40)[^\s@"'<>(),;:=&]){1,255}\.[a-z]{2,63}/iy
const outsideOfEmail = /[\s@"'<>(),;:=&]/

/** Where the part of an address before its sign begins; not before `from`. */
function emailStart(text: string, sign: number, from: number): number {
  let at = sign
  const least = Math.max(from, sign - mostBeforeSign)
  while (at > least && !outsideOfEmail.test(text[at - 1]!) && !text.startsWith('%40', at - 1)) at--
  return at
}

/** Replaces every e-mail address, its sign written as `@` or `%40`. Linear: it looks around each sign, and not past the next. */
export function replaceEmails(text: string, by: string): string {
  let [left, end] = ['', 0]
  for (const sign of text.matchAll(/@|%40/g)) {
    hostOfEmail.lastIndex = sign.index + sign[0].length
    const start = emailStart(text, sign.index, end)
    if (start >= sign.index || !hostOfEmail.test(text)) continue
    left += text.slice(end, start) + by
    end = hostOfEmail.lastIndex
  }
  return left + text.slice(end)
}

/** The texts inside a secret that is a JSON object: a vendor may repeat only one of them. */
export function within(secret: string): string[] {
  try {
    const value: unknown = parseJson(secret)
    return typeof value === 'object' && value !== null
      ? Object.values(value).filter((each) => typeof each === 'string')
      : []
  } catch {
    return []
  }
}

/**
 * A text without secrets and without what names the person, for the journal and the log. Values shorter than four characters
 * are left: striking `1` would make any text unreadable and hide nothing.
 */
export function strike(text: string, secrets: readonly string[], person: Person = {}): string {
  const { userAgent: _, userId: __, gender: ___, country: ____, ...named } = person
  const hidden = [...secrets.flatMap((secret) => [secret, ...within(secret)]), ...Object.values(named)]
  const forms = anyFormOf(hidden.filter((each) => each.trim().length >= 4)).sort((a, b) => b.length - a.length)
  const struck = forms.length > 0 ? text.replace(new RegExp(forms.map(RegExp.escape).join('|'), 'gi'), '•••') : text
  const contacts = rawContacts(person)
  return replaceEmails(contacts ? struck.replace(contacts.pattern(), '•••') : struck, '•••')
}
