import { badRequest } from '#contract/fault.ts'
import { parseJson } from '#event/parseBody.ts'
import { newId } from '#kit/id.ts'
import { contextConsent, storageWith } from './consentCategories.ts'
import { personFields, personKeys } from './personKeys.ts'
import { trackedEvent } from './segmentCommerce.ts'
import { selectedProviders } from './segmentIntegrations.ts'
import type { Source, SourceEvent, SourceInput, SourceRequest } from './source.ts'
import { correctedTime, defined, type Fields, fieldsOf, firstText, quoted, textOf, timeOf } from './values.ts'

/**
 * Segment's tracking API, which the SDKs of Segment, RudderStack and Jitsu speak.
 * https://segment.com/docs/connections/sources/catalog/libraries/server/http-api/
 */
export const segment: Source = {
  name: 'segment',
  methodsOf: (path) => (callOf(path) ? ['POST'] : undefined),
  keyOf,
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

/** The write key: the user name of HTTP Basic, `X-Write-Key` without a secret part, or `?writeKey=`. */
function keyOf({ headers, query }: SourceRequest): string | undefined {
  const basic = /^Basic ([A-Za-z0-9+/=_-]{1,400})$/i.exec(headers.authorization ?? '')?.[1]
  const name = basic && Buffer.from(basic, 'base64').toString().split(':', 1)[0]
  const header = headers['x-write-key']
  return textOf(name) ?? textOf(header) ?? textOf(query.get('writeKey')) ?? textOf(headers.authorization)
}

function readMessages(input: SourceInput): SourceEvent[] {
  const body = fieldsOf(parseJson(input.body))
  const call = callOf(input.path)!
  const sentAt = timeOf(body.sentAt)
  if (call !== 'batch') return [readMessage({ ...body, type: body.type ?? call }, { sentAt, input })]
  if (!Array.isArray(body.batch)) throw badRequest({ path: 'batch', message: 'must be array' })
  const shared = body.context === undefined ? undefined : fieldsOf(body.context)
  return body.batch.map((each) => {
    const message = fieldsOf(each)
    const context = shared ? { context: { ...shared, ...fieldsOf(message.context) } } : {}
    return readMessage({ ...message, ...context }, { sentAt: timeOf(message.sentAt) ?? sentAt, input })
  })
}

type Sending = { sentAt: number | undefined; input: SourceInput }

/** One message as our event; `notes` tell what is not mapped. */
function readMessage(message: Fields, { sentAt, input }: Sending): SourceEvent {
  const { brand, receivedAt } = input
  const context = fieldsOf(message.context)
  const type = textOf(message.type) ?? ''
  const time = correctedTime({ at: timeOf(message.originalTimestamp ?? message.timestamp), sentAt }, receivedAt)
  const consent = contextConsent(context)
  const integrations = selectedProviders(fieldsOf(message.integrations))
  const {
    kind,
    deviceId,
    userId,
    kv,
    notes = [],
    ...event
  } = (contents[type as MessageType] ?? unknownType)(message, {
    context,
    type,
  })
  const ids = { ...(deviceId !== undefined && { deviceId }), ...(userId !== undefined && { userId }) }
  const allNotes = [...(time.note ? [time.note] : []), ...notes, ...consent.notes, ...integrations.notes]
  return {
    ...(kind && { kind }),
    ...ids,
    event: {
      ...pageOf(fieldsOf(context.page)),
      ...visitorOf(context, input),
      ...event,
      ...(integrations.providers && { providers: integrations.providers }),
      eventId: message.messageId === undefined ? newId('evt', receivedAt) : textOf(message.messageId),
      timestamp: time.timestamp,
      storage: storageWith(brand, consent.map, kv && { kv }),
      source: {
        name: 'segment',
        type,
        ...(userId !== undefined && { userId }),
        ...(allNotes.length > 0 && { notes: allNotes }),
      },
    },
  }
}

/** What a message says besides its time, consent and channels. `kv`: keys of the user that are not the standard ones. */
type Content = Record<string, unknown> &
  Pick<SourceEvent, 'kind' | 'deviceId' | 'userId'> & { kv?: Fields; notes?: string[] }
type ReadContent = (message: Fields, of: { context: Fields; type: string }) => Content

const idsOf = ({ anonymousId, userId }: Fields): Pick<SourceEvent, 'deviceId' | 'userId'> =>
  defined({ deviceId: textOf(anonymousId), userId: textOf(userId) })

/** The user of an event: ids, and the traits that came along. */
function userOf(message: Fields, { traits }: Fields): Content {
  const ids = idsOf(message)
  const { keys, own } = personKeys(fieldsOf(traits))
  const kv = { ...own, ...(ids.userId !== undefined && { userId: ids.userId }) }
  return { ...ids, ...personFields(keys), ...(Object.keys(kv).length > 0 && { kv }) }
}

const pageOf = ({ url, title, referrer, search }: Fields) =>
  defined({ pageUrl: textOf(url), pageTitle: textOf(title), referrer: textOf(referrer), search: textOf(search) })

/** The visitor's device, which only a server with the key of the source may name. */
const visitorOf = ({ ip, userAgent }: Fields, { trusted }: SourceInput) =>
  trusted ? defined({ ip: textOf(ip), userAgent: textOf(userAgent) }) : {}

const contents: Readonly<Record<MessageType, ReadContent>> = {
  track(message, { context }) {
    const properties = fieldsOf(message.properties)
    const { eventName, data } = trackedEvent(typeof message.event === 'string' ? message.event : '', properties)
    const { keys } = personKeys({ email: properties.email, phone: properties.phone })
    return { ...personFields(keys), ...userOf(message, context), eventName, data }
  },
  page(message, { context }) {
    const { url, title, referrer, search, ...properties } = fieldsOf(message.properties)
    const data = { ...properties, ...defined({ name: textOf(message.name), category: textOf(message.category) }) }
    const page = pageOf({ url, title, referrer, search })
    return { ...userOf(message, context), ...page, eventName: 'PageView', data }
  },
  screen(message, { context }) {
    const name = firstText(message.name, message.event)
    const data = { ...fieldsOf(message.properties), ...defined({ name, category: textOf(message.category) }) }
    return { ...userOf(message, context), eventName: 'ScreenView', data }
  },
  identify(message, { context }) {
    const ids = idsOf(message)
    const { keys, own } = personKeys({ ...fieldsOf(context.traits), ...fieldsOf(message.traits) })
    return { ...ids, kind: 'user', eventName: 'user', data: { ...own, ...keys, ...defined({ userId: ids.userId }) } }
  },
  group(message, { context }) {
    const data = { ...fieldsOf(message.traits), ...defined({ groupId: textOf(message.groupId) }) }
    return { ...userOf(message, context), eventName: 'Group', data }
  },
  alias(message) {
    const { deviceId, userId } = idsOf({ anonymousId: message.previousId, userId: message.userId })
    const notes = deviceId && userId ? [] : ['an alias without previousId and userId joins nothing']
    return { ...defined({ deviceId, userId }), kind: 'user', eventName: 'user', data: defined({ userId }), notes }
  },
}

/** A message of another type is kept as an event of that name. */
const unknownType: ReadContent = (message, { context, type }) => {
  const {
    type: _,
    context: __,
    messageId,
    timestamp,
    originalTimestamp,
    sentAt,
    anonymousId,
    userId,
    ...data
  } = message
  const notes = [`the type ${quoted(type)} is none of track, page, identify, group, alias and screen`]
  return { ...userOf(message, context), eventName: type, data, notes }
}
