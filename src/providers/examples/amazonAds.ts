import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'PAGE_VIEW',
  ViewContent: 'OTHER',
  AddToCart: 'ADD_TO_SHOPPING_CART',
  InitiateCheckout: 'CHECKOUT',
  AddPaymentInfo: 'OTHER',
  Purchase: 'OFF_AMAZON_PURCHASES',
  Subscribe: 'SUBSCRIBE',
  Search: 'SEARCH',
  Lead: 'LEAD',
  CompleteRegistration: 'SIGN_UP',
  Contact: 'CONTACT',
  SubmitApplication: 'APPLICATION',
}
const secrets = {
  AMAZON_ADS_REGION: 'NA',
  AMAZON_ADS_ADVERTISER_ID: '583249175402917',
  AMAZON_ADS_CLIENT_ID: 'amzn1.client',
  AMAZON_ADS_CLIENT_SECRET: 'client-secret',
  AMAZON_ADS_REFRESH_TOKEN: 'Atzr|refresh',
}
const example = exampleLike({ secrets })
const replies = [{ status: 200, json: { access_token: 'Atza|token', token_type: 'bearer', expires_in: 3600 } }]
const key = (type: string, value: string) => ({ type, values: [value] })
const email = key('EMAIL', '894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125')
const known = { user: { email: ada.email, country: 'US' }, secrets, replies }

