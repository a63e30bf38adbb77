import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const keys = {
  PageView: 'APIEvent-page',
  ViewContent: 'APIEvent-product',
  AddToCart: 'APIEvent-add',
  RemoveFromCart: 'APIEvent-remove',
  InitiateCheckout: 'APIEvent-checkout',
  AddShippingInfo: 'APIEvent-shipping',
  AddPaymentInfo: 'APIEvent-payment',
  Purchase: 'APIEvent-purchase',
  Subscribe: 'APIEvent-subscribe',
  Search: 'APIEvent-search',
  Lead: 'APIEvent-lead',
  'Quiz finished': 'APIEvent-quiz',
}
const secrets = {
  SFMC_SUBDOMAIN: 'mc563885gzs27c5t9-63k636ttgm',
  SFMC_CLIENT_ID: 'client',
  SFMC_CLIENT_SECRET: 'client-secret',
  SFMC_MAPPED_EVENTS: JSON.stringify(Object.entries(keys)),
}
const example = exampleLike({ secrets })
const replies = [{ status: 200, json: { access_token: 'token-1', expires_in: 1_079, token_type: 'Bearer' } }]

const token = (more: object = {}) => ({
  url: 'https://mc563885gzs27c5t9-63k636ttgm.auth.marketingcloudapis.com/v2/token',
  headers: { 'content-type': 'application/json' },
  body: { grant_type: 'client_credentials', client_id: 'client', client_secret: 'client-secret', ...more },
})
const sent = (EventDefinitionKey: string, Data: object, ContactKey = 'customer-1') => ({
  url: 'https://mc563885gzs27c5t9-63k636ttgm.rest.marketingcloudapis.com/interaction/v1/events',
  headers: { 'content-type': 'application/json; charset=UTF-8', authorization: 'Bearer token-1' },
  body: { ContactKey, EventDefinitionKey, Data },
})

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://mc563885gzs27c5t9-63k636ttgm.auth.marketingcloudapis.com/v2/token',
    headers: { 'content-type': 'application/json' },
    body: { grant_type: 'client_credentials', client_id: 'client', client_secret: 'client-secret' },
  },
  like(sent('Lead', {}), {
    body: { EventDefinitionKey: 'APIEvent-lead', Data: { EmailAddress: 'ada.lovelace@gmail.com' } },
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(keys).map(([eventName, key]) =>
    example(`${eventName} enters the journey that it is mapped to`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      user: { customerId: 'customer-1', email: ' Ada@Example.com' },
      replies,
      sends: [
        token(),
        sent(key, { EmailAddress: 'ada@example.com', OrderId: 'A-1001', Value: 59.98, Currency: 'EUR' }),
      ],
    }),
  ),
  example('an order in yen, net, by the e-mail, of another business unit', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    user: { email: 'ada@example.com' },
    secrets: { SFMC_ACCOUNT_ID: '1234567', SFMC_CONTACT_KEY: 'email' },
    replies,
    sends: [
      token({ account_id: '1234567' }),
      sent(
        'APIEvent-purchase',
        { EmailAddress: 'ada@example.com', OrderId: 'A-1001', Value: 1000, Currency: 'JPY' },
        'ada@example.com',
      ),
    ],
  }),
  example('the columns of the customer, of a person with all keys', {
    event: { eventName: 'Lead', data: { ...cart, gift: true } },
    user: ada,
    secrets: {
      SFMC_COLUMNS:
        '[["phone","Mobile"],["eventId","Id"],["eventTime","At"],["itemIds","Skus"],["gift","IsGift"],["tax","Tax"]]',
    },
    replies,
    sends: [
      token(),
      sent('APIEvent-lead', {
        Mobile: '+491701234567',
        Id: 'evt-1',
        At: '2023-11-14T22:13:20.000Z',
        Skus: 'sku-1',
        IsGift: true,
      }),
    ],
  }),
  example('an event that is not mapped', {
    event: { eventName: 'Refund', data: cart },
    user: { customerId: 'customer-1' },
    sends: { skipped: 'filtered' },
  }),
  example('a phone number alone is no contact key', {
    event: { eventName: 'Lead', data: cart },
    user: { phone: '+491701234567' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: {
      SFMC_PROFILE_DATA_EXTENSION: 'profiles',
      SFMC_PROFILE_KEY_COLUMN: 'ContactKey',
      SFMC_TRAITS: '[["tier", "Tier"], ["firstName", "FirstName"]]',
    },
    replies,
    sends: [
      token(),
      {
        url: 'https://mc563885gzs27c5t9-63k636ttgm.rest.marketingcloudapis.com/hub/v1/dataevents/key:profiles/rowset',
        headers: { 'content-type': 'application/json; charset=UTF-8', authorization: 'Bearer token-1' },
        body: [{ keys: { ContactKey: 'customer-1' }, values: { Tier: 'gold', FirstName: 'Ada' } }],
      },
    ],
  }),
  example('what is not mapped is not sent', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold' },
    secrets: { SFMC_PROFILE_DATA_EXTENSION: 'profiles' },
    sends: { skipped: 'filtered' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead' },
      replies: [{ status: 200, json: { access_token: 'token-1', expires_in: 1079, token_type: 'Bearer' } }],
      secrets,
    },
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
