import { createHash, createHmac } from 'node:crypto'

/**
 * Orders of a fake shop, and their webhooks as Shopify, WooCommerce and BigCommerce document them: header and field names,
 * types, order and signature. This file uses none of our own code.
 */
export type FakeOrder = {
  /** A text, because Shopify's ids exceed 2^53. */
  id: string
  number: string
  placedAt: number
  updatedAt: number
  total: string
  tax: string
  shipping: string
  currency: string
  email: string
  customerId: string
  /** The checkout token, or WooCommerce's order key. */
  token: string
  ip?: string
  userAgent?: string
  /** Attributes that the shop's page stored with the order. */
  attributes?: Readonly<Record<string, string>>
  isPaid?: boolean
  isCancelled?: boolean
  isTest?: boolean
  channel?: string
  refunds?: readonly { id: string; amount: string; at: number }[]
}

export const fakeOrder = (more: Partial<FakeOrder> & { id: string; placedAt: number }): FakeOrder => ({
  number: more.id.slice(-4),
  updatedAt: more.placedAt,
  total: '119.00',
  tax: '19.00',
  shipping: '5.00',
  currency: 'EUR',
  email: `buyer${more.id}@example.com`,
  customerId: `7${more.id}`,
  token: createHash('md5').update(`token ${more.id}`).digest('hex'),
  isPaid: true,
  ...more,
})

export type Webhook = { headers: Record<string, string>; body: string }

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64')
const zoned = (ms: number) => `${new Date(ms - 5 * 3_600_000).toISOString().slice(0, 19)}-05:00`
const money = (amount: string, currency: string) => ({
  shop_money: { amount, currency_code: currency },
  presentment_money: { amount, currency_code: currency },
})

/** Marks an id that is the number `123` in JSON, not the text `"123"`. */
const numberId = (id: string) => `number:${id}`
/** Shopify's JSON escapes slashes. */
const shopifyJson = (value: unknown) =>
  JSON.stringify(value)
    .replaceAll(/"number:(\d+)"/g, '$1')
    .replaceAll('/', String.raw`\/`)

const transaction = (order: FakeOrder, amount: string, at: number) => ({
  id: numberId(`9${order.id.slice(-8)}`),
  order_id: numberId(order.id),
  kind: 'refund',
  gateway: 'bogus',
  status: 'success',
  created_at: zoned(at),
  amount,
  currency: order.currency,
})

const shopifyRefund = (order: FakeOrder, { id, amount, at }: { id: string; amount: string; at: number }) => ({
  id: numberId(id),
  order_id: numberId(order.id),
  created_at: zoned(at),
  note: null,
  processed_at: zoned(at),
  refund_line_items: [],
  transactions: [transaction(order, amount, at)],
})

