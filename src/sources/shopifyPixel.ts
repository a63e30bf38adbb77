import { badRequest } from '#contract/fault.ts'
import { newId } from '#kit/id.ts'
import { storageWith } from './consentCategories.ts'
import { readWithinLimits, refuseTooManyMessages } from './messageLimits.ts'
import { type PersonKeys, putPerson } from './personKeys.ts'
import { shopifyId } from './shopifyOrder.ts'
import { checkoutIdOf, joinOf, purchaseIdOf, shopConsent, sumIn, visitorOf } from './shopSource.ts'
import type { SourceEvent, SourceInput } from './source.ts'
import { correctedTime, type Fields, fieldsOf, listOf, put, textOf, timeOf } from './values.ts'

type Data = Record<string, unknown>

const money = (value: unknown) => sumIn(fieldsOf(value).amount)
const currencyOf = (value: unknown) => textOf(fieldsOf(value).currencyCode)
/** A product variant as an item. https://shopify.dev/docs/api/web-pixels-api/standard-events */
function itemOf(variant: Fields, quantity: unknown): Data {
  const product = fieldsOf(variant.product)
  const item: Data = {}
  put(item, 'id', shopifyId(product.id) ?? shopifyId(variant.id))
  put(item, 'variantId', shopifyId(variant.id))
  put(item, 'sku', textOf(variant.sku))
  put(item, 'title', textOf(product.title) ?? textOf(variant.title))
  put(item, 'brand', textOf(product.vendor))
  put(item, 'type', textOf(product.type))
  put(item, 'item_price', money(variant.price))
  put(item, 'quantity', sumIn(quantity))
  return item
}

const lineItem = (line: Fields): Data => {
  const item = itemOf(fieldsOf(line.variant ?? line.merchandise), line.quantity)
  put(item, 'title', textOf(line.title) ?? item.title)
  return item
}

function productData(variant: Fields): Data {
  const data: Data = { contents: [itemOf(variant, undefined)] }
  put(data, 'value', money(variant.price))
  put(data, 'currency', currencyOf(variant.price))
  return data
}

function cartLineData({ cartLine }: Fields): Data {
  const line = fieldsOf(cartLine)
  const cost = fieldsOf(fieldsOf(line.cost).totalAmount)
  const data: Data = { contents: [lineItem(line)] }
  put(data, 'value', sumIn(cost.amount))
  put(data, 'currency', textOf(cost.currencyCode))
  return data
}

function cartData({ cart }: Fields): Data {
  const { cost, lines } = fieldsOf(cart)
  const total = fieldsOf(fieldsOf(cost).totalAmount)
  const data: Data = { contents: listOf(lines).map(lineItem) }
  put(data, 'value', sumIn(total.amount))
  put(data, 'currency', textOf(total.currencyCode))
  return data
}

function checkoutData({ checkout }: Fields): Data {
  const { totalPrice, totalTax, shippingLine, lineItems, currencyCode, order, discountApplications } =
    fieldsOf(checkout)
  const codes = listOf(discountApplications).flatMap(({ type, title }) =>
    type === 'DISCOUNT_CODE' ? (textOf(title) ?? []) : [],
  )
  const data: Data = { contents: listOf(lineItems).map(lineItem) }
  put(data, 'value', money(totalPrice))
  put(data, 'currency', currencyOf(totalPrice) ?? textOf(currencyCode))
  put(data, 'tax', money(totalTax))
  put(data, 'shipping', money(fieldsOf(shippingLine).price))
  // the page does not know the order number, which the webhook supplies
  put(data, 'orderId', shopifyId(fieldsOf(order).id))
  if (codes.length > 0) data.discounts = codes.map((code) => ({ code }))
  return data
}

/** Event names of ours, for events without a standard event. */
const readers: ReadonlyMap<string, readonly [name: string, data: (data: Fields) => Data]> = new Map([
  ['page_viewed', ['PageView', () => ({})]],
  ['product_viewed', ['ViewContent', ({ productVariant }) => productData(fieldsOf(productVariant))]],
  ['collection_viewed', ['ViewCategory', ({ collection }) => collectionData(fieldsOf(collection))]],
  ['search_submitted', ['Search', ({ searchResult }) => searchData(fieldsOf(searchResult))]],
  ['product_added_to_cart', ['AddToCart', cartLineData]],
  ['product_removed_from_cart', ['RemoveFromCart', cartLineData]],
  ['cart_viewed', ['ViewCart', cartData]],
  ['checkout_started', ['InitiateCheckout', checkoutData]],
  ['checkout_shipping_info_submitted', ['AddShippingInfo', checkoutData]],
  ['payment_info_submitted', ['AddPaymentInfo', checkoutData]],
  ['checkout_completed', ['Purchase', checkoutData]],
])

