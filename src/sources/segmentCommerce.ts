import type { EventData } from '#contract/event.ts'
import type { StandardEvent } from '#contract/standardEvents.ts'
import { amountOf, defined, type Fields, fieldsOf, firstText, textOf, without } from './values.ts'

/** `product`: the properties are those of one product. `order`: they are those of a cart or an order. */
type Shape = 'product' | 'order' | 'search'

/**
 * Segment's e-commerce events and what they are here. Names are compared without case, blanks and signs; the second name
 * of an event is that of version 1.
 * https://segment.com/docs/connections/spec/ecommerce/v2/
 */
const events: Readonly<Record<string, readonly [StandardEvent, Shape]>> = {
  productviewed: ['ViewContent', 'product'],
  viewedproduct: ['ViewContent', 'product'],
  productadded: ['AddToCart', 'product'],
  addedproduct: ['AddToCart', 'product'],
  productremoved: ['RemoveFromCart', 'product'],
  removedproduct: ['RemoveFromCart', 'product'],
  checkoutstarted: ['InitiateCheckout', 'order'],
  startedcheckout: ['InitiateCheckout', 'order'],
  shippinginfoentered: ['AddShippingInfo', 'order'],
  paymentinfoentered: ['AddPaymentInfo', 'order'],
  ordercompleted: ['Purchase', 'order'],
  completedorder: ['Purchase', 'order'],
  productssearched: ['Search', 'search'],
}

const simplified = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')

const itemNames: ReadonlySet<string> = new Set(
  'product_id productId id sku name title category price quantity brand variant image_url imageUrl url'.split(' '),
)
const orderNames: ReadonlySet<string> = new Set(
  'products order_id orderId total currency coupon discount tax shipping'.split(' '),
)
const bothNames: ReadonlySet<string> = new Set([...itemNames, ...orderNames])

/** A product as an item of an event. Fields that an item does not have are kept. */
function itemOf(product: Fields): Record<string, unknown> {
  return {
    ...without(product, itemNames),
    ...defined({
      id: firstText(product.product_id, product.productId, product.id, product.sku),
      sku: textOf(product.sku),
      title: firstText(product.name, product.title),
      category: textOf(product.category),
      item_price: amountOf(product.price),
      quantity: amountOf(product.quantity),
      brand: textOf(product.brand),
      variantId: textOf(product.variant),
      image: firstText(product.image_url, product.imageUrl),
      url: textOf(product.url),
    }),
  }
}

/**
 * The gross value: `total`, which holds tax and shipping; else `revenue` with them; else `value`.
 */
function orderValue({ total, revenue, tax, shipping, value }: Fields): number | undefined {
  const net = amountOf(revenue)
  const gross = net === undefined ? undefined : net + (amountOf(tax) ?? 0) + (amountOf(shipping) ?? 0)
  return amountOf(total) ?? gross ?? amountOf(value)
}

/** Money without the error of binary fractions: 0.1 + 0.2 is 0.3. */
const rounded = (value: number | undefined) => (value === undefined ? undefined : Math.round(value * 1e6) / 1e6)

function orderData(properties: Fields): Record<string, unknown> {
  const products = Array.isArray(properties.products) ? properties.products : []
  const code = textOf(properties.coupon)
  const discount = amountOf(properties.discount)
  return {
    ...without(properties, orderNames),
    ...defined({
      value: rounded(orderValue(properties)),
      currency: textOf(properties.currency),
      orderId: firstText(properties.order_id, properties.orderId),
      tax: amountOf(properties.tax),
      shipping: amountOf(properties.shipping),
      discount,
      discounts:
        code === undefined ? undefined : [defined({ code, ...(discount && { type: 'FLAT', value: discount }) })],
      contents: products.length > 0 ? products.map((each) => itemOf(fieldsOf(each))) : undefined,
    }),
  }
}

function productData(properties: Fields): Record<string, unknown> {
  const item = itemOf(Object.fromEntries(Object.entries(properties).filter(([name]) => itemNames.has(name))))
  const price = amountOf(properties.price)
  const quantity = amountOf(properties.quantity) ?? 1
  return {
    ...without(properties, bothNames),
    ...defined({
      value: amountOf(properties.value) ?? rounded(price === undefined ? undefined : price * quantity),
      currency: textOf(properties.currency),
      contents: Object.keys(item).length > 0 ? [item] : undefined,
    }),
  }
}

const searchData = (properties: Fields): Record<string, unknown> => ({
  ...without(properties, new Set(['query'])),
  ...defined({ search: textOf(properties.query) }),
})

const dataOf: Readonly<Record<Shape, (properties: Fields) => Record<string, unknown>>> = {
  product: productData,
  order: orderData,
  search: searchData,
}

/** A `track` message as an event: a standard event of an e-commerce event, else an event of the same name. */
export function trackedEvent(name: string, properties: Fields): { eventName: string; data: EventData } {
  const key = simplified(name.slice(0, 100))
  const known = Object.hasOwn(events, key) ? events[key] : undefined
  if (known) return { eventName: known[0], data: dataOf[known[1]](properties) }
  const isCommerce = Array.isArray(properties.products) || textOf(properties.order_id) !== undefined
  return { eventName: name, data: isCommerce ? orderData(properties) : { ...properties } }
}
