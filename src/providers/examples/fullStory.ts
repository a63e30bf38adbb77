import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = { FULLSTORY_API_KEY: 'na1.key-1' }
const example = exampleLike({ secrets })
const user = { customerId: 'customer-1' }
const properties = { value: 59.98, currency: 'EUR', contents: cart.contents }
const known = { user: { uid: 'customer-1' }, session: { use_most_recent: true } }
const { Purchase: _purchase, PageView: _pageView, ...others } = standardEventNames

/** The expected request; `more` differs between the examples. */
function sent(name: string, properties: object, more: object = known, host = 'api.fullstory.com') {
  return [
    {
      url: `https://${host}/v2/events`,
      headers: {
        'content-type': 'application/json',
        authorization: 'Basic na1.key-1',
        'idempotency-key': 'evt-1',
      },
      body: { name, timestamp: '2023-11-14T22:13:20.000Z', properties, ...more },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = sent('Lead', {})

export const examples: readonly ProviderExample[] = [
  example('a purchase of a known person: the session is the one of the last half an hour', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      referrer: 'https://shop.example/cart',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }], plan: 'gold' },
    },
    user: ada,
    captured: { fs_uid: '#o-1-na1#4f6b9a2c:8d1f0b7e:1699999999000::1#/1731000000' },
    sends: sent(
      'Purchase',
      { ...properties, order_id: 'A-1001', coupon: 'SPRING', plan: 'gold' },
      {
        ...known,
        context: {
          browser: {
            url: 'https://shop.example/thanks',
            user_agent: 'Mozilla/5.0',
            initial_referrer: 'https://shop.example/cart',
          },
          location: { ip_address: '81.2.69.142' },
        },
      },
    ),
  }),
  example('a purchase in yen, net, in the EU', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2' } },
    user,
    purchaseValueMode: 'net',
    secrets: { FULLSTORY_REGION: 'EU' },
    sends: sent(
      'Purchase',
      { value: 1000, tax: 250, currency: 'JPY', order_id: 'A-2' },
      known,
      'api.eu1.fullstory.com',
    ),
  }),
  ...eventOfEach(others).map((event) =>
    example(`${event.eventName} with a cart`, { event, user, sends: sent(event.eventName, properties) }),
  ),
  example('a search', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    user,
    sends: sent('Search', { search: 'red shoes' }),
  }),
  example('a page view, which the recording holds', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/' },
    user,
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a visitor who is known by the cookie of the recording', {
    event: { eventName: 'Lead' },
    captured: { fs_uid: '%23o-1-na1%234f6b9a2c%3A8d1f0b7e%3A1699999999000%3A%3A1%23%2F1731000000' },
    sends: sent('Lead', {}, { session: { id: '4f6b9a2c:8d1f0b7e' } }),
  }),
  example('a refund is a custom event', {
    event: { eventName: 'Refund', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    user,
    sends: sent('Refund', { value: 5, currency: 'EUR', order_id: 'A-1001' }),
  }),
  example('a person without an id', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a cookie without a session', {
    event: { eventName: 'Lead' },
    captured: { fs_uid: '#o-1-na1#' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
