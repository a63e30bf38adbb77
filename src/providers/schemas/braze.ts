import type { EventData, EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { itemsWithId, wholePieces } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { originOf } from '#provider/form/url.ts'

export const eventNames = {
  ...standardEventNames,
  ViewContent: 'ecommerce.product_viewed',
  AddToCart: 'ecommerce.cart_updated',
  RemoveFromCart: 'ecommerce.cart_updated',
  InitiateCheckout: 'ecommerce.checkout_started',
  Purchase: 'ecommerce.order_placed',
  Refund: 'ecommerce.order_refunded',
}

/**
 * The vendor's page does not describe the members of `errors`; these were observed. `index` counts within
 * `input_array`.
 */
type TrackResponse = { message?: string; errors?: { type?: string; input_array: string; index: number }[] }

/** Only with the message `success` were the other rows accepted. */
export const failedRows = ({ message, errors = [] }: TrackResponse) =>
  message === 'success' ? errors.map(({ input_array: list, index: row, type }) => ({ list, row, message: type })) : []

/** The schema requires a name and a variant: the id replaces an unknown one. */
const productOf = ({
  id,
  title,
  variantId,
  quantity = 1,
  item_price = 0,
  sku,
  brand,
  category,
  ...item
}: EventItem) => ({
  product_id: id,
  product_name: title ?? id,
  variant_id: variantId ?? id,
  quantity,
  price: item_price,
  image_url: item.image,
  product_url: item.url,
  metadata: sku || brand || category ? { sku, brand, category } : undefined,
})

/** The customer's own id of the cart or the checkout. */
const customerId = (data: EventData, key: string) => (typeof data[key] === 'string' ? data[key] : undefined)

/** The properties of Braze's recommended events. `personId` replaces an unknown cart id, which the schema requires. */
export function shopProperties(name: string, { event, data, items, orderId, value }: RequestContext, personId: string) {
  const products = itemsWithId(items).map(productOf)
  const common = { currency: data.currency, source: originOf(event.pageUrl) ?? 'web', event_id: event.eventId }
  if (name === 'ecommerce.product_viewed') {
    const { quantity: _, ...product } = products[0] ?? { quantity: 1, price: value ?? 0 }
    return { ...product, ...common }
  }
  const order = { ...common, products, total_value: value ?? 0 }
  const cart_id = customerId(data, 'cartId') ?? personId
  const action = event.eventName === 'AddToCart' ? 'add' : 'remove'
  if (name === 'ecommerce.cart_updated') return { ...order, cart_id, action }
  const checkout_id = customerId(data, 'checkoutId') ?? personId
  if (name === 'ecommerce.checkout_started') return { ...order, cart_id, checkout_id }
  return { ...order, order_id: orderId, total_discounts: data.discount }
}

/** The properties of any other event. Braze rejects keys that begin with `$`. */
export function otherProperties({ event, value }: RequestContext) {
  const own = Object.entries(remainingData(event.data)).filter(([key]) => !key.startsWith('$'))
  const { eventName, pageUrl: page_url, pageTitle: page_title, referrer } = event
  const page = eventName === 'PageView' ? { page_url, page_title, referrer } : {}
  return { ...Object.fromEntries(own), ...page, value, event_id: event.eventId }
}

/** Braze takes so many purchases in one request. An order of more is sent as its total. */
const mostObjects = 75

/** Legacy purchase objects: one for each item. Their quantity is at most 100. */
export function purchases({ event, data, items, orderId, value = 0 }: RequestContext, person: object, time: string) {
  const properties = { order_id: data.orderId, event_id: event.eventId }
  const row = { ...person, currency: data.currency, time, properties }
  const bought = wholePieces(itemsWithId(items))
  const total = [{ ...row, product_id: orderId.slice(0, 255), price: value, quantity: 1 }]
  if (bought.length === 0) return total
  const purchased = bought.flatMap(({ id, item_price: price = 0, quantity }) => {
    const rows = Math.min(Math.ceil(quantity / 100), 50)
    return Array.from({ length: rows }, (_, n) => ({
      ...row,
      product_id: id?.slice(0, 255),
      price,
      quantity: Math.min(100, quantity - n * 100),
    }))
  })
  return purchased.length > mostObjects ? total : purchased
}

/** Whether an event updates the profile. Braze charges a data point for each attribute. */
export const updatesProfile = (eventName: string): boolean => ['Purchase', 'Subscribe', 'Lead'].includes(eventName)
