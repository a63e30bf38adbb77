import type { OpenShop } from '#tag/shop.ts'
import type { PersonKeys } from './personKeys.ts'
import {
  aliasesOf,
  cookiesOf,
  joinOf,
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
import { correctedTime, type Fields, fieldsOf, listOf, put, textOf, timeOf } from './values.ts'

/** `gid://shopify/Order/123?x=y` and `123` are the id `123`. */
export const shopifyId = (value: unknown): string | undefined =>
  /^(?:gid:\/\/shopify\/[A-Za-z]{1,40}\/)?(\d{1,30})(?:\?|$)/.exec(textOf(value) ?? '')?.[1]

/** Shopify's own sales channels have these names, an app has its id. */
const channelNames: Readonly<Record<string, string>> = {
  shopify_draft_order: 'draft',
  subscription_contract: 'subscription',
}

function salesChannelOf(sourceName: string | undefined): string {
  if (sourceName === undefined) return 'web'
  return channelNames[sourceName] ?? (/^\d+$/.test(sourceName) ? 'app' : sourceName.slice(0, 60))
}

function statusOf(order: Fields): ShopOrder['status'] {
  if (order.test === true) return 'test'
  if (textOf(order.cancelled_at) !== undefined) return 'cancelled'
  if (order.financial_status === 'refunded') return 'refunded'
  return ['paid', 'partially_paid', 'partially_refunded'].includes(`${order.financial_status}`) ? 'paid' : 'placed'
}

/** The refunded amount: the successful transactions of the kind `refund`. */
const refundedBy = (refund: Fields): number =>
  sumOf(
    listOf(refund.transactions)
      .filter(({ kind, status }) => kind === 'refund' && status === 'success')
      .map(({ amount }) => sumIn(amount)),
  )

const shippingOf = (order: Fields) =>
  sumIn(fieldsOf(fieldsOf(order.total_shipping_price_set).shop_money).amount) ??
  (Array.isArray(order.shipping_lines)
    ? sumOf(listOf(order.shipping_lines).map(({ price }) => sumIn(price)))
    : undefined)

/** The order number that the buyer sees, without `#`. */
const numberOf = (order: Fields) => textOf(order.name)?.trim().replace(/^#/, '')

function shopifyOrder(order: Fields, shop: OpenShop, now: number): ShopOrder | undefined {
  const id = shopifyId(order.id)
  const value = sumIn(order.total_price)
  const currency = textOf(order.currency)
  if (id === undefined || value === undefined || currency === undefined) return undefined
  const number = numberOf(order)
  const orderId = (shop.orderId === 'id' ? undefined : number) ?? id
  const placedAt = timeOf(order.processed_at) ?? timeOf(order.created_at) ?? now
  const row: ShopOrder = {
    orderId,
    aliases: aliasesOf(
      orderId,
      id,
      number,
      purchaseIdOf(id),
      textOf(order.admin_graphql_api_id),
      textOf(order.checkout_token),
      textOf(order.cart_token),
    ),
    placedAt,
    updatedAt: timeOf(order.updated_at) ?? placedAt,
    status: statusOf(order),
    salesChannel: salesChannelOf(textOf(order.source_name)),
    value,
    currency,
    refunded: sumOf(listOf(order.refunds).map(refundedBy)),
  }
  put(row, 'tax', sumIn(order.total_tax))
  put(row, 'shipping', shippingOf(order))
  put(row, 'discount', sumIn(order.total_discounts))
  return row
}

function itemOf(line: Fields, shop: OpenShop, quantity: unknown = line.quantity): Record<string, unknown> {
  const [product, variant, sku] = [shopifyId(line.product_id), shopifyId(line.variant_id), textOf(line.sku)]
  const item: Record<string, unknown> = {}
  put(item, 'id', productIdBy(shop, { product, variant, sku }))
  put(item, 'variantId', variant)
  put(item, 'sku', sku)
  put(item, 'title', textOf(line.title))
  put(item, 'brand', textOf(line.vendor))
  put(item, 'quantity', sumIn(quantity))
  put(item, 'item_price', sumIn(line.price))
  return item
}

function personOf(order: Fields): PersonKeys {
  const [customer, billing, shipping] = [order.customer, order.billing_address, order.shipping_address].map(fieldsOf)
  const address = { ...shipping, ...billing }
  const keys: PersonKeys = {}
  put(keys, 'email', textOf(order.email) ?? textOf(order.contact_email) ?? textOf(customer!.email))
  put(keys, 'phone', textOf(order.phone) ?? textOf(address.phone) ?? textOf(customer!.phone))
  put(keys, 'customerId', shopifyId(customer!.id))
  put(keys, 'firstName', textOf(address.first_name) ?? textOf(customer!.first_name))
  put(keys, 'lastName', textOf(address.last_name) ?? textOf(customer!.last_name))
  put(keys, 'city', textOf(address.city))
  put(keys, 'state', textOf(address.province_code) ?? textOf(address.province))
  put(keys, 'zip', textOf(address.zip))
  put(keys, 'country', textOf(address.country_code))
  return keys
}

/** The landing page, whose query has the click ids. Shopify stores only its path and query. */
function landingPage(order: Fields): string | undefined {
  const path = textOf(order.landing_site)
  if (path === undefined) return undefined
  if (URL.canParse(path)) return path
  const statusUrl = textOf(order.order_status_url) ?? ''
  return path.startsWith('/') && URL.canParse(statusUrl) ? new URL(statusUrl).origin + path : undefined
}

/** The purchase of an order, even if it is not sent. */
function purchaseOf(order: Fields, row: ShopOrder, input: ReadInput): SourceEvent {
  const { shop, brand, now, topic } = input
  const attributes = listOf(order.note_attributes).map(({ name, value }) => [name, value] as const)
  const noted = new Map(attributes)
  const token = textOf(order.checkout_token)
  const client = fieldsOf(order.client_details)
  const contents = listOf(order.line_items).map((line) => itemOf(line, shop))
  const paidAt = shop.purchaseOn === 'paid' && topic === 'orders/paid' ? row.updatedAt : row.placedAt
  return purchaseEvent('shopify', brand, {
    id: shopifyId(order.id)!,
    join: token === undefined ? undefined : joinOf('shopify', token),
    timestamp: correctedTime({ at: paidAt, sentAt: undefined }, now).timestamp,
    data: purchaseData(row, order.discount_codes, contents),
    person: personOf(order),
    visitor: visitorOf(noted.get('_aglet_user')),
    consent: storedAnswers(noted.get('_aglet_consent')),
    cookies: cookiesOf(attributes),
    device: {
      ip: textOf(client.browser_ip) ?? textOf(order.browser_ip),
      userAgent: textOf(client.user_agent),
      pageUrl: landingPage(order),
      referrer: textOf(order.referring_site),
    },
  })
}

type ReadInput = { shop: OpenShop; brand: string; now: number; topic: string }

/** One event for each refund. A repeated webhook has the same event id. */
const refundsOf = (order: Fields, purchase: SourceEvent, { shop, now }: ReadInput): SourceEvent[] =>
  listOf(order.refunds).flatMap((refund) => refundOf(refund, purchase, { shop, now }) ?? [])

export function refundOf(
  refund: Fields,
  purchase: SourceEvent,
  { shop, now }: Pick<ReadInput, 'shop' | 'now'>,
): SourceEvent | undefined {
  const id = shopifyId(refund.id)
  const value = refundedBy(refund)
  if (id === undefined || value === 0) return undefined
  const at = timeOf(refund.processed_at) ?? timeOf(refund.created_at)
  const lines = listOf(refund.refund_line_items)
  return refundEvent(purchase, {
    id,
    timestamp: correctedTime({ at, sentAt: undefined }, now).timestamp,
    value,
    currency: listOf(refund.transactions)[0]?.currency,
    contents: lines.map((line) => itemOf(fieldsOf(line.line_item), shop, line.quantity)),
  })
}

/** True if this webhook makes the order a purchase. Other topics only update its row. */
function isPurchaseNow(order: Fields, { shop, topic }: ReadInput): boolean {
  const isPaid = topic === 'orders/paid' || (topic === 'orders/create' && order.financial_status === 'paid')
  return shop.purchaseOn === 'paid' ? isPaid : isPaid || topic === 'orders/create'
}

export function readShopifyOrder(order: Fields, input: ReadInput): ShopMessage {
  const { shop, now } = input
  const row = shopifyOrder(order, shop, now)
  if (!row) return { events: [], ignored: 'the order has no id, sum or currency' }
  const purchase = purchaseOf(order, row, input)
  if (row.status === 'test' && !shop.sendTests) return { order: row, events: [], ignored: 'a test order' }
  if (!shop.salesChannels.includes(row.salesChannel!))
    return { order: row, events: [], ignored: `an order of the sales channel ${row.salesChannel}` }
  const refunds = shop.sendRefunds ? refundsOf(order, purchase, input) : []
  const isSent = row.status !== 'cancelled' && isPurchaseNow(order, input)
  return { order: row, purchase, events: [...(isSent ? [purchase] : []), ...refunds] }
}
