import type { TagEvent } from '#contract/event.ts'
import { standardKeys } from '#contract/standardKeys.ts'
import type { EventContext } from '#event/record.ts'
import type { Location } from '#geo/locate.ts'
import { appIdNames } from '#provider/form/appIds.ts'
import { addressCountryOf, type RawPerson } from '#provider/form/person.ts'
import type { CapturedValues, EventSession } from '#provider/form/request.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { isOtherCustomer, mergeCaptured, omitKeys, type Profile, type UserFacts } from './profile.ts'
import { sessionAt } from './session.ts'

/** An event with its person, in the form that providers get. */
export type EventWithPerson = {
  event: TagEvent
  person: RawPerson
  /** The custom keys of the person. */
  custom: Readonly<Record<string, unknown>>
  captured: CapturedValues
  session?: EventSession
}

/**
 * The sources of an outbound person: the request, the facts of the event, the stored profile of the user id (`own`),
 * and the countries of the tag and of the location.
 */
export type PersonSources = {
  context: EventContext
  userId: string
  facts: UserFacts
  own?: Profile | undefined
  tag?: Pick<Snapshot, 'defaultCountry'>
  place?: Location
}

/** Adds the person to an event. Facts of the event take precedence over the stored profile. */
export function attachPerson(event: TagEvent, sources: PersonSources): EventWithPerson {
  const { context, userId, facts, own } = sources
  const session = sessionAt(own?.session, event.timestamp)
  const known = ownValues({ own, facts, context })
  const keys = { ...omitKeys(known.keys, facts.removedKeys), ...facts.keys }
  const phoneCountry = keys.phone === undefined ? undefined : fallbackCountry(event, sources)
  return {
    event,
    person: { ...keys, userId, ...deviceOf(event, context), ...(phoneCountry && { phoneCountry }) },
    custom: { ...omitKeys(known.custom, facts.removedKeys), ...facts.custom },
    captured: mergeCaptured(own?.captured ?? {}, facts.captured, event.timestamp),
    ...(session && { session }),
  }
}

/** The country for a phone number without a country code, if the person's country is unknown. */
function fallbackCountry(event: TagEvent, { tag, place }: PersonSources): string | undefined {
  const ofTag = tag?.defaultCountry === 'none' ? undefined : tag?.defaultCountry
  return addressCountryOf(event) ?? ofTag ?? place?.country
}

/**
 * The keys of the profile that belong to the event's person; none if the profile belongs to another customer. A customer
 * id that only an untrusted call gave is not sent with events of a trusted caller.
 */
function ownValues({ own, facts, context }: Omit<PersonSources, 'userId'>): Pick<Profile, 'keys' | 'custom'> {
  if (!own || isOtherCustomer(own, facts.keys)) return { keys: {}, custom: {} }
  const isClaimed = context.trusted && own.customerKey === undefined
  return { keys: isClaimed ? omitKeys(own.keys, ['customerId']) : own.keys, custom: own.custom }
}

/**
 * The IP address and user agent of the person, from a browser's own request or from a server's event. `ip` of a
 * server's event only counts if the server is trusted.
 */
export function deviceOf(event: TagEvent, context: EventContext): Pick<RawPerson, 'ip' | 'userAgent'> {
  const isBrowser = context.origin !== undefined
  const ip = context.trusted && isText(event.ip) ? event.ip : isBrowser ? context.ip : undefined
  const userAgent = isText(event.userAgent) ? event.userAgent : isBrowser ? context.userAgent : undefined
  return { ...(ip && { ip }), ...(userAgent && { userAgent }) }
}

const identifying: ReadonlySet<string> = new Set<string>([...standardKeys, ...appIdNames])
/** Matches a text that contains an e-mail address. One character on each side keeps the match linear. */
const emailAddress = /[^\s@]@[^\s@]+\.[^\s@]/
const url = /^https?:\/\//i

/**
 * Removes everything that identifies a person who does not share it: the person, the custom keys, the captures and the
 * session. In the event, at every depth: `user`, `userId`, `userEmail` and all other `user…` fields, the standard keys and
 * the ids of devices and apps under their bare names, `ip`, every text that contains an e-mail address, and the query and
 * fragment of every URL, which may contain click ids and addresses. At the top level also `storage` and `search`.
 */
export function withoutPii({ event: { storage: _, search: __, ...event } }: EventWithPerson): EventWithPerson {
  const { eventId, eventName, timestamp } = event
  const remaining = stripIdentifying(event) as Record<string, unknown>
  return { event: { ...remaining, eventId, eventName, timestamp }, person: {}, custom: {}, captured: {} }
}

const isIdentifying = (name: string) => identifying.has(name) || name === 'ip' || /^user($|[A-Z_])/.test(name)
const isClean = (value: unknown) => !(typeof value === 'string' && emailAddress.test(value))

function stripIdentifying(value: unknown): unknown {
  if (typeof value === 'string') return url.test(value) ? value.split(/[?#]/, 1)[0] : value
  if (Array.isArray(value)) return value.map(stripIdentifying).filter(isClean)
  if (typeof value !== 'object' || value === null) return value
  const remaining = Object.entries(value).flatMap(([name, each]): [string, unknown][] =>
    isIdentifying(name) || emailAddress.test(name) ? [] : [[name, stripIdentifying(each)]],
  )
  return Object.fromEntries(remaining.filter(([, each]) => isClean(each)))
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
