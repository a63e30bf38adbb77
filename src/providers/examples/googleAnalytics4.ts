import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, visit } from '#provider/form/exampleData.ts'

const names = {
  PageView: 'page_view',
  ViewContent: 'view_item',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'begin_checkout',
  AddShippingInfo: 'add_shipping_info',
  AddPaymentInfo: 'add_payment_info',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'generate_lead',
  AddToWishlist: 'add_to_wishlist',
  CompleteRegistration: 'sign_up',
  Login: 'login',
  Share: 'share',
  SpendCredits: 'spend_virtual_currency',
  AchieveLevel: 'level_up',
  UnlockAchievement: 'unlock_achievement',
  CompleteTutorial: 'tutorial_complete',
  ViewCart: 'view_cart',
  ViewItemList: 'view_item_list',
  SelectItem: 'select_item',
  ViewPromotion: 'view_promotion',
  SelectPromotion: 'select_promotion',
  Download: 'file_download',
}
const secrets = { GOOGLE_ANALYTICS_4_MEASUREMENT_ID: 'G-ABC123', GOOGLE_ANALYTICS_4_API_SECRET: 'ga-secret' }
const example = exampleLike({ secrets })
const items = [
  { item_id: 'sku-1', item_name: 'Runner', item_category: 'Shoes', item_variant: 'red', price: 29.99, quantity: 2 },
]
const visitor = { captured: { _ga: 'GA1.1.111.222' }, secrets }

/** The expected requests of an example with the input `visitor`. The arguments: the fields that its event adds. */
function sent(name: string, params: object, body: object = {}, host = 'www') {
  return [
    {
      url: `https://${host}.google-analytics.com/mp/collect?measurement_id=G-ABC123&api_secret=ga-secret`,
      headers: { 'content-type': 'application/json' },
      body: {
        client_id: '111.222',
        timestamp_micros: 1_700_000_000_000_000,
        events: [{ name, params: { ...params, engagement_time_msec: 100, event_id: 'evt-1' } }],
        ...body,
      },
    },
  ]
}

/** This many parameters of the shop's own. */
const own = (count: number) => Array.from({ length: count }, (_, n) => [`own_${n}`, n] as const)

const debug = 'https://www.google-analytics.com/debug/mp/collect'

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('generate_lead', {})[0]!, { body: { client_id: '2895663791.4075367027', ...person } }),
]

