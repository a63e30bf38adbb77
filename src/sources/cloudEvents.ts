import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { badRequest } from '#contract/fault.ts'
import { isRecord } from '#contract/isRecord.ts'
import { percentDecoded } from '#contract/percentDecoded.ts'
import type { Issue } from '#contract/schema.ts'
import { isStandardEvent } from '#contract/standardEvents.ts'
import { parseJson } from '#event/parseBody.ts'
import { readWithinLimits, refuseTooManyMessages } from './messageLimits.ts'
import type { Source, SourceEvent, SourceInput, SourceRequest } from './source.ts'
import { correctedTime, type Fields, fieldsOf, put, textOf, timeOf } from './values.ts'

/**
 * CloudEvents 1.0 by HTTP: one event in the headers (binary), one as JSON (structured), or an array (batch).
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
 */
export const cloudEvents: Source = {
  name: 'cloudEvents',
  methodsOf: (path) => (path === '/cloudevents' ? ['POST'] : undefined),
  keyOf: ({ headers, query }) => textOf(headers.authorization) ?? textOf(query.get('access_token')),
  corsHeaders: ['ce-id', 'ce-source', 'ce-specversion', 'ce-type', 'ce-time', 'ce-subject'],
  optionsHeaders,
  read: (input) =>
    messagesOf(input).map((attributes) =>
      readWithinLimits(attributes, attributes.id, () => readCloudEvent(attributes, input)),
    ),
  answer: (results) => ({ status: 200, body: JSON.stringify({ result: results }) }),
}

/**
 * Grants the permission that a sender requests before it delivers.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/http-webhook.md#4-abuse-protection
 */
function optionsHeaders({ headers }: SourceRequest): Record<string, string> {
  const origin = headers['webhook-request-origin']
  if (typeof origin !== 'string' || !/^[A-Za-z0-9.*-]{1,253}$/.test(origin)) return {}
  const rate = headers['webhook-request-rate'] === undefined ? {} : { 'webhook-allowed-rate': '*' }
  return { 'webhook-allowed-origin': origin, ...rate }
}

/** The attributes of each event, with its `data`. */
function messagesOf({ headers, body }: SourceInput): Fields[] {
  const type = (headers['content-type'] ?? '').toLowerCase()
  if (type.startsWith('application/cloudevents-batch')) {
    const batch = parseJson(body)
    if (!Array.isArray(batch)) throw badRequest({ path: '', message: 'must be array' })
    refuseTooManyMessages(batch.length)
    return batch.map(fieldsOf)
  }
  if (type.startsWith('application/cloudevents')) return [fieldsOf(parseJson(body))]
  if (headers['ce-specversion'] === undefined)
    throw badRequest({
      path: '',
      message: 'is not a CloudEvent: it has neither the CloudEvents content type nor the header ce-specversion',
    })
  return [{ ...headerAttributes(headers), ...binaryData(body, type) }]
}

/** The attributes in headers `ce-…`, whose values are percent-encoded. */
function headerAttributes(headers: IncomingHttpHeaders): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (name.startsWith('ce-') && name.length < 100 && typeof value === 'string')
      attributes[name.slice(3)] = percentDecoded(value)
  }
  return attributes
}

const jsonType = /^(?:application|text)\/(?:[a-z0-9.!#$&^_-]{1,60}\+)?json(?:\s*;|$)/

function binaryData(body: Buffer, type: string): Fields {
  if (body.length === 0) return {}
  if (type === '' || jsonType.test(type)) return { data: parseJson(body) }
  return isUtf8(body) ? { data: body.toString() } : { data_base64: body.toString('base64') }
}

const attributeNames: ReadonlySet<string> = new Set(
  'specversion id source type time datacontenttype data data_base64 userid deviceid useremail'.split(' '),
)

/** The attributes that every event must have. */
function issuesOf(attributes: Fields): Issue[] {
  const issues = ['id', 'source', 'type'].flatMap((path) =>
    textOf(attributes[path]) === undefined ? [{ path, message: 'is required' }] : [],
  )
  return attributes.specversion === '1.0' ? issues : [...issues, { path: 'specversion', message: 'must be 1.0' }]
}

const maxIdLength = 500

/** Source and id together identify an event. */
function eventIdOf({ source, id }: Fields): string {
  const text = `${textOf(source)}#${textOf(id)}`
  return text.length <= maxIdLength ? text : `ce-${createHash('sha256').update(text).digest('hex')}`
}

/** A type, or its last part, that is a standard event: `com.example.Purchase`. Any other type is the event name. */
function eventNameOf(type: string): string {
  const last = type.slice(type.lastIndexOf('.') + 1)
  return isStandardEvent(last) ? last : type
}

function readCloudEvent(attributes: Fields, { brand: _, trusted: __, receivedAt }: SourceInput): SourceEvent {
  const issues = issuesOf(attributes)
  const time = correctedTime({ at: timeOf(attributes.time), sentAt: undefined }, receivedAt)
  const { payload, note } = payloadOf(attributes)
  const userId = textOf(attributes.userid)
  const deviceId = textOf(attributes.deviceid)
  const notes = [...(time.note ? [time.note] : []), ...(note ? [note] : [])]
  const event: Record<string, unknown> = {
    ...payload,
    eventName: textOf(payload.eventName) ?? eventNameOf(textOf(attributes.type) ?? ''),
    eventId: issues.length > 0 ? textOf(attributes.id) : eventIdOf(attributes),
    timestamp: time.timestamp,
    source: sourceOf(attributes, userId, notes),
  }
  put(event, 'userEmail', textOf(attributes.useremail))
  put(event, 'userCustomerId', userId)
  return {
    ...(deviceId !== undefined && { deviceId }),
    ...(issues.length > 0 && { issues }),
    event,
  }
}

/** The payload is an event in our format if it has `eventName`, otherwise the `data` of an event. */
function payloadOf({ data, data_base64 }: Fields): { payload: Record<string, unknown>; note?: string } {
  if (isRecord(data) && textOf(data.eventName) !== undefined) return { payload: { ...data } }
  if (isRecord(data)) return { payload: { data } }
  const content = data ?? data_base64
  if (content === undefined || content === null) return { payload: {} }
  return { payload: { data: { payload: content } }, note: 'its data is not an object; it is stored in data.payload' }
}

/** The attributes that have no field in our events, including extensions. */
function sourceOf(attributes: Fields, userId: string | undefined, notes: readonly string[]): Record<string, unknown> {
  const source: Record<string, unknown> = { name: 'cloudEvents', type: attributes.type, origin: attributes.source }
  put(source, 'userId', userId)
  if (notes.length > 0) source.notes = notes
  const others = Object.entries(attributes).filter(([name]) => !attributeNames.has(name))
  if (others.length > 0) source.attributes = Object.fromEntries(others)
  return source
}
