import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const secrets = {
  YAHOO_DSP_PIXEL_ID: '10012345',
  YAHOO_DSP_CLIENT_ID: 'dsp-client',
  YAHOO_DSP_CLIENT_SECRET: 'dsp-secret',
}
const example = exampleLike({ secrets })
const replies = [{ status: 200, json: { access_token: 'yahoo-token', token_type: 'Bearer', expires_in: 3600 } }]
const clicked = { captured: { vmcid: 'click-1' }, secrets, replies }
const products = [{ category: 'Shoes', subCategory: 'Runner' }]

/** The token request and the request for one event; the arguments differ between the examples. */
function sent(eventName: string, more: object = {}, host = 'batch.datax.yahoo.com') {
  return [
    {
      url: 'https://id.b2b.yahooincapis.com/zts/v1/oauth2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: {
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        // The claims are iss, sub, aud, exp, iat and jti.
        client_assertion:
          /^eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\.eyJpc3MiOiJkc3AtY2xpZW50Iiwic3ViIjoiZHNwLWNsaWVudCIs[\w-]+\.[\w-]{43}$/,
        scope: 'dsp-api-access',
        realm: 'dsp',
      },
    },
    {
      url: `https://${host}/v1/events/10012345`,
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer yahoo-token',
        accept: 'application/json',
      },
      body: [
        {
          eventTs: 1_700_000_000,
          eventName,
          eventId: 'evt-1',
          actionSource: 'web',
          userData: {},
          clickData: { vmcid: 'click-1' },
          ...more,
        },
      ],
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://id.b2b.yahooincapis.com/zts/v1/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion:
        'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJkc3AtY2xpZW50Iiwic3ViIjoiZHNwLWNsaWVudCIsImF1ZCI6Imh0dHBzOi8vaWQuYjJiLnlhaG9vaW5jYXBpcy5jb20venRzL3YxL29hdXRoMi90b2tlbj9yZWFsbT1kc3AiLCJleHAiOjE3MDAwMDA2MDEsImlhdCI6MTcwMDAwMDAwMSwianRpIjoiNDYyYzlmOWMtNjY0Ny01ZmQyLTg5ZTMtODZlOTBmYzYxMzJjIn0.e-lcBR9PsNdDNVMZvg9hxyrpGbLLf4fkEAkEN5giB2M',
      scope: 'dsp-api-access',
      realm: 'dsp',
    },
  },
  {
    url: 'https://batch.datax.yahoo.com/v1/events/10012345',
    headers: { 'content-type': 'application/json', authorization: 'Bearer yahoo-token', accept: 'application/json' },
    body: [
      {
        eventTs: 1700000000,
        eventName: 'Lead',
        eventId: 'evt-1',
        actionSource: 'web',
        userData: { email: [adaDigests.email] },
      },
    ],
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase after a click, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001' },
    },
    purchaseValueMode: 'net',
    user: ada,
    ...clicked,
    sends: sent('Purchase', {
      actionSourceUrl: 'https://shop.example/thanks',
      country: 'GB',
      userData: {
        email: ['894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125'],
        phone: ['b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1'],
        ip_address: '81.2.69.142',
        userAgent: 'Mozilla/5.0',
      },
      eventData: { price: 95.05, products, customKeyValues: { order_id: 'A-1001', currency: 'EUR' } },
    }),
  }),
  ...Object.keys(standardEventNames).map((eventName) =>
    example(`${eventName} with the items of the cart, by a click alone`, {
      event: { eventName, data: cart },
      ...clicked,
      sends: sent(eventName, { eventData: { price: 59.98, products, customKeyValues: { currency: 'EUR' } } }),
    }),
  ),
  example('a purchase in yen, by the streaming host', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1001' } },
    captured: clicked.captured,
    secrets: { YAHOO_DSP_STREAMING: '1' },
    replies,
    sends: sent(
      'Purchase',
      { eventData: { price: 1250, customKeyValues: { order_id: 'A-1001', currency: 'JPY' } } },
      'streaming.datax.yahoo.com',
    ),
  }),
  example('a custom event of a person who refused advertising', {
    event: { eventName: 'Quiz finished' },
    ...clicked,
    consent: { advertising: 'denied' },
    sends: sent('Quiz finished', { privacy: { privacy_type: 'OPTOUT' } }),
  }),
  example('an event of a person whose banner wrote a TC string', {
    event: { eventName: 'Lead' },
    ...clicked,
    consent: { advertising: 'granted', strings: { tcf: 'CQtc', gdprApplies: true, gpp: 'DBAA~B', gppSections: [7] } },
    sends: sent('Lead', { privacy: { privacy_type: 'GDPR', consent_string: 'CQtc' } }),
  }),
  example('an event of a person in the US whose banner wrote a GPP string', {
    event: { eventName: 'Lead' },
    ...clicked,
    consent: { advertising: 'granted', strings: { gpp: 'DBAA~B', gppSections: [7] } },
    sends: sent('Lead', { privacy: { privacy_type: 'GPP', consent_string: 'DBAA~B', gpp_sid: [7] } }),
  }),
  example('Yahoo has no refunds', {
    event: { eventName: 'Refund', data: cart },
    ...clicked,
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a user agent does not identify a person', {
    event: { eventName: 'Purchase', data: cart },
    user: { userId: 'usr_1', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead' },
      replies: [{ status: 200, json: { access_token: 'yahoo-token', token_type: 'Bearer', expires_in: 3600 } }],
      secrets,
    },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
