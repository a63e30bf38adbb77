import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { INTERCOM_ACCESS_TOKEN: 'dG9rOnRlc3Q=' }
const example = exampleLike({ secrets })
const user = { customerId: 'customer-1', email: ' Ada@Example.com' }
const names = {
  ViewContent: 'viewed-product',
  AddToCart: 'added-to-cart',
  RemoveFromCart: 'removed-from-cart',
  InitiateCheckout: 'started-checkout',
  AddShippingInfo: 'added-shipping-info',
  AddPaymentInfo: 'added-payment-info',
  Purchase: 'placed-order',
  Subscribe: 'subscribed',
  Search: 'searched',
  Lead: 'submitted-lead',
}
const headers = {
  'content-type': 'application/json',
  authorization: 'Bearer dG9rOnRlc3Q=',
  'intercom-version': '2.15',
  accept: 'application/json',
}
const metadata = {
  order_number: 'A-1001',
  price: { amount: 5998, currency: 'eur' },
  event_id: 'evt-1',
  item_ids: 'sku-1',
  item_names: 'Runner',
  quantity: 2,
}

const sent = (
  event_name: string,
  facts: object,
  userFields: object = { user_id: 'customer-1' },
  host = 'api.intercom.io',
) => ({
  url: `https://${host}/events`,
  headers,
  body: { event_name, created_at: 1_700_000_000, ...userFields, metadata: facts },
})
const notFound = {
  status: 404,
  json: { type: 'error.list', errors: [{ code: 'not_found', message: 'User Not Found' }] },
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('submitted-lead', {}), { body: { user_id: undefined, metadata: { event_id: 'evt-1' }, ...person } }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} of a known contact`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      user,
      sends: [sent(name, metadata)],
    }),
  ),
  example('an order in yen, net, of a contact known by the e-mail, in Europe', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    user: { email: 'ada@example.com' },
    secrets: { INTERCOM_REGION: 'eu' },
    sends: [
      sent(
        'placed-order',
        { order_number: 'A-1001', price: { amount: 1000, currency: 'jpy' }, event_id: 'evt-1', tax: 250 },
        { email: 'ada@example.com' },
        'api.eu.intercom.io',
      ),
    ],
  }),
  example('a custom event under its own name has at most ten keys, and dates are seconds', {
    event: {
      eventName: 'finished-quiz',
      data: { value: 5, a: 1, due_date: 'soon', end_date: 1_700_000_000, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 },
    },
    user,
    sends: [
      sent('finished-quiz', {
        value: 5,
        event_id: 'evt-1',
        a: 1,
        end_date: 1_700_000_000,
        b: 2,
        c: 3,
        d: 4,
        e: 5,
        f: 6,
        g: 7,
      }),
    ],
  }),
  example(
    'a person whom Intercom does not know is made a contact without marketing e-mails, where the customer says so',
    {
      event: { eventName: 'Lead', data: cart },
      user,
      secrets: { INTERCOM_CREATE_CONTACTS: '1' },
      replies: [notFound, { status: 200, json: { type: 'contact', id: 'c-1' } }],
      sends: [
        sent('submitted-lead', { ...metadata, order_number: undefined }),
        {
          url: 'https://api.intercom.io/contacts',
          headers,
          body: { role: 'user', external_id: 'customer-1', email: 'ada@example.com', unsubscribed_from_emails: true },
        },
        sent('submitted-lead', { ...metadata, order_number: undefined }),
      ].map((each) => JSON.parse(JSON.stringify(each))),
    },
  ),
  example('an event of a person who is known is sent once', {
    event: { eventName: 'Lead', data: { ...cart, orderId: 'A-1001' } },
    user,
    secrets: { INTERCOM_CREATE_CONTACTS: '1' },
    replies: [{ status: 202 }],
    sends: [sent('submitted-lead', metadata)],
  }),
  example('a key of the sender has the characters that Intercom takes', {
    event: { eventName: 'Search', data: { 'shop.filter$': 'red', ' ': 1 } },
    user,
    sends: [sent('searched', { event_id: 'evt-1', shop_filter_: 'red' })],
  }),
  example('what became known of a person updates the contact, and subscribes nobody', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada' } },
    user: ada,
    replies: [{ status: 200, json: { type: 'list', data: [{ type: 'contact', id: 'c-1' }] } }],
    sends: [
      {
        url: 'https://api.intercom.io/contacts/search',
        headers,
        body: { query: { field: 'external_id', operator: '=', value: 'customer-1' } },
      },
      {
        method: 'PUT',
        url: 'https://api.intercom.io/contacts/c-1',
        headers,
        body: { name: 'Ada Lovelace', phone: '+491701234567' },
      },
    ],
  }),
  example('of a person whom Intercom does not know nothing is updated', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada' } },
    user: { email: 'ada@example.com', firstName: 'Ada' },
    replies: [{ status: 200, json: { type: 'list', data: [] } }],
    sends: [
      {
        url: 'https://api.intercom.io/contacts/search',
        headers,
        body: { query: { field: 'email', operator: '=', value: 'ada@example.com' } },
      },
    ],
  }),
  example('an update that says nothing which Intercom keeps', {
    kind: 'user',
    event: { eventName: 'user', data: { city: 'London' } },
    user: { customerId: 'customer-1', city: 'London' },
    sends: { skipped: 'filtered' },
  }),
  example('a person without an e-mail and a user id', {
    event: { eventName: 'Lead', data: cart },
    user: { phone: '+491701234567' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({ email: 'ada.lovelace@gmail.com' }),
      customer: sentForPerson({ user_id: 'customer-1' }),
    },
  ),
]
