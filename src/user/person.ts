import type { TagEvent } from '#contract/event.ts'
import { standardKeys } from '#contract/user.ts'
import type { EventContext } from '#event/record.ts'
import type { Person } from '#provider/person.ts'
import { type Captured, type Profile, type Said, without, withSeen } from './profile.ts'

/** An event and the person behind it, as providers are told of them. */
export type Told = {
  event: TagEvent
  person: Person
  /** The customer's own keys of the person. */
  custom: Readonly<Record<string, unknown>>
  captured: Captured
}

/** Who did it: `own` is what is known by this user id. */
export type Doer = { context: EventContext; userId: string; said: Said; own?: Profile | undefined }

/** Tells of an event with all that is known of the person: the event's own word goes before what is known by its user id. */
export function tell(event: TagEvent, { context, userId, said, own }: Doer): Told {
  return {
    event,
    person: { ...without(own?.keys ?? {}, said.gone), ...said.keys, userId, ...deviceOf(event, context) },
    custom: { ...without(own?.custom ?? {}, said.gone), ...said.custom },
    captured: withSeen(own?.captured ?? {}, said.captured, event.timestamp),
  }
}

/** A page's requests say where and what the browser is. A server says it of somebody else: its `ip` must be trusted. */
export function deviceOf(event: TagEvent, context: EventContext): Pick<Person, 'ip' | 'userAgent'> {
  const isBrowser = context.origin !== undefined
  const ip = context.trusted && isText(event.ip) ? event.ip : isBrowser ? context.ip : undefined
  const userAgent = isText(event.userAgent) ? event.userAgent : isBrowser ? context.userAgent : undefined
  return { ...(ip && { ip }), ...(userAgent && { userAgent }) }
}

const standard: ReadonlySet<string> = new Set(standardKeys)
const address = /[^\s@]+@[^\s@]+\.[^\s@]+/
const url = /^https?:\/\//i

/**
 * The same without anything that says who it was, for a person who does not share it. Gone are the person, the custom
 * keys and the captures; of the event, at every depth: `user`, `userId`, `userEmail` and all other `user…` fields, the
 * standard keys by their bare names, `ip`; at the top also `storage` and `search`; every text that holds an e-mail
 * address; and of every URL the query and the fragment, where click ids and addresses travel.
 */
export function withoutPii({ event: { storage: _, search: __, ...event } }: Told): Told {
  const { eventId, eventName, timestamp } = event
  const kept = stripped(event) as Record<string, unknown>
  return { event: { ...kept, eventId, eventName, timestamp }, person: {}, custom: {}, captured: {} }
}

const isIdentifying = (name: string) => standard.has(name) || name === 'ip' || /^user($|[A-Z_])/.test(name)
const isClean = (value: unknown) => !(typeof value === 'string' && address.test(value))

function stripped(value: unknown): unknown {
  if (typeof value === 'string') return url.test(value) ? value.split(/[?#]/, 1)[0] : value
  if (Array.isArray(value)) return value.map(stripped).filter(isClean)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).flatMap(([name, each]): [string, unknown][] =>
    isIdentifying(name) || address.test(name) ? [] : [[name, stripped(each)]],
  )
  return Object.fromEntries(kept.filter(([, each]) => isClean(each)))
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
