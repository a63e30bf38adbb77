import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { REFERSION_PUBLIC_KEY: 'pub_1', REFERSION_SECRET_KEY: 'sec_1' }
const example = exampleLike({ secrets })
const order = {
  cart_id: 'A-1001',
  auto_credit_affiliate_id: '101',
  order_id: 'A-1001',
  currency_code: 'EUR',
  items: [{ sku: 'sku-1', name: 'Runner', price: 29.99, quantity: 2 }],
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent({ ...order, items: [] })[0]!, {
    method: undefined,
    body: { items: [{ sku: 'sku-1', name: 'Runner', price: 29.99, quantity: 2 }] },
  }),
]

export const examples: ProviderExample[] = [
  example('a purchase after a click', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001', shipping: 4.95, tax: 9.58, discount: 5 } },
    user: { ip: '81.2.69.142' },
    captured: { rfsn: '101.abcdef' },
    sends: sent({ ...order, shipping: 4.95, tax: 9.58, discount: 5, customer: { ip_address: '81.2.69.142' } }),
  }),
  example('a purchase in yen by a discount code, with the name and e-mail of the customer', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 1250,
        currency: 'JPY',
        orderId: 'A-1001',
        discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
        contents: [{ id: 'sku-1', sku: 'S1', item_price: 1250 }],
      },
    },
    user: ada,
    secrets: { REFERSION_SEND_EMAIL: '1' },
    sends: sent({
      cart_id: 'A-1001',
      order_id: 'A-1001',
      currency_code: 'JPY',
      discount_code: 'SPRING',
      customer: {
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: 'ada.lovelace@gmail.com',
        ip_address: '81.2.69.142',
      },
      items: [{ sku: 'S1', price: 1250, quantity: 1 }],
    }),
  }),
  example('a purchase without items, by the cookie', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    captured: { refersion_rfsn: '101.abcdef' },
    sends: sent({ ...order, items: [] }),
  }),
  example('a refund takes back its items, without a click', {
    event: {
      eventName: 'Refund',
      data: {
        value: 29.99,
        currency: 'EUR',
        orderId: 'A-1001',
        contents: [
          { id: 'sku-1', item_price: 29.99, quantity: 1 },
          { id: 'sku-2', sku: 'S2' },
        ],
      },
    },
    sends: [
      {
        url: 'https://api.refersion.com/v2/conversion/cancel',
        headers: {
          'content-type': 'application/json',
          'refersion-public-key': 'pub_1',
          'refersion-secret-key': 'sec_1',
        },
        body: {
          order_id: 'A-1001',
          items: [
            { sku: 'sku-1', price: 29.99, quantity: 1 },
            { sku: 'S2', quantity: 1 },
          ],
        },
      },
    ],
  }),
  ...[
    { title: 'a refund without items', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    { title: 'a refund without an order id', data: cart },
  ].map(({ title, data }) =>
    example(title, { event: { eventName: 'Refund', data }, sends: { skipped: 'payloadRefused' as const } }),
  ),
  example('a purchase without click and discount code', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('an event that is no order', {
    event: { eventName: 'AddToCart', data: cart },
    captured: { rfsn: '101.abcdef' },
    sends: { skipped: 'eventNotSupported' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      captured: { rfsn: '101.abcdef' },
      secrets,
    },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]

function sent(body: object) {
  return [
    {
      method: 'POST',
      url: 'https://inbound-webhooks.refersion.com/tracker/orders/paid',
      headers: { 'content-type': 'application/json', 'refersion-public-key': 'pub_1', 'refersion-secret-key': 'sec_1' },
      body,
    },
  ]
}