export const examples: readonly ProviderExample[] = [
  example('a page view without the cookie, with a client id derived from the user id', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/', pageTitle: 'Shop' },
    user: { userId: 'usr_1' },
    sends: sent(
      'page_view',
      { page_location: 'https://shop.example/', page_title: 'Shop' },
      { client_id: '2895663791.4075367027' },
    ),
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      ...visitor,
      sends: sent(name, { currency: 'EUR', value: 59.98, items }),
    }),
  ),
  example('a purchase without an order id is identified by the eventId', {
    event: { eventName: 'Purchase', data: cart },
    ...visitor,
    sends: sent('purchase', { currency: 'EUR', value: 59.98, transaction_id: 'evt-1', items }),
  }),
  example('a refund of an order', {
    event: { eventName: 'Refund', data: { value: 29.99, currency: 'EUR', orderId: 'A-1001' } },
    ...visitor,
    sends: sent('refund', { currency: 'EUR', value: 29.99, transaction_id: 'A-1001' }),
  }),
  example('a refund without an order id', {
    event: { eventName: 'Refund', data: { value: 29.99, currency: 'EUR' } },
    ...visitor,
    sends: { skipped: 'payloadRefused' },
  }),
  example('a purchase in the session of the browser, collected in the EU with user-provided data', {
    event: {
      eventName: 'Purchase',
      data: {
        ...cart,
        orderId: 'A-1001',
        tax: 9.58,
        shipping: 4.9,
        discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
        gift: true,
      },
    },
    user: ada,
    captured: { _ga: 'GA1.2.111.222', _ga_ABC123: 'GS2.1.s1699999000$o3$g1$t1699999999$j60$l0$h0' },
    secrets: { GOOGLE_ANALYTICS_4_USER_DATA: '1', GOOGLE_ANALYTICS_4_EU_ENDPOINT: '1' },
    sends: sent(
      'purchase',
      {
        currency: 'EUR',
        value: 59.98,
        transaction_id: 'A-1001',
        coupon: 'SPRING',
        tax: 9.58,
        shipping: 4.9,
        gift: true,
        items,
        session_id: '1699999000',
      },
      {
        user_id: 'customer-1',
        ip_override: '81.2.69.142',
        user_agent: 'Mozilla/5.0',
        user_data: {
          sha256_email_address: ['cd98a25152ad884b29e524ea5d3d8d35615ed0afbbc5ea3a6d4215572b0b2bde'],
          sha256_phone_number: ['b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1'],
          address: [
            {
              sha256_first_name: 'fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029',
              sha256_last_name: 'fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f',
              city: 'london',
              region: 'england',
              postal_code: 'W1A 1AA',
              country: 'GB',
            },
          ],
        },
      },
      'region1',
    ),
  }),
  example('a search in a session of the older cookie format', {
    event: { eventName: 'Search', referrer: 'https://a.example/', data: { search: 'red shoes' } },
    captured: { ...visitor.captured, _ga_ABC123: 'GS1.1.1699999000.3.1.1699999999.0.0.0' },
    sends: sent('search', { search_term: 'red shoes', page_referrer: 'https://a.example/', session_id: '1699999000' }),
  }),
  example('a search of a visit in which the page has no cookie of a session: it is named by its start in seconds', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    ...visitor,
    session: visit,
    sends: sent('search', { search_term: 'red shoes', session_id: '1699999940' }),
  }),
  ...(['granted', 'denied'] as const).map((advertising) => {
    const word = advertising === 'granted' ? 'GRANTED' : 'DENIED'
    return example(`a person for whom advertising is ${advertising}`, {
      event: { eventName: 'Lead' },
      ...visitor,
      consent: { advertising, analytics: 'granted' as const },
      sends: sent('generate_lead', {}, { consent: { ad_user_data: word, ad_personalization: word } }),
    })
  }),
  example('a person who agreed to advertising, and refused ads that are chosen for them', {
    event: { eventName: 'Lead' },
    ...visitor,
    consent: { advertising: 'granted', adPersonalization: 'denied' },
    sends: sent('generate_lead', {}, { consent: { ad_user_data: 'GRANTED', ad_personalization: 'DENIED' } }),
  }),
  example('a person who agreed to advertising, and not to data of the person for it', {
    event: { eventName: 'Lead' },
    ...visitor,
    consent: { advertising: 'granted', adUserData: 'denied' },
    sends: sent('generate_lead', {}, { consent: { ad_user_data: 'DENIED', ad_personalization: 'GRANTED' } }),
  }),
  example('test mode uses the validation server', {
    event: { eventName: 'Lead' },
    ...visitor,
    testMode: true,
    sends: [{ ...sent('generate_lead', {})[0], url: `${debug}?measurement_id=G-ABC123&api_secret=ga-secret` }],
  }),
  example('a custom event with the data that Google accepts', {
    event: { eventName: 'Quiz finished!', data: { score: 7, passed: true, topic: 'tags', _own: 1, answers: [1, 2] } },
    ...visitor,
    sends: sent('Quiz_finished_', { score: 7, passed: true, topic: 'tags' }),
  }),
  example('a standard event with 30 parameters of the shop: 25 in all are sent', {
    event: { eventName: 'Lead', data: Object.fromEntries(own(30)) },
    ...visitor,
    sends: sent('generate_lead', Object.fromEntries(own(23))),
  }),
  example('a reserved name is not sent', {
    event: { eventName: 'session_start' },
    ...visitor,
    sends: { skipped: 'eventNotSupported' },
  }),
  example('without a cookie and a user id', {
    event: { eventName: 'PageView' },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: sentForPerson({}), email: sentForPerson({}), customer: sentForPerson({ user_id: 'customer-1' }) },
  ),
]
