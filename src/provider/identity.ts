import { hash as digest } from 'node:crypto'
import type { TagEvent } from '#contract/event.ts'
import { type StandardKey, standardKeys } from '#contract/user.ts'
import { emailAddress, lowered, type Normalise, phoneE164, trimmed } from './normalise.ts'
import type { Person, PersonKey } from './person.ts'

/** How one field of a vendor is made: from which key, normalised by which rule, hashed or plain. */
export type UserRule = { of: PersonKey; normalise: Normalise; hash?: 'sha256' }
export type UserRules = Readonly<Record<string, UserRule>>

const usual: Partial<Record<PersonKey, Normalise>> = {
  email: emailAddress,
  phone: phoneE164,
  userId: trimmed,
  ip: trimmed,
  userAgent: trimmed,
}

/** SHA-256 as 64 lower-case hex characters, of the value as the rule makes it: text keys are trimmed and lower-cased unless it says otherwise. */
export const hashed = (of: PersonKey, normalise: Normalise = usual[of] ?? lowered): UserRule => ({
  of,
  normalise,
  hash: 'sha256',
})

/** The value itself: only where a vendor (or the customer's own system) takes it in no other form. */
export const plain = (of: PersonKey, normalise: Normalise = trimmed): UserRule => ({ of, normalise })

/** A person, made once per event: what several channels ask for by the same rule is normalised and hashed once. */
export type Identity = { person: Person; read(rule: UserRule): string | undefined }

const isDigest = (text: string) => /^[0-9a-f]{64}$/i.test(text)
const sha256 = (text: string) => digest('sha256', text)

function read({ of, normalise, hash }: UserRule, person: Person): string | undefined {
  const raw = person[of]
  if (typeof raw !== 'string' || raw.trim() === '') return undefined
  // a customer may send what is hashed already: hashing it again would name nobody
  if (hash && isDigest(raw.trim())) return raw.trim().toLowerCase()
  const value = normalise(raw, person)
  return hash && value ? sha256(value) : value
}

export function identityOf(person: Person): Identity {
  const known = new Map<Normalise, Map<string, string | undefined>>()
  return {
    person,
    read(rule) {
      const ofRule = known.get(rule.normalise) ?? new Map<string, string | undefined>()
      known.set(rule.normalise, ofRule)
      const key = `${rule.of} ${rule.hash}`
      if (!ofRule.has(key)) ofRule.set(key, read(rule, person))
      return ofRule.get(key)
    },
  }
}

/** The fields of a vendor that the person is known by. */
export function resolve<R extends UserRules>(rules: R, identity: Identity): { readonly [K in keyof R]?: string } {
  const user: { [K in keyof R]?: string } = {}
  for (const field in rules) {
    const value = identity.read(rules[field]!)
    if (value !== undefined) user[field] = value
  }
  return Object.freeze(user)
}

const fieldOf = (key: StandardKey) => `user${key[0]!.toUpperCase()}${key.slice(1)}`

/** The fields of an event, at the top or in `data`, that hold a standard key: `userEmail`, `userPhone`, … */
export const personFields: readonly string[] = standardKeys.map(fieldOf)

/** What an event says of the person itself: `userEmail`, … at the top or in `data`, `ip` and `userAgent`. */
export function personIn(event: TagEvent): Person {
  const said = { ...event.data, ...event }
  const entries = [
    ...standardKeys.map((key) => [key, said[fieldOf(key)]] as const),
    ...(['ip', 'userAgent'] as const).map((key) => [key, event[key]] as const),
  ]
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value))
}
