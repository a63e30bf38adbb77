import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { withoutFloatError } from '#contract/eventValue.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { equalBytes } from '#kit/cipher.ts'
import { exceededBound } from '#kit/json.ts'
import type { OpenShop } from '#tag/shop.ts'
import { consentOf, storageWith } from './consentCategories.ts'
import { type PersonKeys, putPerson } from './personKeys.ts'
import type { ShopMessage, ShopOrder, SourceEvent } from './source.ts'
import { amountOf, type Fields, fieldsOf, listOf, put, textOf } from './values.ts'

const digestLength = 32

/** True if a base64 text is the HMAC-SHA-256 of the bytes under one of the keys. False without a key. */
export function isHmacOf(
  bytes: Buffer | string,
  given: string | undefined,
  keys: readonly (string | Buffer | undefined)[],
) {
  const digest = Buffer.from(given ?? '', 'base64')
  if (digest.length !== digestLength) return false
  // tries every key, so that timing does not reveal which one matches
  const matches = keys.map(
    (key) =>
      key !== undefined && key.length > 0 && equalBytes(createHmac('sha256', key).update(bytes).digest(), digest),
  )
  return matches.includes(true)
}

export const webhookKeys = ({ secrets }: OpenShop) => [secrets.WEBHOOK_KEY, secrets.PREVIOUS_WEBHOOK_KEY]

export const headerOf = (headers: IncomingHttpHeaders, ...names: string[]): string | undefined =>
  names.map((name) => textOf(headers[name])).find((value) => value !== undefined)

/** A JSON object whose ids are texts. Throws jsonBroken. */
export const parseShopJson = (body: Buffer): Fields => fieldsOf(parseShopValue(body.toString()))

/** An order of 500 lines has about 75,000 values. Checked before parsing, which would delay every other request. */
const bounds = { levels: 100, values: 100_000 }
/** Cannot match inside a JSON string, because quotation marks there follow a backslash. */
const numericId = /((?<!\\)"(?:id|\w{1,60}_id)"\s{0,20}:\s{0,20})(\d{1,40})(?=[\s,}])/g

/** JSON whose ids are texts: a number above 2^53 would lose digits. Throws jsonBroken and badRequest. */
export function parseShopValue(text: string): unknown {
  const exceeded = exceededBound(text, bounds)
  if (exceeded !== undefined) throw badRequest({ path: '', message: `has more than ${bounds[exceeded]} ${exceeded}` })
  try {
    return JSON.parse(text.replace(numericId, '$1"$2"'))
  } catch {
    throw fault('jsonBroken')
  }
}

/**
 * The digest of the checkout token, which only the two halves of a purchase have. It is hashed because people who may
 * not open the checkout can see events.
 */
export const joinOf = (source: string, token: string): string =>
  createHash('sha256').update(`${source} checkout ${token}`).digest('hex').slice(0, 32)

export const purchaseIdOf = (orderId: string): string => `purchase-${orderId}`
export const checkoutIdOf = (join: string): string => `checkout-${join}`

export const sumOf = (values: readonly (number | undefined)[]): number =>
  withoutFloatError(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))

export const aliasesOf = (orderId: string, ...ids: (string | undefined)[]): string[] =>
  [...new Set(ids)].filter((id): id is string => id !== undefined && id !== orderId && id.length <= 200).slice(0, 10)

const maxCookies = 30
const maxValueLength = 2_000
const userIdForm = /^(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,128}$/

/** A user id that the shop's page stored with the order. */
export const visitorOf = (value: unknown): string | undefined =>
  typeof value === 'string' && userIdForm.test(value) ? value : undefined

/**
 * Click ids and cookies that the page stored with the order: `_gclid` is the parameter `gclid`, `_fbp` is the cookie of
 * that name.
 */
export function cookiesOf(entries: Iterable<readonly [name: unknown, value: unknown]>): Record<string, string> {
  const found: Record<string, string> = {}
  let room = maxCookies
  for (const [name, value] of entries) {
    if (typeof name !== 'string' || !/^_[A-Za-z]\w{0,60}$/.test(name) || name.startsWith('_aglet')) continue
    if (typeof value !== 'string' || value === '' || value.length > maxValueLength || room-- === 0) continue
    found[name] = value
    found[name.slice(1)] = value
  }
  return found
}

/**
 * Converts the answers of a consent interface to the consent of an event. Refusing the sale of data has the same effect
 * as `Sec-GPC: 1`.
 */
