import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = { STATSIG_SERVER_SECRET: 'secret-1' }
const example = exampleLike({ secrets })
const user = { customerId: 'customer-1' }
const metadata = { currency: 'EUR', content_ids: 'sku-1' }
const { Purchase: _, ...others } = standardEventNames

/** The expected request; the arguments differ between the examples. */
function sent(
  eventName: string,
  value: number | undefined,
  metadata: object,
  userFields: object = {},
  tier = 'production',
) {
  const user = { userID: 'customer-1', statsigEnvironment: { tier }, ...userFields }
  return [
    {
      url: 'https://events.statsigapi.net/v1/log_event',
      headers: {
        'content-type': 'application/json',
        'statsig-api-key': 'secret-1',
        'statsig-client-time': '1700000001000',
      },
      body: {
        events: [
          {
            eventName,
            ...(value !== undefined && { value }),
            time: 1_700_000_000_000,
            user: JSON.parse(JSON.stringify(user)),
            metadata: { event_id: 'evt-1', ...metadata },
          },
        ],
      },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead', undefined, {})[0]!, {
    body: { events: [{ user: { userID: undefined, customIDs: { stableID: 'usr_1' }, ...person } }] },
  }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase of a known person', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: {
        ...cart,
        contents: [...cart.contents, { id: 'sku-2' }],
        orderId: 'A-1001',
        tax: 9.58,
        discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
        isGift: true,
        note: { a: 1 },
      },
    },
    user: ada,
    sends: sent(
      'Purchase',
      59.98,
      {
        currency: 'EUR',
        content_ids: 'sku-1,sku-2',
        order_id: 'A-1001',
        tax: '9.58',
        coupon: 'SPRING',
        isGift: 'true',
        page_url: 'https://shop.example/thanks',
      },
      {
        customIDs: { stableID: 'usr_1' },
        email: 'ada.lovelace@gmail.com',
        ip: '81.2.69.142',
        userAgent: 'Mozilla/5.0',
        country: 'GB',
      },
    ),
  }),
  example('a purchase in yen, net, in staging', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2' } },
    user,
    purchaseValueMode: 'net',
    secrets: { STATSIG_ENVIRONMENT: 'staging' },
    sends: sent('Purchase', 1000, { tax: '250', currency: 'JPY', order_id: 'A-2' }, {}, 'staging'),
  }),
  ...eventOfEach(others).map((event) =>
    example(`${event.eventName} with a cart`, { event, user, sends: sent(event.eventName, 59.98, metadata) }),
  ),
  example('a search in the test mode', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    user,
    testMode: true,
    sends: sent('Search', undefined, { search: 'red shoes' }, {}, 'development'),
  }),
  example('a visitor with the stable id of the browser SDK', {
    event: { eventName: 'PageView' },
    captured: { STATSIG_LOCAL_STORAGE_STABLE_ID: '9b1d-stable' },
    sends: sent('PageView', undefined, {}, { userID: undefined, customIDs: { stableID: '9b1d-stable' } }),
  }),
  example('a refund is a custom event', {
    event: { eventName: 'Refund', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    user,
    sends: sent('Refund', 5, { currency: 'EUR', order_id: 'A-1001' }),
  }),
  example('a person without an id', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({}),
      email: sentForPerson({ email: 'ada.lovelace@gmail.com' }),
      customer: sentForPerson({ userID: 'customer-1', email: 'ada.lovelace@gmail.com' }),
    },
  ),
]
