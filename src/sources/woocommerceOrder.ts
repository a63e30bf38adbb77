import { withoutFloatError } from '#contract/eventValue.ts'
import type { OpenShop } from '#tag/shop.ts'
import type { PersonKeys } from './personKeys.ts'
import {
  aliasesOf,
  cookiesOf,
  joinOf,
  orderMessage,
  productIdBy,
  purchaseData,
  purchaseEvent,
  purchaseIdOf,
  refundEvent,
  storedAnswers,
  sumIn,
  sumOf,
  visitorOf,
} from './shopSource.ts'
import type { ShopMessage, ShopOrder, SourceEvent } from './source.ts'
import { amountOf, correctedTime, type Fields, fieldsOf, listOf, put, textOf, timeOf } from './values.ts'

/** Fields named `…_gmt` have no time zone: `2026-11-20T12:00:00`. */
const gmtTime = (value: unknown): number | undefined => {
  const text = textOf(value)
  return text === undefined ? undefined : timeOf(/[Zz]|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`)
}

/** WooCommerce writes 0 for no id. */
const idIn = (value: unknown): string | undefined => (textOf(value) === '0' ? undefined : textOf(value))

const channelOf = (via: string | undefined): string =>
  via === undefined || via === 'checkout' || via === 'store-api' ? 'web' : via === 'admin' ? 'draft' : via.slice(0, 60)

const paid = ['processing', 'completed']

function statusOf(order: Fields): ShopOrder['status'] {
  const status = textOf(order.status) ?? ''
  if (['cancelled', 'failed', 'trash'].includes(status)) return 'cancelled'
  if (status === 'refunded') return 'refunded'
  return paid.includes(status) ? 'paid' : 'placed'
}

/** An order that the buyer has not placed yet: the block checkout stores a draft while the form is filled in. */
const isDraft = ({ status }: Fields) => ['checkout-draft', 'auto-draft', 'draft'].includes(`${status}`)

const refundedBy = ({ total }: Fields) => Math.abs(amountOf(total) ?? 0)

function wooOrder(order: Fields, shop: OpenShop, now: number): ShopOrder | undefined {
  const id = idIn(order.id)
  const value = sumIn(order.total)
  const currency = textOf(order.currency)
  if (id === undefined || value === undefined || currency === undefined || isDraft(order)) return undefined
  const number = textOf(order.number)?.trim().replace(/^#/, '')
  const orderId = (shop.orderId === 'id' ? undefined : number) ?? id
  const placedAt = gmtTime(order.date_created_gmt) ?? now
  const row: ShopOrder = {
    orderId,
    aliases: aliasesOf(orderId, id, number, purchaseIdOf(id), textOf(order.order_key)),
    placedAt,
    updatedAt: gmtTime(order.date_modified_gmt) ?? placedAt,
    status: statusOf(order),
    salesChannel: channelOf(textOf(order.created_via)),
    value,
    currency,
    refunded: sumOf(listOf(order.refunds).map(refundedBy)),
  }
  put(row, 'tax', sumIn(order.total_tax))
  // without the tax on shipping, which is in `tax`
  put(row, 'shipping', sumIn(order.shipping_total))
  put(row, 'discount', sumIn(order.discount_total))
  return row
}

function itemOf(line: Fields, shop: OpenShop): Record<string, unknown> {
  const quantity = sumIn(line.quantity)
  const total = sumOf([amountOf(line.total), amountOf(line.total_tax)])
  const ids = { product: idIn(line.product_id), variant: idIn(line.variation_id), sku: textOf(line.sku) }
  const item: Record<string, unknown> = {}
  put(item, 'id', productIdBy(shop, ids))
  put(item, 'variantId', ids.variant)
  put(item, 'sku', ids.sku)
  put(item, 'title', textOf(line.name))
  put(item, 'quantity', quantity)
  put(item, 'item_price', quantity ? withoutFloatError(total / quantity) : undefined)
  return item
}

function personOf(order: Fields): PersonKeys {
  const billing = fieldsOf(order.billing)
  const keys: PersonKeys = {}
  put(keys, 'email', textOf(billing.email))
  put(keys, 'phone', textOf(billing.phone))
  put(keys, 'customerId', idIn(order.customer_id))
  put(keys, 'firstName', textOf(billing.first_name))
  put(keys, 'lastName', textOf(billing.last_name))
  put(keys, 'city', textOf(billing.city))
  put(keys, 'state', textOf(billing.state))
  put(keys, 'zip', textOf(billing.postcode))
  put(keys, 'country', textOf(billing.country))
  return keys
}

type WooInput = { shop: OpenShop; brand: string; now: number }

function purchaseOf(order: Fields, row: ShopOrder, { shop, brand, now }: WooInput): SourceEvent {
  const entries = listOf(order.meta_data).map(({ key, value }) => [key, value] as const)
  const meta = new Map(entries)
  const attribution = (name: string) => textOf(meta.get(`_wc_order_attribution_${name}`))
  const key = textOf(order.order_key)
  const contents = listOf(order.line_items).map((line) => itemOf(line, shop))
  const at = (shop.purchaseOn === 'paid' ? gmtTime(order.date_paid_gmt) : undefined) ?? row.placedAt
  return purchaseEvent('woocommerce', brand, {
    id: idIn(order.id)!,
    join: key === undefined ? undefined : joinOf('woocommerce', key),
    timestamp: correctedTime({ at, sentAt: undefined }, now).timestamp,
    data: purchaseData(row, order.coupon_lines, contents),
    person: personOf(order),
    visitor: visitorOf(meta.get('_aglet_user')),
    consent: storedAnswers(meta.get('_aglet_consent')),
    cookies: cookiesOf(entries.filter(([name]) => !`${name}`.startsWith('_wc_'))),
    device: {
      ip: textOf(order.customer_ip_address),
      userAgent: textOf(order.customer_user_agent) ?? attribution('user_agent'),
      pageUrl: textOf(meta.get('_aglet_page')) ?? attribution('session_entry'),
      referrer: attribution('referrer'),
    },
  })
}

/**
 * The refunds of an order. The order lists their amounts and reasons but not their times: a new refund gets the time of
 * the order's last change.
 */
const refundsOf = (order: Fields, row: ShopOrder, purchase: SourceEvent, now: number): SourceEvent[] =>
  listOf(order.refunds).flatMap((refund) => {
    const [id, value] = [idIn(refund.id), refundedBy(refund)]
    if (id === undefined || value === 0) return []
    const { timestamp } = correctedTime({ at: row.updatedAt, sentAt: undefined }, now)
    return [refundEvent(purchase, { id, timestamp, value, currency: row.currency, contents: [] })]
  })

/**
 * An order of the topics `order.created`, `order.updated` and `order.restored`. WooCommerce creates an order before it
 * is paid and updates it later, so that any of them may be the moment of purchase.
 */
export function readWooOrder(order: Fields, input: WooInput): ShopMessage {
  const { shop, now } = input
  if (isDraft(order)) return { events: [], ignored: 'an order that is not placed yet' }
  const row = wooOrder(order, shop, now)
  if (!row) return { events: [], ignored: 'the order has no id, sum or currency' }
  const purchase = purchaseOf(order, row, input)
  return orderMessage(shop, row, purchase, () => refundsOf(order, row, purchase, now))
}
