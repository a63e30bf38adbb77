import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { totalQuantity } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { boundedProperties } from './boundedProperties.ts'
import { type FlatValue, isFlat, joinedTexts } from './eventFields.ts'

/** An item for vendors that define no item fields. `price`: the price of one unit. */
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
 * The properties of an event for vendors that define none, in order of importance: the first ones that fit into
 * `maxBytes` of JSON.
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
  return boundedProperties({ ...properties, ...more, ...properties }, { maxBytes, cutsLists: true })
}

/** The properties of an event for vendors that accept only text, numbers and booleans, in order of importance. */
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