/** The token request and the request for one event; the arguments differ between the examples. */
function sent(name: string, conversionType: string, more: object, host = 'advertising-api.amazon.com') {
  const { dataSetName, ...members } = more as { dataSetName?: string }
  return [
    {
      url: 'https://api.amazon.com/auth/o2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: {
        grant_type: 'refresh_token',
        refresh_token: 'Atzr|refresh',
        client_id: 'amzn1.client',
        client_secret: 'client-secret',
      },
    },
    {
      url: `https://${host}/adsApi/v1/create/events`,
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer Atza|token',
        'amazon-ads-accountid': '583249175402917',
        'amazon-ads-clientid': 'amzn1.client',
      },
      body: {
        events: [
          {
            eventDescription: {
              name,
              conversionType,
              eventSource: 'WEBSITE',
              eventIngestionMethod: 'SERVER_TO_SERVER',
              ...(dataSetName && { dataSetName }),
            },
            eventTime: '2023-11-14T22:13:20.000Z',
            countryCode: 'US',
            eventId: 'evt-1',
            matchKeys: [email],
            ...members,
          },
        ],
      },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://api.amazon.com/auth/o2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      grant_type: 'refresh_token',
      refresh_token: 'Atzr|refresh',
      client_id: 'amzn1.client',
      client_secret: 'client-secret',
    },
  },
  {
    url: 'https://advertising-api.amazon.com/adsApi/v1/create/events',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer Atza|token',
      'amazon-ads-accountid': '583249175402917',
      'amazon-ads-clientid': 'amzn1.client',
    },
    body: {
      events: [
        {
          eventDescription: {
            name: 'Lead',
            conversionType: 'LEAD',
            eventSource: 'WEBSITE',
            eventIngestionMethod: 'SERVER_TO_SERVER',
          },
          eventTime: '2023-11-14T22:13:20.000Z',
          countryCode: 'US',
          eventId: 'evt-1',
          matchKeys: [{ type: 'EMAIL', values: [adaDigests.email] }],
        },
      ],
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase in Europe, net, by a person with all keys who agreed to advertising', {
    event: { eventName: 'Purchase', data: { ...cart, value: 119.994, tax: 19, shipping: 4.95, orderId: 'A-1001/é' } },
    purchaseValueMode: 'net',
    user: ada,
    consent: { advertising: 'granted' },
    secrets: { AMAZON_ADS_REGION: 'EU', AMAZON_ADS_DATASET_NAME: 'Shop_Events' },
    replies,
    sends: sent(
      'Purchase',
      'OFF_AMAZON_PURCHASES',
      {
        dataSetName: 'Shop_Events',
        countryCode: 'GB',
        value: 96.04,
        currencyCode: 'EUR',
        unitsSold: 2,
        matchKeys: [
          email,
          key('PHONE', '8b47a52ed04d068c3a9c5632b98cec18780a9f9f4099d4f8afe233970ce116fe'),
          key('FIRST_NAME', 'fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029'),
          key('LAST_NAME', 'fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f'),
          key('CITY', '6089854c94ca5454b76be6752c562901a985f64c9a946f62976aeab593b83161'),
          key('STATE', 'd56d0ff69b62792a00a361fbf6e02e2a634a7a8da1c3e49d59e71e0f19c27875'),
          key('POSTAL', '7d3fac9e9f3558608abd0966d94a166886ddff096f87b08d86b9eb32b6a90764'),
        ],
        consent: {
          geo: { ipAddress: '81.2.69.142' },
          amazonConsent: { amznUserData: 'GRANTED', amznAdStorage: 'GRANTED' },
        },
        customData: [{ name: 'order_id', dataType: 'STRING', value: 'A_1001__' }],
      },
      'advertising-api-eu.amazon.com',
    ),
  }),
  ...Object.entries(names).map(([eventName, type]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      ...known,
      sends: sent(eventName, type, {
        value: 59.98,
        ...(eventName === 'Purchase' && { currencyCode: 'EUR', unitsSold: 2 }),
      }),
    }),
  ),
  example('a purchase in yen in the Far East, by a person whose country is not known', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A_1' } },
    user: { email: ada.email },
    secrets: { AMAZON_ADS_REGION: 'FE', AMAZON_ADS_COUNTRY_CODE: 'JP' },
    replies,
    sends: sent(
      'Purchase',
      'OFF_AMAZON_PURCHASES',
      {
        countryCode: 'JP',
        value: 1250,
        currencyCode: 'JPY',
        customData: [{ name: 'order_id', dataType: 'STRING', value: 'A_1' }],
      },
      'advertising-api-fe.amazon.com',
    ),
  }),
  example('a purchase in a currency that Amazon does not take, which is counted without a value', {
    event: { eventName: 'Purchase', data: { value: 50, currency: 'CHF' } },
    ...known,
    sends: sent('Purchase', 'OFF_AMAZON_PURCHASES', {}),
  }),
  example('a custom event, by a person who refused advertising', {
    event: { eventName: 'Quiz finished' },
    ...known,
    consent: { advertising: 'denied' },
    sends: sent('Quiz finished', 'OTHER', {
      consent: { amazonConsent: { amznUserData: 'DENIED', amznAdStorage: 'DENIED' } },
    }),
  }),
  example('a custom event, by a person who agreed to advertising, and not to data of the person for it', {
    event: { eventName: 'Quiz finished' },
    ...known,
    consent: { advertising: 'granted', adUserData: 'denied' },
    sends: sent('Quiz finished', 'OTHER', {
      consent: { amazonConsent: { amznUserData: 'DENIED', amznAdStorage: 'GRANTED' } },
    }),
  }),
  example('a custom event, by a person whose banner wrote a TC string and a GPP string', {
    event: { eventName: 'Quiz finished' },
    ...known,
    consent: { advertising: 'granted', strings: { tcf: 'CQtc', gpp: 'DBAA~B', gppSections: [7] } },
    sends: sent('Quiz finished', 'OTHER', {
      consent: {
        amazonConsent: { amznUserData: 'GRANTED', amznAdStorage: 'GRANTED' },
        tcf: 'CQtc',
        gpp: 'DBAA~B',
      },
    }),
  }),
  example('an event of Europe about whose consent nothing is known', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: ada.email },
    secrets: { AMAZON_ADS_REGION: 'EU' },
    sends: { skipped: 'consent' },
  }),
  ...['RemoveFromCart', 'AddShippingInfo', 'Refund'].map((eventName) =>
    example(`Amazon has no event for ${eventName}`, {
      event: { eventName, data: cart },
      ...known,
      sends: { skipped: 'eventNotSupported' as const },
    }),
  ),
  example('an event of an unknown person', {
    event: { eventName: 'Purchase', data: cart },
    user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0', country: 'US', userId: 'usr_1' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead' },
      user: { country: 'US' },
      replies: [{ status: 200, json: { access_token: 'Atza|token', token_type: 'bearer', expires_in: 3600 } }],
      secrets,
    },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
