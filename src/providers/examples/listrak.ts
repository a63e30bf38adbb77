import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const uids = {
  PageView: 'uid-page',
  ViewContent: 'uid-product',
  AddToCart: 'uid-add',
  RemoveFromCart: 'uid-remove',
  InitiateCheckout: 'uid-checkout',
  AddShippingInfo: 'uid-shipping',
  AddPaymentInfo: 'uid-payment',
  Purchase: 'uid-purchase',
  Subscribe: 'uid-subscribe',
  Search: 'uid-search',
  Lead: 'uid-lead',
  'Quiz finished': 'uid-quiz',
}
const secrets = { LISTRAK_CLIENT_ID: 'data-client', LISTRAK_CLIENT_SECRET: 'data-secret' }
const example = exampleLike({ secrets })
const crossChannel = {
  ...secrets,
  LISTRAK_CC_CLIENT_ID: 'cc-client',
  LISTRAK_CC_CLIENT_SECRET: 'cc-secret',
  LISTRAK_MAPPED_EVENTS: JSON.stringify(Object.entries(uids)),
}
const replies = [{ status: 200, json: { access_token: 'token-1', expires_in: 3600, token_type: 'Bearer' } }]
const user = { email: ' Ada@Example.com', customerId: 'customer-1' }

const token = (which: 'data' | 'cc') => ({
  url: 'https://auth.listrak.com/OAuth2/Token',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: { grant_type: 'client_credentials', client_id: `${which}-client`, client_secret: `${which}-secret` },
})
const headers = { 'content-type': 'application/json', authorization: 'Bearer token-1' }
const order = (more: object) => ({
  url: 'https://api.listrak.com/data/v1/Order',
  headers,
  body: [
    {
      orderNumber: 'A-1001',
      email: 'ada@example.com',
      customerNumber: 'customer-1',
      // 22:13:20 UTC on 14 November
      dateEntered: '2023-11-14T17:13:20',
      status: 'Completed',
      ...more,
    },
  ],
})
const email = { identifierType: 'EmailAddress', identifierValue: 'ada@example.com' }
const event = (uid: string, dataFields: object, identifiers: object[] = [email]) => ({
  url: `https://api.listrak.com/crosschannel/v1/eventConfigurations/${uid}/events`,
  headers,
  body: { events: [{ identifiers, dataFields }] },
})

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://auth.listrak.com/OAuth2/Token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { grant_type: 'client_credentials', client_id: 'data-client', client_secret: 'data-secret' },
  },
  {
    url: 'https://api.listrak.com/data/v1/Order',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token-1' },
    body: [
      {
        orderNumber: 'A-1001',
        email: 'ada.lovelace@gmail.com',
        dateEntered: '2023-11-14T17:13:20',
        status: 'Completed',
        itemTotal: 59.98,
        orderTotal: 59.98,
        items: [{ orderNumber: 'A-1001', sku: 'sku-1', price: 29.99, quantity: 2, itemTotal: 59.98 }],
        ...person,
      },
    ],
  },
]

export const examples: readonly ProviderExample[] = [
  example('an order with its lines, its time in US Eastern time', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, orderId: 'A-1001', tax: 9.58, shipping: 4.95, discounts: [{ code: 'SPRING' }] },
    },
    user,
    replies,
    sends: [
      token('data'),
      order({
        itemTotal: 59.98,
        orderTotal: 59.98,
        shippingTotal: 4.95,
        taxTotal: 9.58,
        couponCode: 'SPRING',
        items: [{ orderNumber: 'A-1001', sku: 'sku-1', price: 29.99, quantity: 2, itemTotal: 59.98 }],
      }),
    ],
  }),
  example('an order in yen, net', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    user,
    replies,
    sends: [token('data'), order({ orderTotal: 1000, taxTotal: 250 })],
  }),
  ...Object.entries(uids).map(([eventName, uid]) =>
    example(`${eventName} as the custom event that it is mapped to`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      user,
      secrets: crossChannel,
      replies,
      sends: [
        token('cc'),
        event(uid, {
          order_id: 'A-1001',
          value: '59.98',
          currency: 'EUR',
          event_id: 'evt-1',
          item_ids: 'sku-1',
          item_names: 'Runner',
          quantity: '2',
        }),
      ],
    }),
  ),
  example('an order of a person whose user id is too long for a customer number', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'USD', orderId: 'A-1001' } },
    user: { ...user, customerId: 'usr_0123456789abcdef0123' },
    replies,
    sends: [token('data'), JSON.parse(JSON.stringify(order({ orderTotal: 5, customerNumber: undefined })))],
  }),
  example('an event of a person known by the phone number', {
    event: { eventName: 'Search', data: { search: 'shoes', score: 7 } },
    user: { phone: '+1 650 555 1212' },
    secrets: crossChannel,
    replies,
    sends: [
      token('cc'),
      event('uid-search', { event_id: 'evt-1', search: 'shoes', score: '7' }, [
        { identifierType: 'PhoneNumber', identifierValue: '16505551212' },
      ]),
    ],
  }),
  example('an event that is not mapped', {
    event: { eventName: 'Refund', data: cart },
    user,
    secrets: crossChannel,
    sends: { skipped: 'filtered' },
  }),
  example('an event other than Purchase without the Cross Channel credentials', {
    event: { eventName: 'AddToCart', data: cart },
    user,
    secrets: { LISTRAK_MAPPED_EVENTS: '[["AddToCart","uid-add"]]' },
    sends: { skipped: 'filtered' },
  }),
  example('an order of a person without an e-mail', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { phone: '+1 650 555 1212', customerId: 'customer-1' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: { LISTRAK_TRAITS: '[["tier", "meta1"]]' },
    replies,
    sends: [
      token('data'),
      {
        url: 'https://api.listrak.com/data/v1/Customer',
        headers: { 'content-type': 'application/json', authorization: 'Bearer token-1' },
        body: [
          {
            email: 'ada.lovelace@gmail.com',
            customerNumber: 'customer-1',
            mobilePhone: '+491701234567',
            firstName: 'Ada',
            lastName: 'Lovelace',
            zipCode: 'W1A 1AA',
            meta1: 'gold',
          },
        ],
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
  example('updates need the credentials of the Data API', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold' },
    secrets: crossChannel,
    sends: { skipped: 'filtered' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      replies: [{ status: 200, json: { access_token: 'token-1', expires_in: 3600, token_type: 'Bearer' } }],
      secrets,
    },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({}),
      customer: sentForPerson({ customerNumber: 'customer-1' }),
    },
  ),
]
