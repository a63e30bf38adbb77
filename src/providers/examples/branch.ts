import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { BRANCH_KEY: 'key_live_abc123' }
const example = exampleLike({ user: { customerId: 'customer-1' }, secrets })
const item = {
  $sku: 'sku-1',
  $product_name: 'Runner',
  $price: 29.99,
  $quantity: 2,
  $currency: 'EUR',
  $product_variant: 'red',
  $canonical_identifier: 'sku-1',
}
const standard = {
  ViewContent: 'VIEW_ITEM',
  AddToCart: 'ADD_TO_CART',
  InitiateCheckout: 'INITIATE_PURCHASE',
  AddPaymentInfo: 'ADD_PAYMENT_INFO',
  Subscribe: 'SUBSCRIBE',
  Lead: 'COMPLETE_REGISTRATION',
  AddToWishlist: 'ADD_TO_WISHLIST',
  CompleteRegistration: 'COMPLETE_REGISTRATION',
  StartTrial: 'START_TRIAL',
  Login: 'LOGIN',
  Share: 'SHARE',
  Invite: 'INVITE',
  Rate: 'RATE',
  Reserve: 'RESERVE',
  SpendCredits: 'SPEND_CREDITS',
  AchieveLevel: 'ACHIEVE_LEVEL',
  UnlockAchievement: 'UNLOCK_ACHIEVEMENT',
  CompleteTutorial: 'COMPLETE_TUTORIAL',
  ViewCart: 'VIEW_CART',
  ViewItemList: 'VIEW_ITEMS',
}
const onWeb = { developer_identity: 'customer-1', environment: 'FULL_WEB' }

const request = (kind: string, body: object) => [
  {
    url: `https://api2.branch.io/v2/event/${kind}`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: { branch_key: 'key_live_abc123', ...body },
  },
]

/** The expected request for a standard event of Branch. */
const sent = (name: string, alias: string, more: object = {}) =>
  request('standard', {
    name,
    customer_event_alias: alias,
    user_data: onWeb,
    event_data: { currency: 'EUR', revenue: 59.98 },
    content_items: [item],
    custom_data: { event_id: 'evt-1' },
    ...more,
  })

/** The expected request for a custom event: no commerce fields. */
const sentAsCustom = (name: string, custom_data: object = {}, user_data: object = onWeb) =>
  request('custom', { name, user_data, custom_data: { ...custom_data, event_id: 'evt-1' } })

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('COMPLETE_REGISTRATION', 'Lead')[0]!, { body: { event_data: undefined, content_items: undefined } }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase on the web', {
    event: {
      eventName: 'Purchase',
      referrer: 'https://search.example/',
      data: { ...cart, orderId: 'A-1001', shipping: 4.95, tax: 9.58, discounts: [{ code: 'SPRING' }] },
    },
    user: ada,
    captured: { browser_fingerprint_id: '743296263264927491' },
    sends: sent('PURCHASE', 'Purchase', {
      user_data: {
        developer_identity: 'customer-1',
        user_agent: 'Mozilla/5.0',
        ip: '81.2.69.142',
        browser_fingerprint_id: '743296263264927491',
        environment: 'FULL_WEB',
        http_referrer: 'https://search.example/',
      },
      event_data: {
        transaction_id: 'A-1001',
        currency: 'EUR',
        revenue: 59.98,
        shipping: 4.95,
        tax: 9.58,
        coupon: 'SPRING',
      },
    }),
  }),
  ...Object.entries(standard).map(([eventName, name]) =>
    example(`${eventName} is a standard event`, { event: { eventName, data: cart }, sends: sent(name, eventName) }),
  ),
  ...['RemoveFromCart', 'AddShippingInfo'].map((eventName) =>
    example(`${eventName} is a custom event, without its items`, {
      event: { eventName, data: cart },
      sends: sentAsCustom(eventName),
    }),
  ),
  example('a search', {
    event: { eventName: 'Search', data: { search: 'shoes' } },
    sends: sent('SEARCH', 'Search', { event_data: { search_query: 'shoes' }, content_items: undefined }).map(
      (one) => JSON.parse(JSON.stringify(one)) as typeof one,
    ),
  }),
  example('a purchase in yen, net, in an iOS app, with the key of the test environment', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1', idfa: 'IDFA-1', idfv: 'IDFV-1' },
    },
    purchaseValueMode: 'net',
    secrets: { BRANCH_KEY: 'key_test_abc123' },
    sends: sent('PURCHASE', 'Purchase', {
      branch_key: 'key_test_abc123',
      user_data: { idfa: 'IDFA-1', idfv: 'IDFV-1', os: 'iOS', environment: 'FULL_APP' },
      event_data: { transaction_id: 'A-1', currency: 'JPY', revenue: 1000, tax: 250 },
      content_items: [{ ...item, $currency: 'JPY' }],
    }),
    user: undefined,
  }),
  example('a custom event in an Android app has texts only', {
    event: {
      eventName: 'QUIZ',
      app: { platform: 'android', version: '2.1', osVersion: '14', manufacturer: 'Google', model: 'Pixel 8' },
      data: { score: 7 },
    },
    custom: { aaid: 'AAID-1' },
    sends: sentAsCustom(
      'QUIZ',
      { score: '7' },
      {
        ...{ aaid: 'AAID-1', os: 'Android', environment: 'FULL_APP' },
        ...{ app_version: '2.1', os_version: '14', brand: 'Google', model: 'Pixel 8' },
      },
    ),
    user: undefined,
  }),
  example('a person who refused advertising is not to be tracked by advertisers', {
    event: { eventName: 'QUIZ' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sentAsCustom('QUIZ', {}, { ...onWeb, limit_ad_tracking: true }),
  }),
  example('the id of a click on a Branch link stands for the browser', {
    event: { eventName: 'Quiz finished' },
    captured: { _branch_match_id: '743296263264927491' },
    sends: sentAsCustom('Quiz finished', {}, { browser_fingerprint_id: '743296263264927491', environment: 'FULL_WEB' }),
    user: undefined,
  }),
  example('a purchase of nobody: an e-mail address is no id', {
    event: { eventName: 'Purchase', data: cart },
    user: { customerId: 'ada@example.com', ip: '81.2.69.142' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a page view is not sent', { event: { eventName: 'PageView' }, sends: { skipped: 'eventNotSupported' } }),
  example('a refund is not counted as one more sale', {
    event: { eventName: 'Refund', data: cart },
    sends: { skipped: 'eventNotSupported' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
