import { createHash } from 'node:crypto'
import { badRequest } from '#contract/fault.ts'
import { gaEventName } from '#contract/productEvents.ts'
import type { Issue } from '#contract/schema.ts'
import { eventLimits } from '#event/eventLimits.ts'
import { parseJson } from '#event/parseBody.ts'
import { newId } from '#kit/id.ts'
import { storageWith } from './consentCategories.ts'
import { type GaConsent, gaConsent, gaData, gaItem, gaUserData } from './ga4Params.ts'
import { readWithinLimits, refuseTooManyMessages } from './messageLimits.ts'
import { putPerson } from './personKeys.ts'
import type { Source, SourceEvent, SourceInput } from './source.ts'
import { amountOf, correctedTime, type Fields, fieldsOf, put, textOf } from './values.ts'

/**
 * Google Analytics 4: what gtag sends to `server_container_url` (`/g/collect`), and the Measurement Protocol
 * (`/mp/collect`), whose `api_secret` is the key of the source.
 * https://developers.google.com/analytics/devguides/collection/protocol/ga4
 */
export const ga4: Source = {
  name: 'ga4',
  methodsOf: (path) => (path === '/g/collect' ? ['GET', 'POST'] : path === '/mp/collect' ? ['POST'] : undefined),
  keyOf: ({ path, query }) => (path === '/mp/collect' ? textOf(query.get('api_secret')) : undefined),
  read: (input) => (input.path === '/g/collect' ? readHits(input) : readProtocol(input)),
  answer: () => ({ status: 204 }),
}

const digest = (parts: readonly unknown[]) =>
  `ga4-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`

/** What an event of either protocol contains. */
type Hit = {
  name: string
  params: Fields
  eventId: string
  timestamp: number
  clientId: string | undefined
  userId: string | undefined
  userKeys: Fields
  consent: GaConsent | undefined
  /** The cookie of the session: its name and value. */
  session: Record<string, string>
  notes: string[]
}

function toSourceEvent({ name, params, clientId, userId, ...hit }: Hit, type: string, brand: string): SourceEvent {
  const { page_location, page_title, page_referrer, event_id, ...rest } = params
  const kv = hit.userKeys
  const cookies = clientId === undefined ? {} : { _ga: `GA1.1.${clientId}`, ...hit.session }
  const event: Record<string, unknown> = {
    eventName: gaEventName(name),
    eventId: textOf(event_id) ?? hit.eventId,
    timestamp: hit.timestamp,
    data: gaData(rest),
    storage: storageWith(
      brand,
      hit.consent?.map,
      {
        ...(Object.keys(kv).length > 0 && { kv }),
        ...(clientId !== undefined && { data: { googleAnalytics4: cookies } }),
      },
      hit.consent?.state,
    ),
    source: {
      name: 'ga4',
      type,
      ...(userId !== undefined && { userId }),
      ...(hit.notes.length > 0 && { notes: hit.notes }),
    },
  }
  put(event, 'pageUrl', textOf(page_location))
  put(event, 'pageTitle', textOf(page_title))
  put(event, 'referrer', textOf(page_referrer))
  put(event, 'userCustomerId', userId)
  return { ...(clientId !== undefined && { deviceId: `ga4 ${clientId}` }), event }
}

/** The cookie in which gtag stores the session of a measurement id, `G-…`. */
function sessionOf(measurementId: string | null | undefined, session: string | undefined): Record<string, string> {
  const id = /^G-([A-Z0-9]{1,20})$/.exec(measurementId ?? '')?.[1]
  return id && session && /^\d{1,12}$/.test(session) ? { [`_ga_${id}`]: `GS1.1.${session}.1.1.${session}.0.0.0` } : {}
}

const tooManyParameters: Issue = { path: '', message: `has more than ${eventLimits.keys} parameters` }
/** The number of parameters of a line, counted up to one more than the limit. */
const parametersOf = (line: string) => line.split('&', eventLimits.keys + 1).length

/** One or more hits of gtag: the query has the shared parameters, each line of the body those of one hit. */
function readHits({ query, body, receivedAt, brand }: SourceInput): SourceEvent[] {
  // gtag moves parameters shared by several events to the query, which can leave a line empty
  const mayBeEmpty = query.has('en')
  const lines =
    body.length === 0
      ? []
      : body
          .toString()
          .split(/\r?\n/, eventLimits.events + 2)
          .filter((line) => line !== '' || mayBeEmpty)
  refuseTooManyMessages(lines.length, query.toString())
  return (lines.length > 0 ? lines : ['']).map((line, index) =>
    parametersOf(line) > eventLimits.keys
      ? { issues: [tooManyParameters], event: {} }
      : readHit(new Map([...query, ...new URLSearchParams(line)]), index, { receivedAt, brand }),
  )
}

const userDataPrefix = 'ep.user_data.'

