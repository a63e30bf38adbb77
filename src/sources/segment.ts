import { badRequest } from '#contract/fault.ts'
import { parseJson } from '#event/parseBody.ts'
import { newId } from '#kit/id.ts'
import { contextConsent, storageWith } from './consentCategories.ts'
import { readWithinLimits, refuseTooManyMessages } from './messageLimits.ts'
import { type PersonKeys, putPerson, readTraits } from './personKeys.ts'
import { putTracked } from './segmentCommerce.ts'
import { putDeepLink, putDevice } from './segmentDevice.ts'
import { selectedProviders } from './segmentIntegrations.ts'
import { isSettingsAddress, settingsAt } from './segmentSettings.ts'
import type { Source, SourceEvent, SourceInput, SourceRequest } from './source.ts'
import { correctedTime, type Fields, fieldsOf, put, quoted, textOf, timeOf } from './values.ts'

/**
 * Segment's tracking API, also used by the SDKs of RudderStack and Jitsu.
 * https://segment.com/docs/connections/sources/catalog/libraries/server/http-api/
 */
export const segment: Source = {
  name: 'segment',
  methodsOf: (path) => (callOf(path) ? ['POST'] : isSettingsAddress(path) ? ['GET'] : undefined),
  keyOf,
  parse,
  settingsAt: (request) => settingsAt(request, keyOf),
  corsHeaders: ['anonymousid', 'x-write-key'],
  read: readMessages,
  answer: (results) => ({ status: 200, body: JSON.stringify({ success: true, result: results }) }),
}

const types = ['track', 'page', 'identify', 'group', 'alias', 'screen'] as const
type MessageType = (typeof types)[number]

/** The last part of a path, with the short forms of analytics.js. */
const calls: ReadonlyMap<string, MessageType | 'batch'> = new Map([
  ...types.flatMap((type) => [[type, type] as const, [type[0]!, type] as const]),
  ...['batch', 'b', 'import'].map((name) => [name, 'batch'] as const),
])

/** `/v1/…` is Segment's and RudderStack's, `/beacon/v1/…` RudderStack's for closing pages, `/api/s/…` Jitsu's. */
const address = /^(?:\/v1|\/beacon\/v1|\/api\/s|\/api\/s\/s2s)\/([a-z]+)$/

const callOf = (path: string) => calls.get(address.exec(path)?.[1] ?? '')

/** Jitsu's SDK accepts only keys of the form `id:secret`: the part after the colon is the key. */
const afterColon = (key: string | undefined) => textOf(key?.slice(key.indexOf(':') + 1))

/** The write key: the user name of HTTP Basic, `X-Write-Key` or `?writeKey=`. */
function keyOf({ headers, query }: SourceRequest): string | undefined {
  const basic = /^Basic ([A-Za-z0-9+/=_-]{1,400})$/i.exec(headers.authorization ?? '')?.[1]
  const name = basic && Buffer.from(basic, 'base64').toString().split(':', 1)[0]
  return (
    textOf(name) ??
    afterColon(textOf(headers['x-write-key'])) ??
    textOf(query.get('writeKey')) ??
    textOf(headers.authorization)
  )
}

/** The SDKs for apps send the write key only in the body. */
function parse(body: Buffer) {
  const payload = parseJson(body)
  return { payload, key: afterColon(textOf(fieldsOf(payload).writeKey)) }
}

function readMessages(input: SourceInput): SourceEvent[] {
  const body = fieldsOf(input.payload)
  const call = callOf(input.path)!
  const sentAt = timeOf(body.sentAt)
  const readOne = (message: Fields, read: () => SourceEvent) => readWithinLimits(message, message.messageId, read)
  if (call !== 'batch')
    return [readOne(body, () => readMessage({ ...body, type: body.type ?? call }, undefined, { sentAt, input }))]
  if (!Array.isArray(body.batch)) throw badRequest({ path: 'batch', message: 'must be array' })
  const shared = body.context === undefined ? undefined : fieldsOf(body.context)
  refuseTooManyMessages(body.batch.length, shared)
  return body.batch.map((each) => {
    const message = fieldsOf(each)
    return readOne(message, () => readMessage(message, shared, { sentAt, input }))
  })
}

const otherKey = 'the writeKey in the body differs from the key of the request; the key of the request is used'

type Sending = { sentAt: number | undefined; input: SourceInput }

/** `own`: the non-standard keys of its user. */
type Reading = {
  message: Fields
  context: Fields
  event: Record<string, unknown>
  keys: PersonKeys
  own: Record<string, unknown>
  notes: string[]
}

