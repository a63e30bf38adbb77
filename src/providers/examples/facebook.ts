import { hash } from 'node:crypto'
import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const secrets = { FACEBOOK_PIXEL_ID: '1234567890', FACEBOOK_ACCESS_TOKEN: 'fb-token' }
const known = { user: { userId: 'usr_1' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(event_name: string, event: object = {}, body: object = {}) {
  return [
    {
      url: 'https://graph.facebook.com/v25.0/1234567890/events',
      headers: { 'content-type': 'application/json' },
      body: {
        data: [
          {
            event_name,
            event_time: 1_700_000_000,
            event_id: 'evt-1',
            action_source: 'system_generated',
            user_data: { external_id: ['ac9852aff2e92a734c6c3f72ac9270f1d0661639b6080ee5e964182d0181a7a1'] },
            ...event,
          },
        ],
        access_token: 'fb-token',
        ...body,
      },
    },
  ]
}

/** The data that an iOS app reports about itself. */
const app = {
  platform: 'ios',
  id: 'example.shop',
  name: 'Shop',
  version: '2.1',
  build: '210',
  osVersion: '17.4',
  model: 'iPhone15,2',
  locale: 'en-US',
  timezone: 'Europe/Berlin',
  screenWidth: '390',
  screenHeight: '844',
  screenDensity: '3',
  adTracking: true,
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('lead', {})[0]!, { body: { data: [{ event_name: 'Lead', user_data: { ...person } }] } }),
]

export const examples: readonly ProviderExample[] = [
  ...[
    'ViewContent',
    'AddToCart',
    'RemoveFromCart',
    'InitiateCheckout',
    'AddShippingInfo',
    'AddPaymentInfo',
    'Subscribe',
    'AddToWishlist',
    'CompleteRegistration',
    'Contact',
    'CustomizeProduct',
    'Donate',
    'FindLocation',
    'Schedule',
    'StartTrial',
    'SubmitApplication',
  ].map((eventName) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: sent(eventName, {
        custom_data: {
          value: 59.98,
          currency: 'EUR',
          content_ids: ['sku-1'],
          contents: [{ id: 'sku-1', quantity: 2, item_price: 29.99 }],
          content_type: 'product',
          num_items: 2,
        },
      }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      referrer: 'https://shop.example/checkout',
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001', contents: [{ id: 'sku-1' }] },
    },
    user: ada,
    captured: { fbclid: 'IwAR0-AbC', _fbp: 'fb.1.1699999999999.42' },
    purchaseValueMode: 'net',
    sends: sent('Purchase', {
      action_source: 'website',
      event_source_url: 'https://shop.example/thanks',
      referrer_url: 'https://shop.example/checkout',
      user_data: {
        em: ['894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125'],
        ph: ['8b47a52ed04d068c3a9c5632b98cec18780a9f9f4099d4f8afe233970ce116fe'],
        fn: ['fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029'],
        ln: ['fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f'],
        ge: ['252f10c83610ebca1a059c0bae8255eba2f95be4d1d7bcfa89d7248a82d9f111'],
        db: ['1218be09d200795c825ee23e4cfc39c5d786e4dc453ad4a55e833430448d615d'],
        ct: ['6089854c94ca5454b76be6752c562901a985f64c9a946f62976aeab593b83161'],
        st: ['d56d0ff69b62792a00a361fbf6e02e2a634a7a8da1c3e49d59e71e0f19c27875'],
        zp: ['7d3fac9e9f3558608abd0966d94a166886ddff096f87b08d86b9eb32b6a90764'],
        country: ['0b407281768f0e833afef47ed464b6571d01ca4d53c12ce5c51d1462f4ad6677'],
        external_id: ['e83f10dcd2c68747c3f3ba14a54258d5c1843a8d75b0f5cb52c6f3df052a72d1'],
        client_ip_address: '81.2.69.142',
        client_user_agent: 'Mozilla/5.0',
        fbc: 'fb.1.1700000000000.IwAR0-AbC',
        fbp: 'fb.1.1699999999999.42',
      },
      custom_data: {
        value: 95.05,
        currency: 'EUR',
        content_ids: ['sku-1'],
        contents: [{ id: 'sku-1', quantity: 1 }],
        content_type: 'product',
        num_items: 1,
        order_id: 'A-1001',
      },
    }),
  }),
  example('a search', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    sends: sent('Search', { custom_data: { search_string: 'red shoes' } }),
  }),
  example('a lead with a newer click than that of the pixel’s cookie, and a property of the shop', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD', plan: 'gold', from: 'a@b.example' } },
    captured: { _fbc: 'fb.1.1690000000000.Older', fbclid: 'Newer' },
    sends: sent('Lead', {
      user_data: { fbc: 'fb.1.1700000000000.Newer' },
      custom_data: { plan: 'gold', value: 10, currency: 'USD' },
    }),
    user: undefined,
  }),
  example('a lead with an older click than that of the pixel’s cookie', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
    captured: { _fbc: 'fb.1.1700000000001.Newer', fbclid: 'Older' },
    sends: sent('Lead', {
      user_data: { fbc: 'fb.1.1700000000001.Newer' },
      custom_data: { value: 10, currency: 'USD' },
    }),
    user: undefined,
  }),
  example('names without apostrophes and spaces, a date of the order that Meta reads, an id in lower case', {
    event: { eventName: 'Lead' },
    user: { firstName: 'Anna Maria', lastName: 'O’Neill-Smith', dateOfBirth: '12/10/1990', customerId: 'Customer-1' },
    sends: sent('Lead', {
      user_data: {
        fn: [hash('sha256', 'annamaria')],
        ln: [hash('sha256', 'oneillsmith')],
        db: [adaDigests.birthDate],
        external_id: [adaDigests.customerId],
      },
    }),
  }),
  example('a custom event under Limited Data Use, while testing', {
    event: { eventName: 'Quiz finished' },
    secrets: { FACEBOOK_LDU: '1', FACEBOOK_TEST_EVENT_CODE: 'TEST7' },
    sends: sent(
      'Quiz finished',
      { data_processing_options: ['LDU'], data_processing_options_country: 0, data_processing_options_state: 0 },
      { test_event_code: 'TEST7' },
    ),
  }),
  example('limited data use for a person who refused advertising', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent('PageView', {
      data_processing_options: ['LDU'],
      data_processing_options_country: 0,
      data_processing_options_state: 0,
    }),
  }),
  example('limited data use for a person who agreed to advertising, and not to ads that are chosen for them', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'granted', adPersonalization: 'denied' },
    sends: sent('PageView', {
      data_processing_options: ['LDU'],
      data_processing_options_country: 0,
      data_processing_options_state: 0,
    }),
  }),
  example('test mode with a test event code', {
    event: { eventName: 'PageView' },
    secrets: { FACEBOOK_TEST_EVENT_CODE: 'TEST7' },
    testMode: true,
    sends: sent('PageView', {}, { test_event_code: 'TEST7' }),
  }),
  example('test mode without a test event code', { event: { eventName: 'PageView' }, testMode: true, sends: [] }),
  example('a hashed e-mail is not hashed again', {
    event: { eventName: 'PageView' },
    user: { email: '894AC26EA616DEC861DF81A6EFB2DDFC30C3F1CB72B219A17242D8244E66C125' },
    sends: sent('PageView', {
      user_data: { em: ['894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125'] },
    }),
  }),
  example('a country and a user agent do not identify a person', {
    event: { eventName: 'PageView' },
    user: { country: 'DE', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  example('an event of an app, by the advertising id of the device', {
    event: { eventName: 'Search', app, data: { search: 'shoes', idfa: 'AECE52E7-03EE-455A-B3C4-E57283966239' } },
    user: {},
    sends: sent('Search', {
      action_source: 'app',
      user_data: { madid: 'aece52e7-03ee-455a-b3c4-e57283966239' },
      app_data: {
        advertiser_tracking_enabled: 1,
        application_tracking_enabled: 1,
        extinfo: [
          ...['i2', 'example.shop', '2.1', '210', '17.4', 'iPhone15,2', 'en-US', '', ''],
          ...['390', '844', '3', '', '', '', 'Europe/Berlin'],
        ],
      },
      custom_data: { search_string: 'shoes' },
    }),
  }),
  example('an event of an app on Android whose facts are not known', {
    event: { eventName: 'Search', app: { platform: 'android', id: 7, adTracking: 'yes' } },
    sends: sent('Search', {
      action_source: 'app',
      app_data: {
        advertiser_tracking_enabled: 0,
        application_tracking_enabled: 1,
        extinfo: ['a2', ...Array(15).fill('')],
      },
    }),
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({ external_id: [adaDigests.userId] }),
      email: sentForPerson({ em: [adaDigests.email], external_id: [adaDigests.userId] }),
      customer: sentForPerson({ em: [adaDigests.email], external_id: [adaDigests.customerId] }),
    },
  ),
]
