import { badRequest } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import { parseJson } from '#event/parseBody.ts'
import { newId } from '#kit/id.ts'
import { consentOf, storageWith } from './consentCategories.ts'
import { isWithinLimits, readWithinLimits, refuseTooManyMessages } from './messageLimits.ts'
import { consentChoices, type Described, describedEvent, describedOf, productOf } from './snowplowEvents.ts'
import type { Source, SourceEvent, SourceInput } from './source.ts'
import { amountOf, correctedTime, type Fields, fieldsOf, put, quoted, textOf, timeOf } from './values.ts'

/**
 * Snowplow's tracker protocol: POST of several payloads (`tp2`), GET of one (`/i`).
 * https://docs.snowplow.io/docs/events/going-deeper/http-requests/
 */
export const snowplow: Source = {
  name: 'snowplow',
  hasEncodedJson: true,
  methodsOf: (path) => (path === '/i' ? ['GET'] : path === postPath ? ['POST'] : undefined),
  keyOf({ headers }) {
    const basic = /^Basic ([A-Za-z0-9+/=_-]{1,400})$/i.exec(headers.authorization ?? '')?.[1]
    return basic ? textOf(Buffer.from(basic, 'base64').toString().split(':', 1)[0]) : textOf(headers.authorization)
  },
  corsHeaders: ['sp-anonymous'],
  read: (input) => readPayloads(payloadsOf(input), input),
  answer: (_, { path }) =>
    path === '/i'
      ? { status: 200, headers: { 'content-type': 'image/gif' }, body: pixel }
      : { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' },
}

const postPath = '/com.snowplowanalytics.snowplow/tp2'
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

function payloadsOf({ path, query, body }: SourceInput): Fields[] {
  if (path === '/i') return [Object.fromEntries(query)]
  const { data } = fieldsOf(parseJson(body))
  if (!Array.isArray(data)) throw badRequest({ path: 'data', message: 'must be array' })
  refuseTooManyMessages(data.length)
  return data.map(fieldsOf)
}

/** The items of a request's legacy transactions, by transaction id. */
type LegacyItems = Map<string, Fields[]>

type Reading = { payload: Fields; items: LegacyItems; notes: string[]; issues: Issue[] }

function readPayloads(payloads: readonly Fields[], input: SourceInput): SourceEvent[] {
  const items: LegacyItems = Map.groupBy(
    payloads.filter(({ e, ti_id }) => e === 'ti' && textOf(ti_id) !== undefined),
    ({ ti_id }) => textOf(ti_id)!,
  )
  return payloads.map((payload) =>
    readWithinLimits(payload, payload.eid, () => readPayload({ payload, items, notes: [], issues: [] }, input)),
  )
}

function readPayload(reading: Reading, { trusted, brand, receivedAt }: SourceInput): SourceEvent {
  const { payload, notes, issues } = reading
  const type = textOf(payload.e) ?? ''
  const entities = entitiesOf(reading)
  const time = correctedTime({ at: timeOf(payload.ttm ?? payload.dtm), sentAt: timeOf(payload.stm) }, receivedAt)
  if (time.note) notes.push(time.note)
  const { eventName, data, choices = [] } = (types.get(type) ?? unknownType)(reading, entities)
  const consent = consentOf(choices)
  const userId = textOf(payload.uid)
  const deviceId = textOf(payload.duid) ?? textOf(payload.tnuid) ?? textOf(payload.nuid)
  notes.push(...consent.notes)
  const event: Record<string, unknown> = {
    eventName,
    eventId: payload.eid === undefined ? newId('evt', receivedAt) : textOf(payload.eid),
    timestamp: time.timestamp,
    data:
      entities.length > 0
        ? { ...data, entities: entities.map((each) => ({ name: each.name, data: each.data })) }
        : data,
    storage: storageWith(brand, consent.map, {}),
    source: { name: 'snowplow', type, ...(userId !== undefined && { userId }), ...(notes.length > 0 && { notes }) },
  }
  put(event, 'pageUrl', textOf(payload.url))
  put(event, 'pageTitle', textOf(payload.page))
  put(event, 'referrer', textOf(payload.refr))
  if (trusted) {
    put(event, 'ip', textOf(payload.ip))
    put(event, 'userAgent', textOf(payload.ua))
  }
  const person = entities.find(({ name }) => name === 'user')
  put(event, 'userEmail', textOf(person?.data.email))
  put(event, 'userCustomerId', userId)
  return {
    ...(deviceId !== undefined && { deviceId }),
    ...(issues.length > 0 && { issues }),
    event,
  }
}

type Named = { eventName: string; data: Record<string, unknown>; choices?: [string, boolean][] }
type ReadType = (reading: Reading, entities: readonly Described[]) => Named

/** JSON in a field of a payload, in plain text or base64url. Undefined, with a note, for anything else. */
function jsonOf({ payload, notes }: Reading, clear: string, encoded: string): unknown {
  const plain = textOf(payload[clear])
  const bytes = textOf(payload[encoded])
  if (plain === undefined && bytes === undefined) return undefined
  const field = plain === undefined ? encoded : clear
  try {
    const value = parseJson(plain === undefined ? Buffer.from(bytes!, 'base64') : Buffer.from(plain))
    if (isWithinLimits(value)) return value
    notes.push(`its field ${field} is nested deeper or has more keys than an event may have`)
  } catch {
    notes.push(`its field ${field} is not JSON`)
  }
  return undefined
}

/** The entities (contexts) of an event. */
function entitiesOf(reading: Reading): Described[] {
  const { data } = fieldsOf(jsonOf(reading, 'co', 'cx'))
  return Array.isArray(data) ? data.flatMap((each) => describedOf(each) ?? []) : []
}

function readDescribed(reading: Reading, entities: readonly Described[]): Named {
  const described = describedOf(fieldsOf(jsonOf(reading, 'ue_pr', 'ue_px')).data)
  if (described) return { ...describedEvent(described, entities), choices: consentChoices(described) }
  reading.issues.push({ path: 'ue_pr', message: 'must be a self-describing event, as JSON or as ue_px in base64' })
  return { eventName: '', data: {} }
}

const legacyItem = ({ ti_sk: sku, ti_nm: name, ti_ca: category, ti_pr: price, ti_qu: quantity }: Fields) =>
  productOf(defined({ sku, name, category, price, quantity }))

/** Only the first transaction with an id gets its items: copies in further ones could exceed the size of the body. */
function takeItems(items: LegacyItems, transactionId = ''): object[] {
  const found = items.get(transactionId) ?? []
  items.delete(transactionId)
  return found.map(legacyItem)
}

const defined = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

function readTransaction({ payload, items }: Reading): Named {
  const data: Record<string, unknown> = {}
  put(data, 'orderId', textOf(payload.tr_id))
  put(data, 'value', amountOf(payload.tr_tt))
  put(data, 'tax', amountOf(payload.tr_tx))
  put(data, 'shipping', amountOf(payload.tr_sh))
  put(data, 'currency', textOf(payload.tr_cu))
  put(data, 'affiliation', textOf(payload.tr_af))
  const contents = takeItems(items, textOf(payload.tr_id))
  if (contents.length > 0) data.contents = contents
  return { eventName: 'Purchase', data }
}

/** The action names a structured event. */
const readStructured: ReadType = ({ payload }) => ({
  eventName: textOf(payload.se_ac) ?? '',
  data: defined({
    category: textOf(payload.se_ca),
    label: textOf(payload.se_la),
    property: textOf(payload.se_pr),
    value: amountOf(payload.se_va),
  }),
})

const types: ReadonlyMap<string, ReadType> = new Map<string, ReadType>([
  ['pv', () => ({ eventName: 'PageView', data: {} })],
  ['pp', () => ({ eventName: 'page_ping', data: {} })],
  ['ue', readDescribed],
  ['se', readStructured],
  ['tr', readTransaction],
  [
    'ti',
    ({ payload }) => ({ eventName: 'transaction_item', data: { orderId: payload.ti_id, ...legacyItem(payload) } }),
  ],
])

/** A payload of an unknown type becomes an event of that name. */
const unknownType: ReadType = ({ payload, notes }) => {
  const { e, ...data } = payload
  const name = textOf(e) ?? ''
  notes.push(`the type ${quoted(name)} is not pv, pp, ue, se, tr or ti`)
  return { eventName: name, data }
}
