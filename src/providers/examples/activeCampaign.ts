import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { ACTIVE_CAMPAIGN_ACCOUNT_ID: '66001234', ACTIVE_CAMPAIGN_EVENT_KEY: 'event-key' }
const example = exampleLike({ secrets })
const withOrders = {
  ...secrets,
  ACTIVE_CAMPAIGN_API_URL: 'https://shop.api-us1.com/',
  ACTIVE_CAMPAIGN_API_KEY: 'api-key',
  ACTIVE_CAMPAIGN_CONNECTION_ID: '7',
}
const user = { email: ' Ada@Example.com', customerId: 'customer-1' }
const names = [
  'ViewContent',
  'AddToCart',
  'RemoveFromCart',
  'InitiateCheckout',
  'AddShippingInfo',
  'AddPaymentInfo',
  'Purchase',
  'Subscribe',
  'Search',
  'Lead',
]

const sent = (event: string, data: object) => ({
  url: 'https://trackcmp.net/event',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: {
    actid: '66001234',
    key: 'event-key',
    event,
    eventdata: JSON.stringify(data),
    visit: '{"email":"ada@example.com"}',
  },
})
const facts = {
  order_id: 'A-1001',
  value: 59.98,
  currency: 'EUR',
  event_id: 'evt-1',
  item_ids: 'sku-1',
  item_names: 'Runner',
  quantity: 2,
}
const api = (path: string, body?: object) => ({
  method: body ? 'POST' : 'GET',
  url: `https://shop.api-us1.com/api/3/${path}`,
  headers: { ...(body && { 'content-type': 'application/json' }), 'api-token': 'api-key' },
  ...(body && { body }),
})
const find = api('ecomCustomers?filters[email]=ada%40example.com&filters[connectionid]=7')
const make = api('ecomCustomers', {
  ecomCustomer: { connectionid: '7', externalid: 'customer-1', email: 'ada@example.com', acceptsMarketing: '0' },
})
const order = (customerid: string, more: object = {}) =>
  api('ecomOrders', {
    ecomOrder: {
      externalid: 'A-1001',
      source: '1',
      orderNumber: 'A-1001',
      orderProducts: [{ externalid: 'sku-1', name: 'Runner', price: 2999, quantity: 2, category: 'Shoes' }],
      totalPrice: 5998,
      currency: 'EUR',
      externalCreatedDate: '2023-11-14T22:13:20.000Z',
      email: 'ada@example.com',
      connectionid: '7',
      customerid,
      ...more,
    },
  })
const spawned = { status: 200, json: { success: 1, message: 'Event spawned' } }

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('Lead', { event_id: 'evt-1' }), { body: { visit: '{"email":"ada.lovelace@gmail.com"}' } }),
]

export const examples: readonly ProviderExample[] = [
  ...names.map((eventName) =>
    example(`${eventName} of a contact`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      user,
      sends: [sent(eventName, facts)],
    }),
  ),
  example('an order of a customer who is known is sent after the event', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user,
    secrets: withOrders,
    replies: [spawned, { status: 200, json: { ecomCustomers: [{ id: '12', email: 'ada@example.com' }] } }],
    sends: [sent('Purchase', facts), find, order('12')],
  }),
  example('a customer who is not known is made before the order, and accepts no marketing', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    user,
    secrets: withOrders,
    replies: [
      spawned,
      { status: 200, json: { ecomCustomers: [] } },
      { status: 201, json: { ecomCustomer: { id: '13' } } },
    ],
    sends: [
      sent('Purchase', { order_id: 'A-1001', value: 1000, currency: 'JPY', event_id: 'evt-1', tax: 250 }),
      find,
      make,
      order('13', { orderProducts: [], totalPrice: 100_000, currency: 'JPY' }),
    ],
  }),
  example('where the event is refused no order is sent', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user,
    secrets: withOrders,
    replies: [{ status: 200, json: { success: 0, message: 'Event not allowed' } }],
    sends: [sent('Purchase', facts)],
  }),
  example('a custom event, cut to 32 characters', {
    event: { eventName: 'q'.repeat(40), data: { score: 7, list: [1] } },
    user,
    sends: [sent('q'.repeat(32), { event_id: 'evt-1', score: 7 })],
  }),
  example('what became known of a person updates the contact, and puts it on no list', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada', tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold' },
    secrets: withOrders,
    sends: [
      api('contact/sync', {
        contact: { email: 'ada.lovelace@gmail.com', phone: '+491701234567', firstName: 'Ada', lastName: 'Lovelace' },
      }),
    ],
  }),
  example('without an API key no contact is updated', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada' } },
    user: ada,
    sends: { skipped: 'filtered' },
  }),
  example('a person without an e-mail', {
    event: { eventName: 'Lead', data: cart },
    user: { customerId: 'customer-1' },
    sends: { skipped: 'identityMissing' },
  }),
  example('Subscribe adds the person to what the customer set', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    secrets: { ...withOrders, ACTIVE_CAMPAIGN_LIST_ID: '2' },
    replies: [
      { status: 200, json: { contact: { id: '5' } } },
      { status: 201, json: { contactList: { id: '7' } } },
    ],
    sends: [
      {
        url: 'https://shop.api-us1.com/api/3/contact/sync',
        headers: { 'content-type': 'application/json', 'api-token': 'api-key' },
        body: { contact: { email: 'ada@example.com' } },
      },
      {
        url: 'https://shop.api-us1.com/api/3/contactLists',
        headers: { 'content-type': 'application/json', 'api-token': 'api-key' },
        body: { contactList: { list: '2', contact: '5', status: 1 } },
      },
      sent('Subscribe', { event_id: 'evt-1' }),
    ],
  }),
  example('Subscribe adds nobody who refused advertising', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    consent: { advertising: 'denied' },
    secrets: { ...withOrders, ACTIVE_CAMPAIGN_LIST_ID: '2' },
    sends: [sent('Subscribe', { event_id: 'evt-1' })],
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