function collectionData({ title, productVariants }: Fields): Data {
  const data: Data = {
    contents: listOf(productVariants)
      .slice(0, 50)
      .map((variant) => itemOf(variant, undefined)),
  }
  put(data, 'category', textOf(title))
  return data
}

function searchData({ query, productVariants }: Fields): Data {
  const data: Data = {
    contents: listOf(productVariants)
      .slice(0, 50)
      .map((variant) => itemOf(variant, undefined)),
  }
  put(data, 'search', textOf(query))
  return data
}

function personOf({ checkout }: Fields): PersonKeys {
  const { email, phone, billingAddress, shippingAddress } = fieldsOf(checkout)
  const address: Fields = { ...fieldsOf(shippingAddress), ...fieldsOf(billingAddress) }
  const keys: PersonKeys = {}
  put(keys, 'email', textOf(email))
  put(keys, 'phone', textOf(phone) ?? textOf(address.phone))
  put(keys, 'firstName', textOf(address.firstName))
  put(keys, 'lastName', textOf(address.lastName))
  put(keys, 'city', textOf(address.city))
  put(keys, 'state', textOf(address.provinceCode))
  put(keys, 'zip', textOf(address.zip))
  put(keys, 'country', textOf(address.countryCode))
  return keys
}

/** The ids of a checkout: one start and one purchase each, even if the page reports them repeatedly. */
function idsOf(name: string, message: Fields, receivedAt: number): { eventId: string; join?: string } {
  const { token, order } = fieldsOf(fieldsOf(message.data).checkout)
  const join = textOf(token) === undefined ? undefined : joinOf('shopify', textOf(token)!)
  const orderId = shopifyId(fieldsOf(order).id)
  const own = textOf(message.id) ?? newId('evt', receivedAt)
  if (name === 'checkout_completed' && orderId !== undefined)
    return { eventId: purchaseIdOf(orderId), ...(join && { join }) }
  if (name === 'checkout_started' && join !== undefined) return { eventId: checkoutIdOf(join) }
  return { eventId: own }
}

type Shared = { userId: string | undefined; storage: Data; receivedAt: number }

function readEvent(message: Fields, { userId, storage, receivedAt }: Shared): SourceEvent {
  const name = textOf(message.name) ?? ''
  const [eventName, read] = readers.get(name) ?? [name, (data: Fields): Data => ({ ...data })]
  const { eventId, join } = idsOf(name, message, receivedAt)
  const data = fieldsOf(message.data)
  const { document, navigator } = fieldsOf(message.context)
  const { location, referrer, title } = fieldsOf(document)
  const time = correctedTime({ at: timeOf(message.timestamp), sentAt: undefined }, receivedAt)
  const event: Data = {
    eventName,
    eventId,
    timestamp: time.timestamp,
    data: read(data),
    storage,
    source: { name: 'shopify', type: name, ...(join !== undefined && { join }) },
  }
  put(event, 'pageUrl', textOf(fieldsOf(location).href))
  put(event, 'pageTitle', textOf(title))
  put(event, 'referrer', textOf(referrer))
  put(event, 'userAgent', textOf(fieldsOf(navigator).userAgent))
  putPerson(event, personOf(data))
  return { ...(userId !== undefined && { userId }), event }
}

/** `{userId, consent, cookies, events}`, with the events as Shopify's customer events have them. */
export function readPixelEvents(body: unknown, { brand, receivedAt }: SourceInput): SourceEvent[] {
  const { userId, consent, cookies, events = [] } = fieldsOf(body)
  if (!Array.isArray(events)) throw badRequest({ path: 'events', message: 'must be array' })
  const visitor = visitorOf(userId)
  const map = shopConsent(fieldsOf(consent))
  const storage = storageWith(brand, map, { data: { shopify: fieldsOf(cookies) } })
  if (events.length === 0) return consentUpdate(visitor, storage, receivedAt)
  refuseTooManyMessages(events.length, storage)
  return events.map((each) => {
    const message = fieldsOf(each)
    return readWithinLimits(message, message.id, () => readEvent(message, { userId: visitor, storage, receivedAt }))
  })
}

/** A call without events stores the visitor's answer. */
function consentUpdate(userId: string | undefined, storage: Data, receivedAt: number): SourceEvent[] {
  if (userId === undefined) throw badRequest({ path: 'userId', message: 'is required if there is no event' })
  const { data: _, ...answer } = storage
  const event = { eventName: 'consent', eventId: newId('evt', receivedAt), timestamp: receivedAt, storage: answer }
  return [{ kind: 'consent', userId, event }]
}
