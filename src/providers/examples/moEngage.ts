import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = {
  MOENGAGE_WORKSPACE_ID: 'WS1',
  MOENGAGE_DATA_API_KEY: 'moe-key',
  MOENGAGE_DATA_CENTER: '01',
}
const known = { user: { customerId: 'customer-1', email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const products = [
  { product_id: 'sku-1', variant_id: 'red', name: 'Runner', category: 'Shoes', price: 29.99, quantity: 2 },
]
const names = {
  PageView: 'PageView',
  ViewContent: 'ProductViewed',
  AddToCart: 'ProductAdded',
  RemoveFromCart: 'ProductRemoved',
  InitiateCheckout: 'CheckoutStarted',
  AddShippingInfo: 'ShippingInfoAdded',
  AddPaymentInfo: 'PaymentInfoAdded',
  Purchase: 'Purchase',
  Subscribe: 'Subscribe',
  Search: 'Search',
  Lead: 'Lead',
}
const at = '2023-11-14T22:13:20.000Z'

const sent = (kind: string, body: object, headers: Record<string, string> = {}, host = 'api-01.moengage.com') => ({
  url: `https://${host}/v1/${kind}/${headers['moe-appkey'] ?? 'WS1'}`,
  headers: {
    'content-type': 'application/json',
    authorization: 'Basic V1MxOm1vZS1rZXk=',
    'moe-appkey': 'WS1',
    ...headers,
  },
  body,
})
const event = (action: string, attributes: object, customer_id = 'customer-1', time = at) => ({
  type: 'event',
  customer_id,
  actions: [{ action, attributes, platform: 'web', user_time: time, current_time: time }],
})

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('event', event('Purchase', { order_id: 'A-1002', value: 1250, currency: 'JPY' })), {
    body: { actions: [{ action: 'Lead', attributes: { order_id: undefined, value: undefined, currency: undefined } }] },
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: [sent('event', event(name, { value: 59.98, currency: 'EUR', products }))],
    }),
  ),
  example('an order, net, by a person with all keys, in Europe', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', gift: true, moe_own: 1 },
    },
    user: ada,
    purchaseValueMode: 'net',
    secrets: { MOENGAGE_DATA_CENTER: '02' },
    sends: [
      sent(
        'event',
        event('Purchase', {
          order_id: 'A-1001',
          value: 95.05,
          currency: 'EUR',
          tax: 19,
          shipping: 4.95,
          page_url: 'https://shop.example/thanks',
          gift: true,
          products,
        }),
        { 'x-forwarded-for': '81.2.69.142' },
        'api-02.moengage.com',
      ),
    ],
  }),
  example('an order in yen', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1002' } },
    sends: [sent('event', event('Purchase', { order_id: 'A-1002', value: 1250, currency: 'JPY' }))],
  }),
  example('a custom event of a later time than now has the time of now', {
    event: { eventName: 'Quiz finished', timestamp: 1_700_000_900_000, data: { score: 7 } },
    sends: [sent('event', event('Quiz finished', { score: 7 }, 'customer-1', '2023-11-14T22:13:21.000Z'))],
  }),
  example('a custom event with a name that the vendor reserves', {
    event: { eventName: 'moe_quiz' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an event for the test environment of the workspace', {
    event: { eventName: 'Search', data: { search: 'shoes' } },
    testMode: true,
    sends: [
      sent('event', event('Search', { search: 'shoes' }), {
        authorization: 'Basic V1MxX0RFQlVHOm1vZS1rZXk=',
        'moe-appkey': 'WS1_DEBUG',
      }),
    ],
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: ada,
    sends: [
      sent(
        'customer',
        {
          type: 'customer',
          customer_id: 'customer-1',
          attributes: {
            email: 'ada.lovelace@gmail.com',
            mobile: '+491701234567',
            first_name: 'Ada',
            last_name: 'Lovelace',
          },
        },
        { 'x-forwarded-for': '81.2.69.142' },
      ),
    ],
  }),
  example('nothing became known of a person that has a field', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: { customerId: 'customer-1' },
    sends: { skipped: 'filtered' },
  }),
  example('a phone number identifies nobody', {
    event: { eventName: 'Lead' },
    user: { phone: '+49 170 1234567' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