function readHit(
  hit: ReadonlyMap<string, string>,
  index: number,
  { receivedAt, brand }: Pick<SourceInput, 'receivedAt' | 'brand'>,
): SourceEvent {
  const get = (name: string) => textOf(hit.get(name))
  const params: Record<string, unknown> = {}
  const userKeys: Record<string, unknown> = {}
  const items: Record<string, string>[] = []
  const userData = new Map<string, string>()
  for (const [name, value] of hit) {
    const dot = name.indexOf('.')
    const into = ({ ep: params, epn: params, up: userKeys, upn: userKeys } as const)[dot < 0 ? '' : name.slice(0, dot)]
    if (name.startsWith(userDataPrefix)) userData.set(name.slice(userDataPrefix.length), value)
    else if (into && name.slice(dot + 1) !== '__proto__')
      into[name.slice(dot + 1)] = name[dot - 1] === 'n' ? (amountOf(value) ?? value) : value
    else if (/^pr\d{1,3}$/.test(name)) items.push(gaItem(value))
  }
  if (items.length > 0) params.items = items
  put(params, 'currency', get('cu'))
  put(params, 'page_location', get('dl'))
  put(params, 'page_title', get('dt'))
  put(params, 'page_referrer', get('dr'))
  const clientId = get('cid')
  const sequence = [get('tid'), clientId, get('_p'), get('_s'), index, get('en')]
  const isNumbered = get('_p') !== undefined && get('_s') !== undefined
  const person = gaUserData(userData)
  const read = toSourceEvent(
    {
      name: get('en') ?? '',
      params,
      eventId: isNumbered ? digest(sequence) : newId('evt', receivedAt),
      timestamp: receivedAt,
      clientId,
      userId: get('uid'),
      userKeys,
      consent: gaConsent(hit.get('gcs') ?? '', hit.get('gcd') ?? ''),
      session: sessionOf(get('tid'), get('sid')),
      notes: [...(hit.has('em') ? ['its hashed user data (em) is not mapped'] : []), ...person.notes],
    },
    'collect',
    brand,
  )
  putPerson(read.event, person.keys)
  return read
}

/** Converts a time of the Measurement Protocol (microseconds, as a number or text) to epoch ms. */
function microsOf(value: unknown): number | undefined {
  const micros = typeof value === 'string' && /^\d{1,17}$/.test(value) ? Number(value) : value
  return typeof micros === 'number' && Number.isFinite(micros) ? Math.round(micros / 1_000) : undefined
}

/**
 * A denied signal forbids advertising, and a denied `ad_user_data` also personal data. Granted signals alone change
 * nothing.
 */
function protocolConsent({ ad_user_data, ad_personalization }: Fields): GaConsent | undefined {
  const map = {
    ...(ad_user_data === 'DENIED' && { share_pii: false }),
    ...(ad_personalization === 'DENIED' && { ad_personalization: false }),
  }
  return Object.keys(map).length > 0 ? { map: { advertising: false, ...map } } : undefined
}

function readProtocol(input: SourceInput): SourceEvent[] {
  const message = fieldsOf(parseJson(input.body))
  if (!Array.isArray(message.events)) throw badRequest({ path: 'events', message: 'must be array' })
  refuseTooManyMessages(message.events.length, message.user_properties)
  const clientId = textOf(message.client_id ?? message.app_instance_id)
  const properties = Object.entries(fieldsOf(message.user_properties))
  const userKeys = Object.fromEntries(properties.map(([name, value]) => [name, fieldsOf(value).value]))
  return message.events.map((each, index) =>
    readWithinLimits(each, undefined, () => readProtocolEvent(each, index, { message, clientId, userKeys }, input)),
  )
}

/** What the events of a Measurement Protocol request share. */
type Protocol = { message: Fields; clientId: string | undefined; userKeys: Fields }

function readProtocolEvent(
  each: unknown,
  index: number,
  { message, clientId, userKeys }: Protocol,
  { query, trusted, receivedAt, brand }: SourceInput,
): SourceEvent {
  const { name, params, timestamp_micros } = fieldsOf(each)
  const at = microsOf(timestamp_micros ?? message.timestamp_micros)
  const time = correctedTime({ at, sentAt: undefined }, receivedAt)
  const { session_id, ...own } = fieldsOf(params)
  const read = toSourceEvent(
    {
      name: textOf(name) ?? '',
      params: own,
      eventId: at === undefined ? newId('evt', receivedAt) : digest([clientId, message.user_id, at, index, each]),
      timestamp: time.timestamp,
      clientId,
      userId: textOf(message.user_id),
      userKeys,
      consent: protocolConsent(fieldsOf(message.consent)),
      session: sessionOf(query.get('measurement_id'), textOf(session_id)),
      notes: [
        ...(time.note ? [time.note] : []),
        ...(message.user_data === undefined ? [] : ['its hashed user_data is not mapped']),
      ],
    },
    'mp',
    brand,
  )
  if (trusted) {
    put(read.event, 'ip', textOf(message.ip_override))
    put(read.event, 'userAgent', textOf(message.user_agent))
  }
  return read
}