/** `shared`: the context of the whole batch. */
function readMessage(message: Fields, shared: Fields | undefined, { sentAt, input }: Sending): SourceEvent {
  const { receivedAt, brand } = input
  const own = fieldsOf(message.context)
  const context = shared ? { ...shared, ...own } : own
  const type = textOf(message.type) ?? ''
  const consent = contextConsent(context)
  const integrations = selectedProviders(fieldsOf(message.integrations))
  const at = timeOf(message.originalTimestamp ?? message.timestamp)
  const time = correctedTime({ at, sentAt: timeOf(message.sentAt) ?? sentAt }, receivedAt)
  const reading: Reading = {
    message,
    context,
    event: {
      eventName: type,
      eventId: message.messageId === undefined ? newId('evt', receivedAt) : textOf(message.messageId),
      timestamp: time.timestamp,
    },
    keys: {},
    own: {},
    notes: [
      ...(input.hasOtherKey ? [otherKey] : []),
      ...(time.note ? [time.note] : []),
      ...consent.notes,
      ...integrations.notes,
    ],
  }
  const { event, notes } = reading
  putPage(event, fieldsOf(context.page))
  if (input.trusted) putVisitor(event, context)
  const read = readers.get(type)
  const ids = read ? read(reading) : readUnknown(reading, type)
  if (!ids.kind && putDevice(event, context)) put(event, 'userAgent', textOf(context.userAgent))
  if (integrations.providers) event.providers = integrations.providers
  const storage = storageWith(brand, consent.map, ids.kind || isEmpty(reading.own) ? {} : { kv: reading.own })
  if (!isEmpty(storage)) event.storage = storage
  event.source = {
    name: 'segment',
    type,
    ...(ids.userId !== undefined && { userId: ids.userId }),
    ...(notes.length > 0 && { notes }),
  }
  const { userId: _, ...known } = ids
  return { ...known, event }
}

function isEmpty(fields: Fields): boolean {
  for (const _ in fields) return false
  return true
}

function putPage(event: Record<string, unknown>, { url, title, referrer, search }: Fields): void {
  put(event, 'pageUrl', textOf(url))
  put(event, 'pageTitle', textOf(title))
  put(event, 'referrer', textOf(referrer))
  put(event, 'search', textOf(search))
}

/** The device of the visitor. Only a server with the secret key may set it. */
function putVisitor(event: Record<string, unknown>, { ip, userAgent }: Fields): void {
  put(event, 'ip', textOf(ip))
  put(event, 'userAgent', textOf(userAgent))
}

/** `userId`: the id in the sender's own system. */
type Ids = Omit<SourceEvent, 'event'> & { userId?: string }

function idsOf(deviceId: unknown, userId: unknown, kind?: 'user'): Ids {
  const ids: Ids = kind ? { kind } : {}
  const [device, user] = [textOf(deviceId), textOf(userId)]
  if (device !== undefined) ids.deviceId = device
  if (user !== undefined) ids.userId = user
  return ids
}

/** The user of an event: its ids and traits. */
function putUser({ message, context, event, keys, own }: Reading): Ids {
  const ids = idsOf(message.anonymousId, message.userId)
  if (ids.userId !== undefined) keys.customerId = ids.userId
  readTraits(fieldsOf(context.traits), keys, own)
  putPerson(event, keys)
  return ids
}

/** `data` with the name and category of a page or screen. */
function namedData({ message }: Reading, properties: Fields): Record<string, unknown> {
  const data = { ...properties }
  put(data, 'name', textOf(message.name))
  put(data, 'category', textOf(message.category))
  return data
}

const readers: ReadonlyMap<string, (reading: Reading) => Ids> = new Map([
  [
    'track',
    (reading) => {
      const { message, event, keys } = reading
      const properties = fieldsOf(message.properties)
      putTracked(event, typeof message.event === 'string' ? message.event : '', properties)
      putDeepLink(event, message.event, properties)
      // a consent manager reports a person's answer: it is stored, but no channel gets the event
      if (message.event === 'Segment Consent Preference Updated') event.providers = { all: false }
      const ids = putUser(reading)
      if (keys.email === undefined) put(event, 'userEmail', textOf(properties.email))
      return ids
    },
  ],
  [
    'page',
    (reading) => {
      const { url, title, referrer, search, ...properties } = fieldsOf(reading.message.properties)
      reading.event.eventName = 'PageView'
      reading.event.data = namedData(reading, properties)
      putPage(reading.event, { url, title, referrer, search })
      return putUser(reading)
    },
  ],
  [
    'screen',
    (reading) => {
      reading.event.eventName = 'ScreenView'
      reading.event.data = namedData(reading, fieldsOf(reading.message.properties))
      return putUser(reading)
    },
  ],
  ['identify', (reading) => readIdentify(reading)],
  [
    'group',
    (reading) => {
      const data = { ...fieldsOf(reading.message.traits) }
      put(data, 'groupId', textOf(reading.message.groupId))
      reading.event.eventName = 'Group'
      reading.event.data = data
      return putUser(reading)
    },
  ],
  ['alias', (reading) => readAlias(reading)],
])

function readIdentify({ message, context, event, keys, own }: Reading): Ids {
  const ids = idsOf(message.anonymousId, message.userId, 'user')
  if (ids.userId !== undefined) keys.customerId = ids.userId
  readTraits(fieldsOf(message.traits), keys, own)
  readTraits(fieldsOf(context.traits), keys, own)
  event.eventName = 'user'
  event.data = { ...own, ...keys }
  return ids
}

function readAlias({ message, event, notes }: Reading): Ids {
  const ids = idsOf(message.previousId, message.userId, 'user')
  if (!ids.deviceId || !ids.userId) notes.push('an alias without previousId or userId is ignored')
  event.eventName = 'user'
  event.data = ids.userId === undefined ? {} : { customerId: ids.userId }
  return ids
}

/** A message of an unknown type becomes an event of that name. */
function readUnknown(reading: Reading, type: string): Ids {
  const {
    type: _,
    context: __,
    messageId,
    timestamp,
    originalTimestamp,
    sentAt,
    anonymousId,
    userId,
    writeKey,
    ...data
  } = reading.message
  reading.event.data = data
  reading.notes.push(`the type ${quoted(type)} is not track, page, identify, group, alias or screen`)
  return putUser(reading)
}
