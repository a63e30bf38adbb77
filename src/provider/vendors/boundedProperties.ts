import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'

/**
 * A vendor's limits on custom properties. A property that exceeds a limit is omitted, the others are kept. The provider
 * chooses the property names: its own, `snakeCaseProperties` below, or `eventProperties.ts` (most vendors without names
 * of their own).
 */
type PropertyLimits = {
  maxCount?: number
  /** The maximum number of texts, of numbers, of booleans, and of lists and objects together. */
  maxCountOfType?: number
  maxKeyLength?: number
  /** Longer texts are truncated. UTF-16 units. */
  maxTextLength?: number
  /** The maximum size of all properties together as JSON, in UTF-8 bytes. */
  maxBytes?: number
  /** A list that exceeds `maxBytes` keeps its first rows that fit, so that a large cart does not lose all items. */
  cutsLists?: true
  /** Characters that a name must not contain. Each is replaced by `_`. */
  notInKey?: RegExp
  /** Names that the vendor reserves. */
  reserved?: RegExp
  /** How lists and objects are sent. Default: unchanged. `text`: as JSON text. */
  nested?: 'omit' | 'text'
}

/** The size of a value as JSON, in UTF-8 bytes. */
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

function fitted(value: unknown, { maxTextLength = Number.POSITIVE_INFINITY, nested }: PropertyLimits): unknown {
  if (typeof value !== 'object') return truncate(value, maxTextLength)
  if (nested === undefined || value === null) return value ?? undefined
  const text = nested === 'text' ? JSON.stringify(value) : undefined
  return text && text.length <= maxTextLength ? text : undefined
}

/** The value if it fits into `room` bytes of JSON. Undefined otherwise. */
function withinRoom(value: unknown, room: number, cutsLists: boolean): unknown {
  if (room === Number.POSITIVE_INFINITY) return value
  if (cutsLists && Array.isArray(value)) return room < 2 ? undefined : firstWithin(value, room - 2)
  return jsonBytes(value) <= room ? value : undefined
}

/** The properties within the vendor's limits. Earlier properties have priority. */
export function boundedProperties(properties: object, limits: PropertyLimits): Record<string, unknown> {
  const { maxCount, maxKeyLength, notInKey, reserved, cutsLists = false } = limits
  const { maxCountOfType = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = limits
  const isBounded = maxBytes !== Number.POSITIVE_INFINITY
  const kept = new Map<string, unknown>()
  const counts = new Map<string, number>()
  let leftBytes = maxBytes - 2
  for (const [name, given] of Object.entries(properties)) {
    if (kept.size === maxCount) break
    const key = notInKey ? name.replace(notInKey, '_') : name
    const whole = fitted(given, limits)
    if (whole === undefined || !key || kept.has(key) || key.length > (maxKeyLength ?? key.length)) continue
    if (reserved?.test(key)) continue
    const room = isBounded ? leftBytes - jsonBytes(key) - 2 : maxBytes
    const value = withinRoom(whole, room, cutsLists)
    const count = (counts.get(typeof value) ?? 0) + 1
    if (value === undefined || count > maxCountOfType) continue
    counts.set(typeof value, count)
    if (isBounded) leftBytes = room - jsonBytes(value)
    kept.set(key, value)
  }
  return Object.fromEntries(kept)
}

/** The first rows that fit into this many bytes as JSON, in UTF-8. */
export function firstWithin<T>(rows: readonly T[], maxBytes: number): readonly T[] {
  let leftBytes = maxBytes
  const end = rows.findIndex((row) => {
    leftBytes -= jsonBytes(row) + 1
    return leftBytes < 0
  })
  return end < 0 ? rows : rows.slice(0, end)
}

const withoutUndefined = (members: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** The customer's own members of `data`: all except members of the contract and members that identify a person. */
const customData = ({ data }: Pick<RequestContext, 'data'>) =>
  remainingData(
    data,
    'value',
    'currency',
    'contents',
    'orderId',
    'search',
    'tax',
    'shipping',
    'discount',
    'valueBeforeDiscount',
    'discounts',
    'checkoutUrl',
  )

/** The vendor's own fields, then the customer's. A vendor's field wins over a member of `data` with the same name. */
export const withCustomData = (fields: object, context: Pick<RequestContext, 'data'>): Record<string, unknown> => {
  const known = withoutUndefined(fields)
  return { ...known, ...customData(context), ...known }
}

function contractProperties({ event, data, coupon, value }: RequestContext) {
  const { tax, shipping, discount, search, checkoutUrl: checkout_url } = data
  const order = { order_id: data.orderId, value, currency: data.currency, tax, shipping, discount, coupon }
  const page = { page_url: event.pageUrl, page_title: event.pageTitle, referrer: event.referrer }
  return { ...order, search, checkout_url, ...page }
}

/** The properties of an event without its items, in snake case, for vendors that define no names. */
export const snakeCaseProperties = (context: RequestContext): Record<string, unknown> =>
  withCustomData(contractProperties(context), context)

/** An item in snake case, for vendors that define no names. `price`: the price of one unit. */
export const snakeCaseItem = ({ id, title, item_price, image, variantId, ...item }: EventItem) => ({
  product_id: id,
  variant_id: variantId,
  sku: item.sku,
  name: title,
  brand: item.brand,
  category: item.category,
  price: item_price,
  quantity: item.quantity,
  url: item.url,
  image_url: image,
})

/** `snakeCaseProperties` with the fields of the first item, for vendors whose properties cannot hold lists. */
export const propertiesWithFirstItem = (context: RequestContext): Record<string, unknown> => {
  const [first] = context.items
  return first
    ? withCustomData({ ...contractProperties(context), ...snakeCaseItem(first) }, context)
    : snakeCaseProperties(context)
}
