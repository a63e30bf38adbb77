import type { TagEvent } from '#contract/event.ts'
import type { Person, PersonKey, UserRules } from './identity.ts'
import type { WireRequest } from './send.ts'

const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)

/** Every way in which a text may stand in a request or an answer: as it is, in an address, a form, a JSON string. */
const formsOf = (text: string): string[] => [
  text,
  encodeURIComponent(text.toWellFormed()),
  formEncoded(text),
  JSON.stringify(text).slice(1, -1),
]

const anyOf = (texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap(formsOf))].map((form) => RegExp.escape(form))

/** A phone number also as bare digits: seven and more, so that no quantity or price is taken for one. */
function phonePatterns(phone: string): string[] {
  const digits = phone.replace(/\D/g, '').replace(/^0+/, '')
  return digits.length < 7 ? [] : [...anyOf([phone.trim()]), `(?<![0-9a-z])(?:%2b)?0*${digits}(?![0-9a-z])`]
}

/** Finds the raw e-mail and phone number of a person, except those that these rules send plain. */
export function rawContacts(person: Person, rules: UserRules = {}): RegExp | undefined {
  const plain = new Set<PersonKey>(Object.values(rules).flatMap(({ of, hash }) => (hash ? [] : [of])))
  const patterns = [
    ...(person.email?.includes('@') && !plain.has('email') ? anyOf([person.email.trim()]) : []),
    ...(person.phone && !plain.has('phone') ? phonePatterns(person.phone) : []),
  ]
  return patterns.length > 0 ? new RegExp(patterns.join('|'), 'gi') : undefined
}

/** Shops put the e-mail into the address of a page (`?email=…`): there it is struck out, so that the event can still go. */
export function withoutContacts(event: TagEvent, contacts: RegExp | undefined): TagEvent {
  if (!contacts) return event
  const struck = (['pageUrl', 'referrer', 'search'] as const).flatMap((key) => {
    const text = event[key]?.replace(contacts, 'redacted')
    return text === event[key] ? [] : [[key, text]]
  })
  return struck.length > 0 ? Object.freeze({ ...event, ...Object.fromEntries(struck) }) : event
}

/** Whether a raw contact stands anywhere in a request. */
export const holds = ({ url, headers, body = '' }: WireRequest, contacts: RegExp): boolean =>
  [url, ...Object.values(headers), body].some((text) => text.search(contacts) >= 0)

const anEmail = /[^\s@"'<>(),;:=&]+(?:@|%40)[^\s@"'<>(),;:=&]+\.[a-z]{2,}/gi

/** The texts inside a secret that is a JSON object: a vendor may repeat only one of them. */
function within(secret: string): string[] {
  try {
    const value: unknown = JSON.parse(secret)
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
  const patterns = anyOf(hidden.filter((each) => each.trim().length >= 4)).sort((a, b) => b.length - a.length)
  const struck = patterns.length > 0 ? text.replace(new RegExp(patterns.join('|'), 'gi'), '•••') : text
  const contacts = rawContacts(person)
  return (contacts ? struck.replace(contacts, '•••') : struck).replace(anEmail, '•••')
}