/** The body of `orders/…`, with the fields of Shopify's reference that receivers commonly read. */
export const shopifyOrderJson = (order: FakeOrder): string =>
  shopifyJson({
    id: numberId(order.id),
    admin_graphql_api_id: `gid://shopify/Order/${order.id}`,
    app_id: 580111,
    browser_ip: order.ip ?? null,
    buyer_accepts_marketing: false,
    cancel_reason: order.isCancelled ? 'customer' : null,
    cancelled_at: order.isCancelled ? zoned(order.updatedAt) : null,
    cart_token: null,
    checkout_id: numberId(`3${order.id.slice(-8)}`),
    checkout_token: order.token,
    client_details: order.ip
      ? {
          accept_language: 'en',
          browser_height: null,
          browser_ip: order.ip,
          browser_width: null,
          session_hash: null,
          user_agent: order.userAgent ?? null,
        }
      : null,
    closed_at: null,
    confirmed: true,
    contact_email: order.email,
    created_at: zoned(order.placedAt),
    currency: order.currency,
    current_total_price: order.total,
    discount_codes: [],
    email: order.email,
    financial_status: order.refunds?.length ? 'partially_refunded' : order.isPaid ? 'paid' : 'pending',
    landing_site: '/?gclid=click-1',
    name: `#${order.number}`,
    note: null,
    note_attributes: Object.entries(order.attributes ?? {}).map(([name, value]) => ({ name, value })),
    number: Number(order.number),
    order_number: Number(order.number) + 1000,
    order_status_url: `https://shop.example/548380009/orders/${order.token}/authenticate?key=abc`,
    phone: null,
    presentment_currency: order.currency,
    processed_at: zoned(order.placedAt),
    referring_site: 'https://www.example.org/',
    source_name: order.channel ?? 'web',
    taxes_included: true,
    test: order.isTest ?? false,
    total_discounts: '0.00',
    total_price: order.total,
    total_price_set: money(order.total, order.currency),
    total_shipping_price_set: money(order.shipping, order.currency),
    total_tax: order.tax,
    updated_at: zoned(order.updatedAt),
    billing_address: {
      first_name: 'Ada',
      address1: '1 Main Street',
      phone: '+49 30 901820',
      city: 'Berlin',
      zip: '10115',
      province: null,
      country: 'Germany',
      last_name: 'Lovelace',
      country_code: 'DE',
      province_code: null,
    },
    customer: {
      id: numberId(order.customerId),
      email: order.email,
      first_name: 'Ada',
      last_name: 'Lovelace',
      phone: null,
    },
    line_items: [
      {
        id: numberId(`4${order.id.slice(-8)}`),
        price: '57.00',
        product_id: 632910392,
        quantity: 2,
        sku: 'MUG-1',
        title: 'Mug',
        total_discount: '0.00',
        variant_id: 808950810,
        vendor: 'Potter',
      },
    ],
    refunds: (order.refunds ?? []).map((refund) => shopifyRefund(order, refund)),
    shipping_address: null,
    shipping_lines: [{ id: 1, price: order.shipping, title: 'Standard' }],
  })

export type ShopifyShop = { shop: string; key: string }

/** A Shopify delivery. `body` is signed unchanged. */
export function shopifyWebhook({ shop, key }: ShopifyShop, topic: string, body: string): Webhook {
  const id = createHash('sha1')
    .update(topic + body)
    .digest('hex')
  return {
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-hmac-sha256': hmac(key, body),
      'x-shopify-shop-domain': shop,
      'x-shopify-api-version': '2026-07',
      'x-shopify-webhook-id': `b54557e4-bdd9-4b37-8a5f-${id.slice(0, 12)}`,
      'x-shopify-event-id': `98880550-7158-44d4-b7cd-${id.slice(12, 24)}`,
      'x-shopify-triggered-at': '2026-11-20T12:00:00.123456789Z',
      'user-agent': 'Shopify-Captain-Hook',
    },
    body,
  }
}

export const shopifyRefundJson = (order: FakeOrder, refund: { id: string; amount: string; at: number }): string =>
  shopifyJson(shopifyRefund(order, refund))

const gmt = (ms: number) => new Date(ms).toISOString().slice(0, 19)

/** WordPress writes JSON like PHP: slashes are escaped. */
const phpJson = (value: unknown) => JSON.stringify(value).replaceAll('/', String.raw`\/`)

