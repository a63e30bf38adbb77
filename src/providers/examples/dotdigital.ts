import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = {
  DOTDIGITAL_API_USER: 'apiuser-1@apiconnector.com',
  DOTDIGITAL_API_PASSWORD: 'api-password',
  DOTDIGITAL_REGION: 'r1',
}
const known = { user: { email: ' Ada@Example.com', phone: '+49 170 1234567' }, secrets }
const example = exampleLike(known)
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
const headers = {
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from('apiuser-1@apiconnector.com:api-password').toString('base64')}`,
}
const items = [{ id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2, category: 'Shoes', variant: 'red' }]

const sent = (type: string, summary: string, eventData: object, contactIdentity?: object, region = 'r1') => ({
  url: `https://${region}-api.dotdigital.com/events/v3/import`,
  headers,
  body: [
    {
      contactIdentity: contactIdentity ?? { identifier: 'email', value: 'ada@example.com' },
      type,
      id: 'evt-1',
      eventTimestamp: '2023-11-14T22:13:20.000Z',
      timelineDetails: { summary },
      eventData,
    },
  ],
})

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('Lead', 'Lead', {}), {
    body: [{ contactIdentity: { value: 'ada.lovelace@gmail.com' } }],
  }),
]

export const examples: readonly ProviderExample[] = [
  ...names.map((eventName) =>
    example(`${eventName} of a contact known by the e-mail`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      sends: [
        sent(eventName, `${eventName} A-1001, 59.98 EUR`, { orderId: 'A-1001', value: 59.98, currency: 'EUR', items }),
      ],
    }),
  ),
  example('an order that is written to the collection as well', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A/1001' } },
    secrets: { DOTDIGITAL_ORDERS_COLLECTION: 'Orders' },
    sends: [
      sent('Purchase', 'Purchase A/1001, 59.98 EUR', { orderId: 'A/1001', value: 59.98, currency: 'EUR', items }),
      {
        method: 'PUT',
        url: 'https://r1-api.dotdigital.com/insightData/v3/contacts/email/ada%40example.com/Orders/A%2F1001',
        headers,
        body: {
          id: 'A/1001',
          order_total: 59.98,
          currency: 'EUR',
          purchase_date: '2023-11-14T22:13:20.000Z',
          products: [{ name: 'Runner', price: 29.99, sku: 'sku-1', qty: 2 }],
        },
      },
    ],
  }),
  example('an order in yen, net, in the US, of a contact known by the phone number alone', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    user: { phone: '+49 170 1234567' },
    secrets: { DOTDIGITAL_REGION: 'r2', DOTDIGITAL_ORDERS_COLLECTION: 'Orders' },
    sends: [
      sent(
        'Purchase',
        'Purchase A-1001, 1000 JPY',
        { orderId: 'A-1001', value: 1000, currency: 'JPY', tax: 250 },
        { identifier: 'mobileNumber', value: '+491701234567' },
        'r2',
      ),
    ],
  }),
  example('a custom event under its own name', {
    event: { eventName: 'Quiz finished', data: { score: 7, userPhone: '+491701234567' } },
    sends: [sent('Quiz finished', 'Quiz finished', { score: 7 })],
  }),
  example('a person without an e-mail and with a number that is no E.164', {
    event: { eventName: 'Lead', data: cart },
    user: { userId: 'usr_1', phone: '12345' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: { DOTDIGITAL_TRAITS: '[["tier", "TIER"]]' },
    replies: [{ status: 200, json: { contactId: 12345 } }],
    sends: [
      {
        method: 'GET',
        url: 'https://r1-api.dotdigital.com/contacts/v3/email/ada.lovelace%40gmail.com',
        headers: { authorization: headers.authorization },
      },
      {
        method: 'PATCH',
        url: 'https://r1-api.dotdigital.com/contacts/v3/contactId/12345?merge-option=overwrite',
        headers,
        body: { dataFields: { FIRSTNAME: 'Ada', LASTNAME: 'Lovelace', POSTCODE: 'W1A 1AA', TIER: 'gold' } },
      },
    ],
  }),
  example('a person who is no contact is not made one, since Dotdigital would subscribe it', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada' } },
    user: { email: 'ada@example.com', firstName: 'Ada' },
    replies: [{ status: 404, json: { errorCode: 'contacts:contactNotFound' } }],
    sends: [
      {
        method: 'GET',
        url: 'https://r1-api.dotdigital.com/contacts/v3/email/ada%40example.com',
        headers: { authorization: headers.authorization },
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
  example('Subscribe adds the person to what the customer set', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    secrets: { DOTDIGITAL_LIST_ID: '1234' },
    replies: [{ status: 200, json: {} }],
    sends: [
      {
        method: 'PATCH',
        url: 'https://r1-api.dotdigital.com/contacts/v3/email/ada%40example.com?merge-option=overwrite',
        headers,
        body: {
          channelProperties: { email: { status: 'subscribed', emailType: 'html', optInType: 'single' } },
          lists: [1234],
        },
      },
      sent('Subscribe', 'Subscribe', {}),
    ],
  }),
  example('Subscribe adds nobody who refused advertising', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    consent: { advertising: 'denied' },
    secrets: { DOTDIGITAL_LIST_ID: '1234' },
    sends: [sent('Subscribe', 'Subscribe', {})],
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
