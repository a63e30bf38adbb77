import type { Person } from './person.ts'
import { formsOf, packedForms, rawContacts, replaceEmails, within } from './privacy.ts'

/** Strikes out of a text what must not be kept, like `strike`, and is made for whole bodies by the thousand. */
export type Strike = (text: string) => string

const mark = '•••'
/** Shorter ones are left: striking `1` would make any text unreadable and hide nothing. */
const shortest = 4
const mostKnown = 1_000

const isLong = (text: string) => text.trim().length >= shortest
const longestFirst = (signs: readonly string[]) =>
  [...new Set(signs.map((sign) => sign.toLowerCase()))].sort((one, other) => other.length - one.length)

const known = new Map<string, readonly string[]>()

/** The ways in which these secrets may stand in a text; found once for each script. */
function signsOf(secrets: readonly string[]): readonly string[] {
  const name = secrets.join('\0')
  const found = known.get(name)
  if (found) return found
  const long = secrets.flatMap((secret) => [secret, ...within(secret)]).filter(isLong)
  const signs = longestFirst(long.flatMap((secret) => [...formsOf(secret), ...packedForms(secret)]).filter(isLong))
  if (known.size === mostKnown) known.delete(known.keys().next().value!)
  known.set(name, signs)
  return signs
}

/** How a person may stand in a text: all that names one, and those signs of a contact that are not among it. */
type Signs = { names: readonly string[]; further: readonly string[] }
const knownOf = new WeakMap<Person, Signs>()

/** Found once for all channels. */
function signsOfPerson(person: Person): Signs {
  const found = knownOf.get(person)
  if (found) return found
  const { userAgent: _, userId: __, gender: ___, country: ____, ...named } = person
  const contacts = rawContacts(person)
  // Those of contacts are known already: no request may hold them.
  const names = longestFirst([...Object.values(named).filter(isLong).flatMap(formsOf), ...(contacts?.packed ?? [])])
  const signs = { names, further: contacts?.signs.filter((sign) => !names.includes(sign)) ?? [] }
  knownOf.set(person, signs)
  return signs
}

/** A few letters are longer in lower case: they stay as they are, so that a place in one text is the same in the other. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

type Span = { from: number; to: number }

function spansOf(lower: string, signs: readonly string[]): Span[] {
  const spans: Span[] = []
  for (const sign of signs)
    for (let from = lower.indexOf(sign), to = 0; from >= 0; from = lower.indexOf(sign, to)) {
      to = from + sign.length
      spans.push({ from, to })
    }
  return spans
}

/** All at once: to cut a long text at each sign by itself copies it each time. What overlaps is struck out together. */
function cutAll(text: string, lower: string, signs: readonly string[]): string {
  const spans = spansOf(lower, signs)
  if (spans.length === 0) return text
  let [left, end] = ['', 0]
  for (const { from, to } of spans.sort((one, other) => one.from - other.from)) {
    if (from >= end) left += text.slice(end, from) + mark
    end = Math.max(end, to)
  }
  return left + text.slice(end)
}

/** Strikes out secrets and no person: for what goes back to whoever made up the sample. */
export function strikingSecrets(secrets: readonly string[]): Strike {
  const signs = signsOf(secrets)
  return (text) => cutAll(text, lowerOf(text), signs)
}

export function striking(secrets: readonly string[], person: Person = {}): Strike {
  const { names, further } = signsOfPerson(person)
  const signs = [...signsOf(secrets), ...names]
  return (text) => {
    const lower = lowerOf(text)
    const cut = cutAll(text, lower, signs)
    const hasContact = further.some((sign) => lower.includes(sign))
    const left = hasContact ? cut.replace(rawContacts(person)!.pattern(), mark) : cut
    return replaceEmails(left, mark)
  }
}
