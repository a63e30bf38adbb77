import type { EventData, Item } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { itemsWithId } from '#provider/form/items.ts'
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

/** The vendor's page does not describe the members of `errors`; these were observed. `index` counts within `input_array`. */
type TrackResponse = { message?: string; errors?: { type?: string; input_array: string; index: number }[] }

/** Only with the message `success` were the other rows accepted. */
export const failedRows = ({ message, errors = [] }: TrackResponse) =>
  message === 'success' ? errors.map(({ input_array: list, index: row, type }) => ({ list, row, message: type })) : []

/** The schemas ask for a name and a variant of each product: its id stands for what is not known. */
const productOf = ({ id, title, variantId, quantity = 1, item_price = 0, sku, brand, category, ...item }: Item) => ({
  product_id: id,
  product_name: title ?? id,
  variant_id: variantId ?? id,
  quantity,
  price: item_price,
  image_url: item.image,
  product_url: item.url,
  metadata: sku || brand || category ? { sku, brand, category } : undefined,
})

/** A name of the customer's for the cart or the checkout. */
const ownId = (data: EventData, key: string) => (typeof data[key] === 'string' ? data[key] : undefined)

/** The properties of a recommended event. `personId` stands for a cart without a name: the schemas ask for one. */
export function shopProperties(name: string, { event, data, items, orderId, value }: RequestContext, personId: string) {
  const products = itemsWithId(items).map(productOf)
  const common = { currency: data.currency, source: originOf(event.pageUrl) ?? 'web', event_id: event.eventId }
  if (name === 'ecommerce.product_viewed') {
    const { quantity: _, ...product } = products[0] ?? { quantity: 1, price: value ?? 0 }
    return { ...product, ...common }
  }
  const order = { ...common, products, total_value: value ?? 0 }
  const cart_id = ownId(data, 'cartId') ?? personId
  const action = event.eventName === 'AddToCart' ? 'add' : 'remove'
  if (name === 'ecommerce.cart_updated') return { ...order, cart_id, action }
  const checkout_id = ownId(data, 'checkoutId') ?? personId
  if (name === 'ecommerce.checkout_started') return { ...order, cart_id, checkout_id }
  return { ...order, order_id: orderId, total_discounts: data.discount }
}

/** Of any other event. Keys must not begin with `$`. The page of an event belongs to it. */
export function ownProperties({ event, value }: RequestContext) {
  const own = Object.entries(remainingData(event.data)).filter(([key]) => !key.startsWith('$'))
  const { eventName, pageUrl: page_url, pageTitle: page_title, referrer } = event
  const page = eventName === 'PageView' ? { page_url, page_title, referrer } : {}
  return { ...Object.fromEntries(own), ...page, value, event_id: event.eventId }
}

/** Legacy purchases: a row for each item; the vendor takes at most a hundred of a thing in one. */
export function purchases({ event, data, items, orderId, value = 0 }: RequestContext, person: object, time: string) {
  const properties = { order_id: data.orderId, event_id: event.eventId }
  const row = { ...person, currency: data.currency, time, properties }
  const bought = itemsWithId(items)
  if (bought.length === 0) return [{ ...row, product_id: orderId, price: value, quantity: 1 }]
  return bought.flatMap(({ id, item_price: price = 0, quantity = 1 }) => {
    const rows = Math.min(Math.max(1, Math.ceil(quantity / 100)), 50)
    return Array.from({ length: rows }, (_, n) => ({
      ...row,
      product_id: id?.slice(0, 255),
      price,
      quantity: Math.min(100, Math.max(1, Math.round(quantity) - n * 100)),
    }))
  })
}