export function shopConsent(answers: Fields): Record<string, boolean> | undefined {
  const names = { analytics: 'analytics', marketing: 'advertising', preferences: 'functional', saleOfData: 'share_pii' }
  const choices = Object.entries(names).flatMap(([name, category]) =>
    typeof answers[name] === 'boolean' ? [[category, answers[name]] as const] : [],
  )
  return consentOf(answers.saleOfData === false ? [...choices, ['advertising', false]] : choices).map
}

/** Consent that the page stored with the order, as JSON. Undefined for anything else. */
export function storedAnswers(text: unknown): Record<string, boolean> | undefined {
  if (typeof text !== 'string' || text.length > 500) return undefined
  try {
    return shopConsent(fieldsOf(JSON.parse(text)))
  } catch {
    return undefined
  }
}

type PurchaseParts = {
  id: string
  join: string | undefined
  timestamp: number
  data: Record<string, unknown>
  person: PersonKeys
  visitor: string | undefined
  consent: Record<string, boolean> | undefined
  cookies: Record<string, string>
  device: {
    ip: string | undefined
    userAgent: string | undefined
    pageUrl: string | undefined
    referrer: string | undefined
  }
}

export function purchaseData(row: ShopOrder, coupons: unknown, contents: readonly Fields[]): Record<string, unknown> {
  const codes = listOf(coupons).flatMap(({ code }) => textOf(code) ?? [])
  const data: Record<string, unknown> = { orderId: row.orderId, value: row.value, currency: row.currency }
  for (const field of ['tax', 'shipping', 'discount'] as const) put(data, field, row[field])
  if (codes.length > 0) data.discounts = codes.slice(0, 20).map((code) => ({ code }))
  return { ...data, contents }
}

/** An order of a shop that sends the same message for each change. It is a purchase if it was placed, or paid. */
export function orderMessage(
  shop: OpenShop,
  order: ShopOrder,
  purchase: SourceEvent,
  refunds: () => SourceEvent[],
): ShopMessage {
  if (!shop.salesChannels.includes(order.salesChannel!))
    return { order, events: [], ignored: `an order of the sales channel ${order.salesChannel}` }
  const isSent = order.status === 'paid' || (order.status === 'placed' && shop.purchaseOn === 'create')
  return { order, purchase, events: [...(isSent ? [purchase] : []), ...(shop.sendRefunds ? refunds() : [])] }
}

export function purchaseEvent(source: string, brand: string, parts: PurchaseParts): SourceEvent {
  const { device, visitor, join } = parts
  const more = Object.keys(parts.cookies).length > 0 ? { data: { [source]: parts.cookies } } : {}
  const event: Record<string, unknown> = {
    eventName: 'Purchase',
    eventId: purchaseIdOf(parts.id),
    timestamp: parts.timestamp,
    data: parts.data,
    storage: storageWith(brand, parts.consent, more),
    source: { name: source, type: 'webhook', ...(join !== undefined && { join }) },
  }
  for (const field of ['ip', 'userAgent', 'pageUrl', 'referrer'] as const) put(event, field, device[field])
  putPerson(event, parts.person)
  return { ...(visitor !== undefined && { userId: visitor }), event }
}

/** A refund of an order: the event of its purchase with another name, amount and time. */
export function refundEvent(
  { event, ...user }: SourceEvent,
  refund: { id: string; timestamp: number; value: number; currency: unknown; contents: readonly object[] },
): SourceEvent {
  const { orderId, currency } = fieldsOf(event.data)
  const { join: _, ...source } = fieldsOf(event.source)
  return {
    ...user,
    event: {
      ...event,
      eventName: 'Refund',
      eventId: `refund-${refund.id}`,
      timestamp: refund.timestamp,
      source,
      data: {
        orderId,
        value: refund.value,
        currency: textOf(refund.currency) ?? currency,
        ...(refund.contents.length > 0 && { contents: refund.contents }),
      },
    },
  }
}

/** The product id that the shop's feeds give to vendors. */
export const productIdBy = (
  { productIdFrom }: OpenShop,
  ids: { product: string | undefined; variant: string | undefined; sku: string | undefined },
): string | undefined => ids[productIdFrom] ?? ids.product ?? ids.variant ?? ids.sku

/** An amount that is not negative; undefined for anything else. */
export const sumIn = (value: unknown): number | undefined => {
  const amount = amountOf(value)
  return amount === undefined || amount < 0 ? undefined : amount
}
