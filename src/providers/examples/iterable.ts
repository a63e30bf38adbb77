import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = { ITERABLE_API_KEY: 'iterable-key' }
const known = { user: { email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const headers = { 'content-type': 'application/json', 'api-key': 'iterable-key' }
const item = {
  id: 'sku-1',
  name: 'Runner',
  price: 29.99,
  quantity: 2,
  categories: ['Shoes'],
  dataFields: { variantId: 'red' },
}
const { Purchase: _, ...tracked } = standardEventNames
const createdAt = 1_700_000_000

const sent = (path: string, body: object, host = 'api.iterable.com') => ({
  url: `https://${host}/api/${path}`,
  headers,
  body,
})
const track = (eventName: string, dataFields: object, ids: object = { email: 'ada@example.com' }) =>
  sent('events/track', { ...ids, id: 'evt-1', eventName, createdAt, dataFields })

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(track('Lead', {}), { body: { email: 'ada.lovelace@gmail.com', ...person } }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.keys(tracked).map((eventName) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: [track(eventName, { value: 59.98, currency: 'EUR', items: [item] })],
    }),
  ),
  example('an order, net, by a person with all keys, in Europe', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', gift: true },
    },
    user: ada,
    purchaseValueMode: 'net',
    secrets: { ITERABLE_DATA_CENTER: 'eu' },
    sends: [
      sent(
        'commerce/trackPurchase',
        {
          id: 'A-1001',
          user: {
            email: 'ada.lovelace@gmail.com',
            userId: 'customer-1',
            dataFields: { phoneNumber: '+491701234567', firstName: 'Ada', lastName: 'Lovelace' },
            mergeNestedObjects: true,
          },
          items: [item],
          total: 95.05,
          createdAt,
          dataFields: { currency: 'EUR', tax: 19, shipping: 4.95, gift: true, eventId: 'evt-1' },
        },
        'api.eu.iterable.com',
      ),
    ],
  }),
  example('an order in yen of a user id; an item without a name has its id as its name', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, currency: 'JPY', orderId: 'A-1002', contents: [{ id: 'sku-2' }, { title: 'no id' }] },
    },
    user: { customerId: 'customer-1', phone: '12345' },
    sends: [
      sent('commerce/trackPurchase', {
        id: 'A-1002',
        user: { userId: 'customer-1', mergeNestedObjects: true },
        items: [{ id: 'sku-2', name: 'sku-2', price: 0, quantity: 1 }],
        total: 1250,
        createdAt,
        dataFields: { currency: 'JPY', eventId: 'evt-1' },
      }),
    ],
  }),
  ...['AddToCart', 'RemoveFromCart'].map((eventName) =>
    example(`${eventName} replaces the cart where the customer chose so`, {
      event: { eventName, data: cart },
      secrets: { ITERABLE_UPDATE_CART: '1' },
      sends: [
        sent('commerce/updateCart', { user: { email: 'ada@example.com', mergeNestedObjects: true }, items: [item] }),
      ],
    }),
  ),
  example('a custom event of a later time than now has the time of now', {
    event: { eventName: 'Quiz finished', timestamp: 1_700_000_900_000, data: { score: 7 } },
    user: { email: 'ada@example.com', customerId: 'customer-1' },
    sends: [
      sent('events/track', {
        email: 'ada@example.com',
        userId: 'customer-1',
        id: 'evt-1',
        eventName: 'Quiz finished',
        createdAt: 1_700_000_001,
        dataFields: { score: 7 },
      }),
    ],
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: { email: 'ada@example.com', firstName: 'Ada' },
    sends: [
      sent('users/update', { email: 'ada@example.com', dataFields: { firstName: 'Ada' }, mergeNestedObjects: true }),
    ],
  }),
  example('nothing became known of a person that has a field', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'filtered' },
  }),
  example('a phone number identifies nobody', {
    event: { eventName: 'Search', data: { search: 'shoes' } },
    user: { phone: '+49 170 1234567' },
    sends: { skipped: 'identityMissing' },
  }),
  example('Subscribe adds the person to what the customer set', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    secrets: { ITERABLE_LIST_ID: '12345' },
    replies: [{ status: 200, json: { successCount: 1, failCount: 0 } }],
    sends: [
      sent('lists/subscribe', { listId: 12345, subscribers: [{ email: 'ada@example.com' }] }),
      sent('events/track', {
        email: 'ada@example.com',
        id: 'evt-1',
        eventName: 'Subscribe',
        createdAt: 1_700_000_000,
        dataFields: {},
      }),
    ],
  }),
  example('Subscribe adds nobody who refused advertising', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    consent: { advertising: 'denied' },
    secrets: { ITERABLE_LIST_ID: '12345' },
    sends: [
      sent('events/track', {
        email: 'ada@example.com',
        id: 'evt-1',
        eventName: 'Subscribe',
        createdAt: 1_700_000_000,
        dataFields: {},
      }),
    ],
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({}),
      customer: sentForPerson({ userId: 'customer-1' }),
    },
  ),
]
