import { hash } from 'node:crypto'
import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'Pageview',
  ViewContent: 'ViewContent',
  AddToCart: 'AddToCart',
  InitiateCheckout: 'InitiateCheckout',
  AddPaymentInfo: 'AddPaymentInfo',
  Purchase: 'CompletePayment',
  Subscribe: 'Subscribe',
  Search: 'Search',
  Lead: 'SubmitForm',
  AddToWishlist: 'AddToWishlist',
  CompleteRegistration: 'CompleteRegistration',
  StartTrial: 'StartTrial',
  Contact: 'Contact',
  CustomizeProduct: 'CustomizeProduct',
  Download: 'Download',
  FindLocation: 'FindLocation',
  Schedule: 'Schedule',
  SubmitApplication: 'SubmitApplication',
}
const secrets = { TIKTOK_PIXEL_CODE: 'C4PIXEL', TIKTOK_ACCESS_TOKEN: 'tt-token' }
const known = { user: { userId: 'usr_1' }, secrets }
const example = exampleLike(known)
const contents = [{ content_id: 'sku-1', content_name: 'Runner', content_category: 'Shoes', price: 29.99, quantity: 2 }]

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(event: string, more: object = {}, body: object = {}) {
  const user = { external_id: ['ac9852aff2e92a734c6c3f72ac9270f1d0661639b6080ee5e964182d0181a7a1'] }
  return [
    {
      url: 'https://business-api.tiktok.com/open_api/v1.3/event/track/',
      headers: { 'content-type': 'application/json', 'access-token': 'tt-token' },
      body: {
        event_source: 'web',
        event_source_id: 'C4PIXEL',
        data: [{ event, event_time: 1_700_000_000, event_id: 'evt-1', user, ...more }],
        ...body,
      },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead', {})[0]!, { body: { data: [{ event: 'SubmitForm', user: { ...person } }] } }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: sent(name, { properties: { value: 59.98, currency: 'EUR', content_type: 'product', contents } }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      referrer: 'https://shop.example/checkout',
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' },
    },
    user: ada,
    captured: { ttclid: 'E.C.P.abc', _ttp: '2abcDEF' },
    purchaseValueMode: 'net',
    sends: sent('CompletePayment', {
      user: {
        email: ['894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125'],
        phone: ['b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1'],
        external_id: ['e83f10dcd2c68747c3f3ba14a54258d5c1843a8d75b0f5cb52c6f3df052a72d1'],
        first_name: 'fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029',
        last_name: 'fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f',
        city: 'london',
        state: 'england',
        country: 'unitedkingdom',
        zip_code: '7d3fac9e9f3558608abd0966d94a166886ddff096f87b08d86b9eb32b6a90764',
        ip: '81.2.69.142',
        user_agent: 'Mozilla/5.0',
        ttclid: 'E.C.P.abc',
        ttp: '2abcDEF',
      },
      page: { url: 'https://shop.example/thanks', referrer: 'https://shop.example/checkout' },
      properties: { value: 95.05, currency: 'EUR', order_id: 'A-1001' },
    }),
  }),
  example('a search, while testing', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    secrets: { TIKTOK_TEST_EVENT_CODE: 'TEST7' },
    testMode: true,
    sends: sent('Search', { properties: { query: 'red shoes' } }, { test_event_code: 'TEST7' }),
  }),
  example('limited data use for a person who refused advertising', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent('Search', { properties: { query: 'red shoes' }, limited_data_use: true }),
  }),
  example('limited data use for a person who agreed to advertising, and not to ads that are chosen for them', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    consent: { advertising: 'granted', adPersonalization: 'denied' },
    sends: sent('Search', { properties: { query: 'red shoes' }, limited_data_use: true }),
  }),
  example('test mode without a test event code', { event: { eventName: 'Search' }, testMode: true, sends: [] }),
  example('a custom event with only IP address and user agent', {
    event: { eventName: 'Quiz finished' },
    user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    sends: sent('Quiz finished', { user: { ip: '81.2.69.142', user_agent: 'Mozilla/5.0' } }),
  }),
  example('TikTok has no event for RemoveFromCart', {
    event: { eventName: 'RemoveFromCart', data: cart },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an IP address without a user agent does not identify a person', {
    event: { eventName: 'PageView' },
    user: { ip: '81.2.69.142' },
    sends: { skipped: 'identityMissing' },
  }),
  example('names of several words', {
    event: { eventName: 'Lead' },
    user: { email: 'ada.lovelace@gmail.com', firstName: 'Anna Maria', lastName: 'van der Berg' },
    sends: sent('SubmitForm', {
      user: {
        email: ['894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125'],
        first_name: hash('sha256', 'annamaria'),
        last_name: hash('sha256', 'vanderberg'),
      },
    }),
  }),
  example('an event of an app, where its TikTok app ID is set', {
    event: {
      eventName: 'Search',
      app: { platform: 'android', id: 'example.shop', name: 'Shop', version: '2.1', locale: 'en-US', adTracking: true },
      data: { search: 'shoes', gaid: 'cdda802e-fb9c-47ad-9866-0794d394c912' },
    },
    secrets: { TIKTOK_APP_ID: '7123456789' },
    sends: sent(
      'Search',
      {
        user: {
          external_id: ['ac9852aff2e92a734c6c3f72ac9270f1d0661639b6080ee5e964182d0181a7a1'],
          gaid: 'cdda802e-fb9c-47ad-9866-0794d394c912',
          att_status: 'NOT_APPLICABLE',
          locale: 'en-US',
        },
        app: { app_id: 'example.shop', app_name: 'Shop', app_version: '2.1' },
        properties: { query: 'shoes' },
      },
      { event_source: 'app', event_source_id: '7123456789' },
    ),
  }),
  example('an event of an app on iOS whose person does not allow tracking', {
    event: { eventName: 'Search', app: { platform: 'ios', adTracking: false }, data: { idfv: 'IDFV-1' } },
    secrets: { TIKTOK_APP_ID: '7123456789' },
    sends: sent(
      'Search',
      {
        user: {
          external_id: ['ac9852aff2e92a734c6c3f72ac9270f1d0661639b6080ee5e964182d0181a7a1'],
          idfv: 'IDFV-1',
          att_status: 'DENIED',
        },
        app: {},
      },
      { event_source: 'app', event_source_id: '7123456789' },
    ),
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({ external_id: [adaDigests.userId] }),
      email: sentForPerson({ email: [adaDigests.email], external_id: [adaDigests.userId] }),
      customer: sentForPerson({ email: [adaDigests.email], external_id: [adaDigests.customerId] }),
    },
  ),
]
