import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'
import { exampleServiceAccount } from '#provider/vendors/exampleServiceAccount.ts'

const shared = {
  GOOGLE_ADS_CLICKS_CUSTOMER_ID: '123-456-7890',
  GOOGLE_ADS_CLICKS_MAPPED_EVENTS: '[["Purchase", 7001], ["Quiz finished", "7002"]]',
}
const secrets = {
  ...shared,
  GOOGLE_ADS_CLICKS_CLIENT_ID: 'client.apps.googleusercontent.com',
  GOOGLE_ADS_CLICKS_CLIENT_SECRET: 'client-secret',
  GOOGLE_ADS_CLICKS_REFRESH_TOKEN: '1//refresh',
}
const example = exampleLike({ secrets })
const byUser = {
  grant_type: 'refresh_token',
  client_id: 'client.apps.googleusercontent.com',
  client_secret: 'client-secret',
  refresh_token: '1//refresh',
}

/** The token request and the request for one event; the arguments differ between the examples. */
function sent(event: object, destination: object, body: object = {}, token: object = byUser) {
  return [
    {
      url: 'https://oauth2.googleapis.com/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: token,
    },
    {
      url: 'https://datamanager.googleapis.com/v1/events:ingest',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.token' },
      body: {
        destinations: [{ operatingAccount: { accountType: 'GOOGLE_ADS', accountId: '1234567890' }, ...destination }],
        encoding: 'HEX',
        consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED' },
        events: [{ eventTimestamp: '2023-11-14T22:13:20.000Z', eventSource: 'WEB', ...event }],
        ...body,
      },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://oauth2.googleapis.com/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      grant_type: 'refresh_token',
      client_id: 'client.apps.googleusercontent.com',
      client_secret: 'client-secret',
      refresh_token: '1//refresh',
    },
  },
  {
    url: 'https://datamanager.googleapis.com/v1/events:ingest',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.token' },
    body: {
      destinations: [
        { operatingAccount: { accountType: 'GOOGLE_ADS', accountId: '1234567890' }, productDestinationId: '7001' },
      ],
      encoding: 'HEX',
      consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED' },
      events: [
        {
          transactionId: 'A-1001',
          eventTimestamp: '2023-11-14T22:13:20.000Z',
          eventSource: 'WEB',
          conversionValue: 59.98,
          currency: 'EUR',
          userData: { userIdentifiers: [{ emailAddress: adaDigests.canonicalMailbox }] },
          cartData: { items: [{ merchantProductId: 'sku-1', quantity: 2, unitPrice: 29.99 }] },
        },
      ],
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase after a click, by a person with all keys', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { ...ada, email: 'ada.lovelace+shop@gmail.com' },
    captured: { gclid: 'Cj0KCQ', wbraid: 'second' },
    secrets: { GOOGLE_ADS_CLICKS_LOGIN_CUSTOMER_ID: '9876543210' },
    replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
    sends: sent(
      {
        transactionId: 'A-1001',
        conversionValue: 59.98,
        currency: 'EUR',
        adIdentifiers: { gclid: 'Cj0KCQ' },
        userData: {
          userIdentifiers: [
            { emailAddress: 'cd98a25152ad884b29e524ea5d3d8d35615ed0afbbc5ea3a6d4215572b0b2bde' },
            { phoneNumber: 'b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1' },
            {
              address: {
                givenName: 'fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029',
                familyName: 'fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f',
                regionCode: 'GB',
                postalCode: 'W1A 1AA',
              },
            },
          ],
        },
        eventDeviceInfo: { userAgent: 'Mozilla/5.0' },
        cartData: { items: [{ merchantProductId: 'sku-1', quantity: 2, unitPrice: 29.99 }] },
      },
      { productDestinationId: '7001', loginAccount: { accountType: 'GOOGLE_ADS', accountId: '9876543210' } },
    ),
  }),
  example('a custom event with a mapping, with the click id of the cookie, in test mode', {
    event: { eventName: 'Quiz finished' },
    captured: { _gcl_aw: 'GCL.1699999999.fromCookie' },
    replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
    testMode: true,
    sends: sent(
      { transactionId: 'evt-1', adIdentifiers: { gclid: 'fromCookie' } },
      { productDestinationId: '7002' },
      { validateOnly: true },
    ),
  }),
  ...(['adUserData', 'adPersonalization'] as const).map((signal) =>
    example(`a person who agreed to advertising, and refused ${signal}`, {
      event: { eventName: 'Quiz finished' },
      captured: { gclid: 'Cj0KCQ' },
      consent: { advertising: 'granted', [signal]: 'denied' },
      replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
      sends: sent(
        { transactionId: 'evt-1', adIdentifiers: { gclid: 'Cj0KCQ' } },
        { productDestinationId: '7002' },
        {
          consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED', [signal]: 'CONSENT_DENIED' },
        },
      ),
    }),
  ),
  example('a token with a service account, whose token_uri is ignored', {
    event: { eventName: 'Purchase' },
    user: { phone: ada.phone },
    secrets: {
      ...shared,
      GOOGLE_ADS_CLICKS_SERVICE_ACCOUNT_JSON: exampleServiceAccount,
      undefined: undefined,
      GOOGLE_ADS_CLICKS_CLIENT_ID: undefined,
      GOOGLE_ADS_CLICKS_CLIENT_SECRET: undefined,
      GOOGLE_ADS_CLICKS_REFRESH_TOKEN: undefined,
    },
    replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
    sends: sent(
      {
        transactionId: 'evt-1',
        userData: {
          userIdentifiers: [{ phoneNumber: 'b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1' }],
        },
      },
      { productDestinationId: '7001' },
      {},
      { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: /^eyJ[\w-]+\.[\w-]+\.[\w-]{86}$/ },
    ),
  }),
  example('an event without a mapping', {
    event: { eventName: 'PageView' },
    captured: { gclid: 'Cj0KCQ' },
    sends: { skipped: 'filtered' },
  }),
  example('a name and a country without the rest of the address do not identify a person', {
    event: { eventName: 'Purchase' },
    user: { firstName: 'Ada', lastName: 'Lovelace', country: 'GB' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a purchase of a visitor outside the EEA, the United Kingdom and Switzerland: with the IP address', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'USD', orderId: 'A-1001' } },
    user: { country: 'US', ip: '216.160.83.56', userAgent: 'Mozilla/5.0' },
    captured: { gclid: 'Cj0KCQ' },
    replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
    sends: sent(
      {
        transactionId: 'A-1001',
        conversionValue: 5,
        currency: 'USD',
        adIdentifiers: { gclid: 'Cj0KCQ' },
        eventDeviceInfo: { userAgent: 'Mozilla/5.0', ipAddress: '216.160.83.56' },
      },
      { productDestinationId: '7001' },
    ),
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      replies: [{ status: 200, json: { access_token: 'ya29.token', expires_in: 3599 } }],
      secrets,
    },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