/** The body of `order.…`: the order as `GET /wc/v3/orders/{id}` returns it. */
export const wooOrderJson = (
  order: FakeOrder,
  status = order.isCancelled ? 'cancelled' : order.isPaid ? 'processing' : 'on-hold',
): string =>
  phpJson({
    id: Number(order.id),
    parent_id: 0,
    status,
    currency: order.currency,
    version: '9.4.1',
    prices_include_tax: true,
    date_created: gmt(order.placedAt),
    date_modified: gmt(order.updatedAt),
    discount_total: '0.00',
    discount_tax: '0.00',
    shipping_total: order.shipping,
    shipping_tax: '0.00',
    cart_tax: order.tax,
    total: order.total,
    total_tax: order.tax,
    customer_id: Number(order.customerId),
    order_key: `wc_order_${order.token.slice(0, 13)}`,
    billing: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      company: '',
      address_1: '1 Main Street',
      address_2: '',
      city: 'Berlin',
      state: 'DE-BE',
      postcode: '10115',
      country: 'DE',
      email: order.email,
      phone: '030 901820',
    },
    shipping: {
      first_name: '',
      last_name: '',
      company: '',
      address_1: '',
      address_2: '',
      city: '',
      state: '',
      postcode: '',
      country: '',
      phone: '',
    },
    payment_method: 'cod',
    payment_method_title: 'Cash on delivery',
    transaction_id: '',
    customer_ip_address: order.ip ?? '',
    customer_user_agent: order.userAgent ?? '',
    created_via: order.channel ?? 'checkout',
    customer_note: '',
    date_completed: null,
    date_paid: order.isPaid ? gmt(order.placedAt) : null,
    cart_hash: order.token,
    number: order.number,
    meta_data: Object.entries(order.attributes ?? {}).map(([key, value], at) => ({ id: at + 1, key, value })),
    line_items: [
      {
        id: 1,
        name: 'Mug',
        product_id: 93,
        variation_id: 0,
        quantity: 2,
        tax_class: '',
        subtotal: '95.00',
        subtotal_tax: '19.00',
        total: '95.00',
        total_tax: '19.00',
        taxes: [],
        meta_data: [],
        sku: 'MUG-1',
        price: 47.5,
      },
    ],
    tax_lines: [],
    shipping_lines: [],
    fee_lines: [],
    coupon_lines: [],
    refunds: (order.refunds ?? []).map(({ id, amount }) => ({ id: Number(id), reason: '', total: `-${amount}` })),
    date_created_gmt: gmt(order.placedAt),
    date_modified_gmt: gmt(order.updatedAt),
    date_completed_gmt: null,
    date_paid_gmt: order.isPaid ? gmt(order.placedAt) : null,
  })

/** A WooCommerce delivery. `shop` is the address of the shop's home page. */
export const wooWebhook = ({ shop, key }: ShopifyShop, topic: string, body: string): Webhook => ({
  headers: {
    'content-type': 'application/json',
    'x-wc-webhook-source': `https://${shop}/`,
    'x-wc-webhook-topic': topic,
    'x-wc-webhook-resource': topic.split('.')[0]!,
    'x-wc-webhook-event': topic.split('.')[1]!,
    'x-wc-webhook-signature': hmac(key, body),
    'x-wc-webhook-id': '7',
    'x-wc-webhook-delivery-id': createHash('md5').update(body).digest('hex'),
    'user-agent': 'WooCommerce/9.4.1 Hookshot (WordPress/6.7)',
  },
  body,
})

/** The order as BigCommerce's `GET /v2/orders/{id}` returns it. */
export const bigOrderJson = (order: FakeOrder, statusId = 11): string =>
  JSON.stringify({
    id: Number(order.id),
    customer_id: Number(order.customerId),
    date_created: new Date(order.placedAt).toUTCString().replace('GMT', '+0000'),
    date_modified: new Date(order.updatedAt).toUTCString().replace('GMT', '+0000'),
    status_id: statusId,
    total_ex_tax: '100.0000',
    total_inc_tax: `${order.total}00`,
    total_tax: `${order.tax}00`,
    shipping_cost_inc_tax: `${order.shipping}00`,
    items_total: 2,
    refunded_amount: '0.0000',
    ip_address: order.ip ?? '',
    ip_address_v6: '',
    currency_code: order.currency,
    default_currency_code: order.currency,
    discount_amount: '0.0000',
    coupon_discount: '0.0000',
    order_source: order.channel ?? 'www',
    channel_id: 1,
    cart_id: order.token,
    external_id: null,
    billing_address: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      street_1: '1 Main Street',
      city: 'Berlin',
      state: '',
      zip: '10115',
      country: 'Germany',
      country_iso2: 'DE',
      phone: '030 901820',
      email: order.email,
    },
  })

/** A BigCommerce delivery, signed by Standard Webhooks. */
export function bigWebhook(
  { shop, key }: ShopifyShop,
  { scope, data, at }: { scope: string; data: object; at: number },
): Webhook {
  const created = Math.floor(at / 1000)
  const hash = createHash('sha1').update(JSON.stringify(data)).digest('hex')
  const body = JSON.stringify({
    scope,
    store_id: '1025646',
    data,
    hash,
    created_at: created,
    producer: `stores/${shop}`,
  })
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': `msg_${hash.slice(0, 20)}`,
      'webhook-timestamp': `${created}`,
      'webhook-signature': `v1,${hmac(key, `msg_${hash.slice(0, 20)}.${created}.${body}`)}`,
    },
    body,
  }
}
