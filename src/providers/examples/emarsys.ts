import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const ids = {
  PageView: '11',
  ViewContent: '12',
  AddToCart: '13',
  RemoveFromCart: '14',
  InitiateCheckout: '15',
  AddShippingInfo: '16',
  AddPaymentInfo: '17',
  Purchase: '18',
  Subscribe: '19',
  Search: '20',
  Lead: '21',
  'Quiz finished': '22',
}
const secrets = {
  EMARSYS_CLIENT_ID: 'client',
  EMARSYS_CLIENT_SECRET: 'client-secret',
  EMARSYS_MAPPED_EVENTS: JSON.stringify(Object.entries(ids)),
}
const example = exampleLike({ secrets })
const replies = [{ status: 200, json: { access_token: 'token-1', expires_in: 3600, token_type: 'bearer' } }]
const token = {
  url: 'https://auth.emarsys.net/oauth2/token',
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from('client:client-secret').toString('base64')}`,
  },
  body: { grant_type: 'client_credentials' },
}
const items = [{ id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2, category: 'Shoes', variant: 'red' }]

const sent = (id: string, data: object, contact: object = { key_id: '3', external_id: 'ada@example.com' }) => ({
  url: `https://api.emarsys.net/api/v3/event/${id}/trigger`,
  headers: { 'content-type': 'application/json', authorization: 'Bearer token-1', accept: 'application/json' },
  body: { ...contact, data },
})

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://auth.emarsys.net/oauth2/token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: 'Basic Y2xpZW50OmNsaWVudC1zZWNyZXQ=',
    },
    body: { grant_type: 'client_credentials' },
  },
  {
    url: 'https://api.emarsys.net/api/v3/event/21/trigger',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token-1', accept: 'application/json' },
    body: { key_id: '3', external_id: 'ada.lovelace@gmail.com', data: { event_id: 'evt-1' } },
  },
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(ids).map(([eventName, id]) =>
    example(`${eventName} triggers the external event that it is mapped to`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      user: { email: ' Ada@Example.com', customerId: 'customer-1' },
      replies,
      sends: [token, sent(id, { value: 59.98, currency: 'EUR', order_id: 'A-1001', event_id: 'evt-1', items })],
    }),
  ),
  example('an order in yen, net, of a contact known by another field, at another base', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    user: { email: 'ada@example.com', customerId: 'customer-1' },
    secrets: { EMARSYS_KEY_FIELD_ID: '4711', EMARSYS_API_BASE_URL: 'https://api.emarsys.net/api/v2/' },
    replies,
    sends: [
      token,
      {
        ...sent(
          '18',
          { value: 1000, currency: 'JPY', order_id: 'A-1001', event_id: 'evt-1', tax: 250 },
          { key_id: '4711', external_id: 'customer-1' },
        ),
        url: 'https://api.emarsys.net/api/v2/event/18/trigger',
      },
    ],
  }),
  example('an event that is not mapped', {
    event: { eventName: 'Refund', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'filtered' },
  }),
  example('a person without an e-mail, where the e-mail names a contact', {
    event: { eventName: 'Lead', data: cart },
    user: { customerId: 'customer-1' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: { EMARSYS_TRAITS: '[["tier", "4711"]]' },
    replies,
    sends: [
      token,
      {
        method: 'PUT',
        url: 'https://api.emarsys.net/api/v3/contact',
        headers: { 'content-type': 'application/json', authorization: 'Bearer token-1', accept: 'application/json' },
        body: {
          key_id: '3',
          contacts: [
            {
              '1': 'Ada',
              '2': 'Lovelace',
              '3': 'ada.lovelace@gmail.com',
              '4': '1990-12-10',
              '11': 'London',
              '12': 'England',
              '13': 'W1A 1AA',
              '4711': 'gold',
            },
          ],
        },
      },
    ],
  }),
  example('what is not mapped is not sent', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: { email: 'ada@example.com' },
    custom: { tier: 'gold' },
    sends: { skipped: 'filtered' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead' },
      replies: [{ status: 200, json: { access_token: 'token-1', expires_in: 3600, token_type: 'bearer' } }],
      secrets,
    },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
