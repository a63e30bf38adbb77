import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { DRIP_ACCOUNT_ID: '9999999', DRIP_API_TOKEN: 'drip-token' }
const known = { user: { email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const headers = {
  'content-type': 'application/json',
  authorization: 'Basic ZHJpcC10b2tlbjo=',
  'user-agent': 'Aglet (shop.example)',
}
const pageUrl = 'https://www.shop.example/cart'
const row = {
  product_id: 'sku-1',
  product_variant_id: 'red',
  name: 'Runner',
  categories: ['Shoes'],
  price: 29.99,
  quantity: 2,
  total: 59.98,
}
const item = { product_id: 'sku-1', variant_id: 'red', name: 'Runner', category: 'Shoes', price: 29.99, quantity: 2 }
const names = {
  ViewContent: 'Viewed a Product',
  AddToCart: 'Added to cart',
  RemoveFromCart: 'Removed from cart',
  InitiateCheckout: 'Started checkout',
  AddShippingInfo: 'AddShippingInfo',
  AddPaymentInfo: 'AddPaymentInfo',
  Subscribe: 'Subscribe',
  Search: 'Search',
  Lead: 'Lead',
}

const event = (action: string, properties: object) => ({
  url: 'https://api.getdrip.com/v2/9999999/events',
  headers: { ...headers, 'user-agent': 'Aglet' },
  body: { events: [{ email: 'ada@example.com', action, occurred_at: '2023-11-14T22:13:20.000Z', properties }] },
})

const activity = (kind: string, more: object) => ({
  url: `https://api.getdrip.com/v3/9999999/shopper_activity/${kind}`,
  headers,
  body: {
    provider: 'shop_example',
    email: 'ada@example.com',
    initial_status: 'unsubscribed',
    occurred_at: '2023-11-14T22:13:20.000Z',
    grand_total: 59.98,
    currency: 'EUR',
    items: [row],
    ...more,
  },
})

/** The requests, the same for each of the three people. */
const sentForPerson = [like(event('Lead', {}), { body: { events: [{ email: 'ada.lovelace@gmail.com' }] } })]

export const examples: readonly ProviderExample[] = [
  example('an order, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://www.shop.example/thanks',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, discount: 10, orderId: 'A-1001' },
    },
    user: ada,
    purchaseValueMode: 'net',
    sends: [
      activity('order', {
        email: 'ada.lovelace@gmail.com',
        action: 'placed',
        order_id: 'A-1001',
        order_public_id: 'A-1001',
        grand_total: 95.05,
        total_discounts: 10,
        total_taxes: 19,
        total_shipping: 4.95,
      }),
    ],
  }),
  example('an order in yen under the name of the customer', {
    event: {
      eventName: 'Purchase',
      pageUrl,
      data: { value: 1250, currency: 'JPY', orderId: 'A-1002', contents: [{ id: 'sku-2' }, { quantity: 1 }] },
    },
    secrets: { DRIP_PROVIDER: 'my_store' },
    sends: [
      activity('order', {
        provider: 'my_store',
        action: 'placed',
        order_id: 'A-1002',
        order_public_id: 'A-1002',
        grand_total: 1250,
        currency: 'JPY',
        items: [{ product_id: 'sku-2', product_variant_id: 'sku-2', name: 'sku-2', quantity: 1 }],
      }),
    ],
  }),
  ...Object.entries(names).map(([eventName, action]) =>
    example(`${eventName} as an event, its value in cents`, {
      event: { eventName, data: cart },
      sends: [event(action, { value: 5998, currency: 'EUR', ...item })],
    }),
  ),
  example('an added product of a known cart', {
    event: {
      eventName: 'AddToCart',
      pageUrl,
      data: { ...cart, cartId: 'c-1', cartUrl: 'https://shop.example/cart/c-1' },
    },
    sends: [activity('cart', { action: 'updated', cart_id: 'c-1', cart_url: 'https://shop.example/cart/c-1' })],
  }),
  example('a known checkout', {
    event: { eventName: 'InitiateCheckout', pageUrl, data: { ...cart, checkoutId: 'ch-1' } },
    replies: [{ status: 202, json: { request_id: 'r-1' } }],
    sends: [activity('checkout', { action: 'created', checkout_id: 'ch-1' })],
  }),
  example('a known checkout where the account has no such route becomes an event', {
    event: { eventName: 'InitiateCheckout', pageUrl, data: { ...cart, checkoutId: 'ch-1' } },
    replies: [{ status: 404, json: {} }],
    sends: [
      activity('checkout', { action: 'created', checkout_id: 'ch-1' }),
      {
        ...event('Started checkout', { value: 5998, currency: 'EUR', page_url: pageUrl, ...item, checkoutId: 'ch-1' }),
        headers,
      },
    ],
  }),
  example('a refund has no value, which would count as revenue', {
    event: { eventName: 'Refund', data: { value: 10, currency: 'EUR', orderId: 'A-1001' } },
    sends: [event('Refund', { order_id: 'A-1001', currency: 'EUR', refund_amount: 10 })],
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: ada,
    sends: [
      {
        url: 'https://api.getdrip.com/v2/9999999/subscribers',
        headers: { ...headers, 'user-agent': 'Aglet' },
        body: {
          subscribers: [
            {
              email: 'ada.lovelace@gmail.com',
              initial_status: 'unsubscribed',
              first_name: 'Ada',
              last_name: 'Lovelace',
              phone: '+491701234567',
              city: 'London',
              state: 'England',
              zip: 'W1A 1AA',
              country: 'United Kingdom',
            },
          ],
        },
      },
    ],
  }),
  example('nothing but the address of a person is known', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    sends: { skipped: 'filtered' },
  }),
  example('a custom event', {
    event: { eventName: 'Quiz finished', data: { score: 7 } },
    sends: [event('Quiz finished', { score: 7 })],
  }),
  example('an event without an e-mail address', {
    event: { eventName: 'Search', data: { search: 'shoes' } },
    user: { userId: 'usr_1', phone: '+491701234567' },
    sends: { skipped: 'identityMissing' },
  }),
  example('Subscribe adds the person to what the customer set', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    secrets: { DRIP_LIST_CAMPAIGN_ID: '888888' },
    replies: [{ status: 201, json: {} }],
    sends: [
      {
        url: 'https://api.getdrip.com/v2/9999999/campaigns/888888/subscribers',
        headers: { ...headers, 'user-agent': 'Aglet' },
        body: { subscribers: [{ email: 'ada@example.com' }] },
      },
      event('Subscribe', {}),
    ],
  }),
  example('Subscribe adds nobody who refused advertising', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    consent: { advertising: 'denied' },
    secrets: { DRIP_LIST_CAMPAIGN_ID: '888888' },
    sends: [event('Subscribe', {})],
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
