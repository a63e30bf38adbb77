import type { OpenShop } from '#tag/shop.ts'
import type { PersonKeys } from './personKeys.ts'
import {
  aliasesOf,
  joinOf,
  orderMessage,
  productIdBy,
  purchaseData,
  purchaseEvent,
  purchaseIdOf,
  refundEvent,
  sumIn,
} from './shopSource.ts'
import type { ShopMessage, ShopOrder, SourceEvent } from './source.ts'
import { correctedTime, type Fields, fieldsOf, listOf, put, textOf, timeOf } from './values.ts'

/** Ids of the states of an order: https://developer.bigcommerce.com/docs/store-operations/orders */
const incomplete = '0'
const cancelled = ['5', '6']
const refunded = '4'
const pending = '1'

function statusOf(order: Fields): ShopOrder['status'] {
  const state = textOf(order.status_id) ?? ''
  if (cancelled.includes(state)) return 'cancelled'
  if (state === refunded) return 'refunded'
  return state === pending || state === '7' ? 'placed' : 'paid'
}

const channelOf = (source: string | undefined): string =>
  source === undefined || ['www', 'iphone', 'ipad', 'android', 'mobile', 'checkout_api'].includes(source)
    ? 'web'
    : source === 'manual'
      ? 'draft'
      : source.slice(0, 60)

function bigOrder(order: Fields, now: number): ShopOrder | undefined {
  const id = textOf(order.id)
  const value = sumIn(order.total_inc_tax)
  const currency = textOf(order.currency_code)
  if (id === undefined || value === undefined || currency === undefined) return undefined
  const placedAt = timeOf(order.date_created) ?? now
  const row: ShopOrder = {
    orderId: id,
    aliases: aliasesOf(id, purchaseIdOf(id), textOf(order.cart_id), textOf(order.external_id)),
    placedAt,
    updatedAt: timeOf(order.date_modified) ?? placedAt,
    status: statusOf(order),
    salesChannel: channelOf(textOf(order.order_source)),
    value,
    currency,
    refunded: sumIn(order.refunded_amount) ?? 0,
  }
  put(row, 'tax', sumIn(order.total_tax))
  put(row, 'shipping', sumIn(order.shipping_cost_inc_tax))
  put(row, 'discount', sumIn(order.discount_amount))
  return row
}

function itemOf(line: Fields, shop: OpenShop): Record<string, unknown> {
  const ids = { product: textOf(line.product_id), variant: textOf(line.variant_id), sku: textOf(line.sku) }
  const item: Record<string, unknown> = {}
  put(item, 'id', productIdBy(shop, ids))
  put(item, 'variantId', ids.variant)
  put(item, 'sku', ids.sku)
  put(item, 'title', textOf(line.name))
  put(item, 'quantity', sumIn(line.quantity))
  put(item, 'item_price', sumIn(line.price_inc_tax))
  return item
}

function personOf(order: Fields): PersonKeys {
  const billing = fieldsOf(order.billing_address)
  const keys: PersonKeys = {}
  put(keys, 'email', textOf(billing.email))
  put(keys, 'phone', textOf(billing.phone))
  put(keys, 'customerId', textOf(order.customer_id) === '0' ? undefined : textOf(order.customer_id))
  put(keys, 'firstName', textOf(billing.first_name))
  put(keys, 'lastName', textOf(billing.last_name))
  put(keys, 'city', textOf(billing.city))
  put(keys, 'state', textOf(billing.state))
  put(keys, 'zip', textOf(billing.zip))
  put(keys, 'country', textOf(billing.country_iso2))
  return keys
}

type BigInput = { shop: OpenShop; brand: string; now: number }
type BigParts = { order: Fields; products: unknown; coupons: unknown; refunds?: unknown }

function purchaseOf(
  { order, products, coupons }: BigParts,
  row: ShopOrder,
  { shop, brand, now }: BigInput,
): SourceEvent {
  const cart = textOf(order.cart_id)
  const contents = listOf(products).map((line) => itemOf(line, shop))
  return purchaseEvent('bigcommerce', brand, {
    id: row.orderId,
    join: cart === undefined ? undefined : joinOf('bigcommerce', cart),
    timestamp: correctedTime({ at: row.placedAt, sentAt: undefined }, now).timestamp,
    data: purchaseData(row, coupons, contents),
    person: personOf(order),
    visitor: undefined,
    consent: undefined,
    cookies: {},
    device: {
      ip: textOf(order.ip_address) ?? textOf(order.ip_address_v6),
      userAgent: undefined,
      pageUrl: undefined,
      referrer: undefined,
    },
  })
}

const refundsOf = (list: unknown, purchase: SourceEvent, now: number): SourceEvent[] =>
  listOf(fieldsOf(list).data).flatMap((refund) => {
    const [id, value] = [textOf(refund.id), sumIn(refund.total_amount)]
    if (id === undefined || !value) return []
    const { timestamp } = correctedTime({ at: timeOf(refund.created), sentAt: undefined }, now)
    return [refundEvent(purchase, { id, timestamp, value, currency: undefined, contents: [] })]
  })

export function readBigOrder(parts: BigParts, input: BigInput): ShopMessage {
  const { order } = parts
  const { shop, now } = input
  if (textOf(order.status_id) === incomplete) return { events: [], ignored: 'an order that is not placed yet' }
  const row = bigOrder(order, now)
  if (!row) return { events: [], ignored: 'the order has no id, sum or currency' }
  const purchase = purchaseOf(parts, row, input)
  return orderMessage(shop, row, purchase, () => refundsOf(parts.refunds, purchase, now))
}
