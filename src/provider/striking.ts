import type { Person } from './person.ts'
import { anEmail, formsOf, packedForms, rawContacts, within } from './privacy.ts'

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

const named = new WeakMap<Person, readonly string[]>()

/** The ways in which what names a person may stand in a text; found once for all channels. */
function namesOf(person: Person): readonly string[] {
  const found = named.get(person)
  if (found) return found
  const { userAgent: _, userId: __, gender: ___, country: ____, ...names } = person
  // Those of contacts are known already: no request may hold them.
  const packed = rawContacts(person)?.packed ?? []
  const signs = longestFirst([...Object.values(names).filter(isLong).flatMap(formsOf), ...packed])
  named.set(person, signs)
  return signs
}

/** Both texts are cut alike: `lower` is the other one in lower case. */
function cut(text: string, lower: string, sign: string): [text: string, lower: string] {
  let [cutText, cutLower, from] = ['', '', 0]
  for (let at = lower.indexOf(sign); at >= 0; at = lower.indexOf(sign, from)) {
    cutText += text.slice(from, at) + mark
    cutLower += lower.slice(from, at) + mark
    from = at + sign.length
  }
  return from === 0 ? [text, lower] : [cutText + text.slice(from), cutLower + lower.slice(from)]
}

/** A few letters are longer in lower case: they stay as they are, so that both texts can be cut alike. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function cutAll(text: string, signs: readonly string[]): [text: string, lower: string] {
  let [left, lower] = [text, lowerOf(text)]
  for (const sign of signs) if (lower.includes(sign)) [left, lower] = cut(left, lower, sign)
  return [left, lower]
}

/** Strikes out secrets and no person: for what goes back to whoever made up the sample. */
export function strikingSecrets(secrets: readonly string[]): Strike {
  const signs = signsOf(secrets)
  return (text) => cutAll(text, signs)[0]
}

export function striking(secrets: readonly string[], person: Person = {}): Strike {
  const signs = [...signsOf(secrets), ...namesOf(person)]
  const contacts = rawContacts(person)
  return (text) => {
    const [cutText, lower] = cutAll(text, signs)
    const hasContact = contacts?.signs.some((sign) => lower.includes(sign))
    const left = hasContact ? cutText.replace(contacts!.pattern(), mark) : cutText
    return left.includes('@') || lower.includes('%40') ? left.replace(anEmail, mark) : left
  }
}
