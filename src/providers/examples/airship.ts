import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { AIRSHIP_APP_KEY: 'ISex_TTJRuarzs9-o_Gkhg', AIRSHIP_ACCESS_TOKEN: 'air-token' }
const known = { user: { customerId: 'customer-1' }, secrets }
const example = exampleLike(known)
const items = [{ product_id: 'sku-1', variant_id: 'red', name: 'Runner', category: 'Shoes', price: 29.99, quantity: 2 }]
const names = {
  PageView: 'page_view',
  ViewContent: 'browsed',
  AddToCart: 'added_to_cart',
  RemoveFromCart: 'removed_from_cart',
  InitiateCheckout: 'started_checkout',
  AddShippingInfo: 'added_shipping_info',
  AddPaymentInfo: 'added_payment_info',
  Purchase: 'purchased',
  Subscribe: 'subscribed',
  Search: 'searched',
  Lead: 'lead',
}

const sent = (body: object, occurred = '2023-11-14T22:13:20', host = 'go.urbanairship.com') => ({
  url: `https://${host}/api/custom-events`,
  headers: {
    'content-type': 'application/json',
    authorization: 'Bearer air-token',
    'x-ua-appkey': 'ISex_TTJRuarzs9-o_Gkhg',
    accept: 'application/vnd.urbanairship+json; version=3',
  },
  body: [{ occurred, user: { named_user_id: 'customer-1' }, body }],
})

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent({ name: 'quiz_finished', properties: { score: 7 } }, '2023-11-14T22:13:21'), {
    body: [{ occurred: '2023-11-14T22:13:20', body: { name: 'lead', properties: { score: undefined } } }],
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: [sent({ name, value: 59.98, properties: { currency: 'EUR', items } })],
    }),
  ),
  example('an order, net, by a person with all keys, in Europe', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', gift: true },
    },
    user: ada,
    purchaseValueMode: 'net',
    secrets: { AIRSHIP_REGION: 'eu' },
    sends: [
      sent(
        {
          name: 'purchased',
          value: 95.05,
          transaction: 'A-1001',
          interaction_id: 'https://shop.example/thanks',
          interaction_type: 'url',
          properties: { currency: 'EUR', tax: 19, shipping: 4.95, gift: true, items },
        },
        '2023-11-14T22:13:20',
        'go.airship.eu',
      ),
    ],
  }),
  example('an order in yen', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1002' } },
    sends: [sent({ name: 'purchased', value: 1250, transaction: 'A-1002', properties: { currency: 'JPY' } })],
  }),
  example('a custom event in lower case, of a later time than now', {
    event: { eventName: 'Quiz Finished', timestamp: 1_700_000_900_000, data: { score: 7 } },
    sends: [sent({ name: 'quiz_finished', properties: { score: 7 } }, '2023-11-14T22:13:21')],
  }),
  example('an e-mail address is no named user', {
    event: { eventName: 'Lead' },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', vip: true, points: 7.5, note: 'not mapped' },
    secrets: { AIRSHIP_TRAITS: '[["tier", "tier"], ["city", "home_city"], ["vip", "vip"], ["points", "points"]]' },
    sends: [
      {
        url: 'https://go.urbanairship.com/api/named_users/customer-1/attributes',
        headers: {
          'content-type': 'application/json',
          authorization: 'Bearer air-token',
          'x-ua-appkey': 'ISex_TTJRuarzs9-o_Gkhg',
          accept: 'application/vnd.urbanairship+json; version=3',
        },
        body: {
          attributes: [
            { action: 'set', key: 'tier', value: 'gold', timestamp: '2023-11-14T22:13:20' },
            { action: 'set', key: 'home_city', value: 'London', timestamp: '2023-11-14T22:13:20' },
            { action: 'set', key: 'vip', value: 'true', timestamp: '2023-11-14T22:13:20' },
            { action: 'set', key: 'points', value: 7.5, timestamp: '2023-11-14T22:13:20' },
          ],
        },
      },
    ],
  }),
  example('what is not mapped is not sent', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold' },
    sends: { skipped: 'filtered' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
