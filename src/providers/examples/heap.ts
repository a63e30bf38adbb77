import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = { HEAP_APP_ID: '1234567890' }
const example = exampleLike({ secrets })
const user = { customerId: 'customer-1' }
const properties = { value: 59.98, currency: 'EUR', content_ids: ['sku-1'], quantities: ['2'] }
const { Purchase: _purchase, PageView: _pageView, ...others } = standardEventNames

/** The expected request; `userFields` differs between the examples. */
function sent(
  event: string,
  properties: object,
  userFields: object = { identity: 'customer-1' },
  host = 'heapanalytics.com',
) {
  return [
    {
      url: `https://${host}/api/track`,
      headers: { 'content-type': 'application/json' },
      body: {
        app_id: '1234567890',
        ...userFields,
        event,
        timestamp: '2023-11-14T22:13:20.000Z',
        idempotency_key: 'evt-1',
        properties,
      },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = sent('Lead', {})

export const examples: readonly ProviderExample[] = [
  example('a purchase of a known person: nested values are left out', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      pageTitle: 'Thanks',
      data: {
        ...cart,
        orderId: 'A-1001',
        discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
        plan: 'gold',
        isGift: true,
        note: { a: 1 },
      },
    },
    user: ada,
    sends: sent('Purchase', {
      ...properties,
      order_id: 'A-1001',
      coupon: 'SPRING',
      plan: 'gold',
      isGift: true,
      page_url: 'https://shop.example/thanks',
      page_title: 'Thanks',
    }),
  }),
  example('a purchase in yen, net, in the EU', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2' } },
    user,
    purchaseValueMode: 'net',
    secrets: { HEAP_REGION: 'EU' },
    sends: sent(
      'Purchase',
      { value: 1000, tax: 250, currency: 'JPY', order_id: 'A-2' },
      { identity: 'customer-1' },
      'c.eu.heap-api.com',
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
  example('a page view, which Heap records in the page', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/' },
    user,
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a visitor who is known by the cookie of the browser SDK', {
    event: { eventName: 'Lead' },
    captured: {
      '_hp2_id.1234567890': encodeURIComponent('{"userId":"8325872782136936","sessionId":"77","identity":null}'),
    },
    sends: sent('Lead', {}, { user_id: '8325872782136936', session_id: '77' }),
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
  example('a cookie of another environment', {
    event: { eventName: 'Lead' },
    captured: { '_hp2_id.77': '{"userId":"8325872782136936"}' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
