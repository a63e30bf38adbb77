import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { YOTPO_APP_KEY: 'yotpo-app', YOTPO_API_SECRET: 'yotpo-secret' }
const example = exampleLike({ secrets })
const replies = [{ status: 200, json: { access_token: 'tok-1' } }]
const stores = 'https://api.yotpo.com/core/v3/stores/yotpo-app'
const token = {
  url: `${stores}/access_tokens`,
  headers: { 'content-type': 'application/json' },
  body: { secret: 'yotpo-secret' },
}
const line = { external_product_id: 'sku-1', quantity: 2, total_price: 59.98, subtotal_price: 59.98 }

const sent = (order: object) => [
  token,
  {
    url: `${stores}/orders`,
    headers: { 'content-type': 'application/json', 'x-yotpo-token': 'tok-1' },
    body: { order: { order_date: '2023-11-14T22:13:20.000Z', payment_status: 'paid', ...order } },
  },
]

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://api.yotpo.com/core/v3/stores/yotpo-app/access_tokens',
    headers: { 'content-type': 'application/json' },
    body: { secret: 'yotpo-secret' },
  },
  {
    url: 'https://api.yotpo.com/core/v3/stores/yotpo-app/orders',
    headers: { 'content-type': 'application/json', 'x-yotpo-token': 'tok-1' },
    body: {
      order: {
        external_id: 'A-1001',
        order_date: '2023-11-14T22:13:20.000Z',
        total_price: 59.98,
        subtotal_price: 59.98,
        currency: 'EUR',
        payment_status: 'paid',
        customer: { email: 'ada.lovelace@gmail.com', accepts_sms_marketing: false, ...person },
        line_items: [{ external_product_id: 'sku-1', quantity: 2, total_price: 59.98, subtotal_price: 59.98 }],
      },
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('an order, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', discounts: [{ code: 'TEN' }] },
    },
    user: ada,
    purchaseValueMode: 'net',
    replies,
    sends: sent({
      external_id: 'A-1001',
      total_price: 95.05,
      subtotal_price: 59.98,
      currency: 'EUR',
      customer: {
        external_id: 'customer-1',
        email: 'ada.lovelace@gmail.com',
        phone_number: '+491701234567',
        first_name: 'Ada',
        last_name: 'Lovelace',
        accepts_sms_marketing: false,
      },
      line_items: [{ ...line, coupon_code: 'TEN' }],
    }),
  }),
  example('an order in yen by someone known by e-mail only; items without an id are omitted', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, currency: 'JPY', orderId: 'A-1002', contents: [{ title: 'Runner' }, { id: 'sku-2' }] },
    },
    user: { email: 'ada@example.com', phone: '12345' },
    replies,
    sends: sent({
      external_id: 'A-1002',
      total_price: 1250,
      currency: 'JPY',
      customer: { external_id: 'ada@example.com', email: 'ada@example.com', accepts_sms_marketing: false },
      line_items: [{ external_product_id: 'sku-2', quantity: 1 }],
    }),
  }),
  example('an event that is no order', {
    event: { eventName: 'AddToCart', data: cart },
    user: { email: 'ada@example.com' },
    replies,
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an order without an e-mail address', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1003' } },
    user: { customerId: 'customer-1' },
    replies,
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      replies: [{ status: 200, json: { access_token: 'tok-1' } }],
      secrets,
    },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({ external_id: 'ada.lovelace@gmail.com' }),
      customer: sentForPerson({ external_id: 'customer-1' }),
    },
  ),
]
