import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { totalQuantity } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { jsonBytes } from './boundedProperties.ts'
import { type FlatValue, isFlat, joinedTexts } from './eventFields.ts'

/** The members whose JSON together has at most `maxBytes`: the first that fit. A list keeps its first rows that fit. */
export function withinBytes(
  members: Readonly<Record<string, unknown>>,
  maxBytes: number,
): Readonly<Record<string, unknown>> {
  if (jsonBytes(members) <= maxBytes) return members
  let left = maxBytes - 2
  const takes = (bytes: number): boolean => {
    if (bytes > left) return false
    left -= bytes
    return true
  }
  const kept: [string, unknown][] = []
  for (const [name, value] of Object.entries(members)) {
    const isList = Array.isArray(value)
    const isKept = value !== undefined && takes(jsonBytes(name) + 2 + (isList ? 2 : jsonBytes(value)))
    if (isKept) kept.push([name, isList ? value.filter((row) => takes(jsonBytes(row) + 1)) : value])
  }
  return Object.fromEntries(kept)
}

/** An item for vendors that define no fields of items. `price`: of one piece. */
export const eventItem = ({ id, title, variantId, item_price, image, ...item }: EventItem) => ({
  id,
  name: title,
  price: item_price,
  quantity: item.quantity,
  category: item.category,
  brand: item.brand,
  variant: variantId,
  sku: item.sku,
  url: item.url,
  image_url: image,
})

/**
 * What an event says, for vendors that define no properties of events: at most `maxBytes` of JSON, the most important
 * first.
 */
export const eventProperties = (
  { event, data, coupon, value }: Pick<RequestContext, 'event' | 'data' | 'coupon' | 'value'>,
  maxBytes: number,
): Readonly<Record<string, unknown>> => {
  const properties = {
    value,
    currency: data.currency,
    order_id: data.orderId,
    event_id: event.eventId,
    coupon,
    items: data.contents?.map(eventItem),
    search: data.search,
    page_url: event.pageUrl,
    page_title: event.pageTitle,
    referrer: event.referrer,
    checkout_url: data.checkoutUrl,
  }
  const more = remainingData(data, 'value', 'currency', 'contents', 'orderId', 'search', 'discounts', 'checkoutUrl')
  return withinBytes({ ...properties, ...more, ...properties }, maxBytes)
}

/** What an event says, for vendors that take only text, numbers and booleans. The most important first. */
export function flatProperties({
  event,
  data,
  items,
  coupon,
  value,
}: Pick<RequestContext, 'event' | 'data' | 'items' | 'coupon' | 'value'>): Record<string, FlatValue> {
  const properties = {
    order_id: data.orderId,
    value,
    currency: data.currency,
    event_id: event.eventId,
    item_ids: joinedTexts(items.map(({ id }) => id)),
    item_names: joinedTexts(items.map(({ title }) => title)),
    quantity: totalQuantity(items),
    coupon,
    search: data.search,
    page_url: event.pageUrl,
    page_title: event.pageTitle,
    referrer: event.referrer,
  }
  const more = remainingData(data, 'value', 'currency', 'orderId', 'search', 'checkoutUrl')
  const fields = Object.entries({ ...properties, ...more, ...properties })
  return Object.fromEntries(fields.filter((field): field is [string, FlatValue] => isFlat(field[1])))
}
