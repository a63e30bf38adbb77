import { hash } from 'node:crypto'
import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { APPSFLYER_BUNDLE_ID: 'com.shop.brand', APPSFLYER_WEB_DEV_KEY: 'dev-key-1' }
const withApp = { ...secrets, APPSFLYER_APP_ID: 'id123456789', APPSFLYER_S2S_KEY: 's2s-key-1' }
const example = exampleLike({ user: { customerId: 'customer-1' }, secrets })

const value = { af_content_id: ['sku-1'], af_quantity: [2], af_price: [29.99], event_id: 'evt-1' }
const names = {
  ViewContent: 'af_content_view',
  AddToCart: 'af_add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'af_initiated_checkout',
  AddShippingInfo: 'add_shipping_info',
  AddPaymentInfo: 'af_add_payment_info',
  Search: 'af_search',
  AddToWishlist: 'af_add_to_wishlist',
  Login: 'af_login',
  Share: 'af_share',
  Invite: 'af_invite',
  Rate: 'af_rate',
  SpendCredits: 'af_spent_credits',
  AchieveLevel: 'af_level_achieved',
  UnlockAchievement: 'af_achievement_unlocked',
  CompleteTutorial: 'af_tutorial_completion',
  ViewItemList: 'af_list_view',
}
const earning = {
  Subscribe: 'af_subscribe',
  Lead: 'lead',
  CompleteRegistration: 'af_complete_registration',
  StartTrial: 'af_start_trial',
}

/** The expected web request. */
function sent(eventName: string, more: object) {
  const body = {
    customerUserId: 'customer-1',
    webDevKey: 'dev-key-1',
    eventType: 'EVENT',
    eventName,
    timestamp: 1_700_000_000_000,
    eventValue: value,
    ...more,
  }
  return [
    {
      url: 'https://webs2s.appsflyer.com/v1/com.shop.brand/event',
      headers: { 'content-type': 'application/json' },
      body: JSON.parse(JSON.stringify(body)),
    },
  ]
}

/** The expected request for the app. */
const sentToApp = (body: object) => [
  {
    url: 'https://api3.appsflyer.com/inappevent/id123456789',
    headers: { 'content-type': 'application/json', authentication: 's2s-key-1' },
    body: { appsflyer_id: '1700000000000-1234567', eventTime: '2023-11-14 22:13:20.000', ...body },
  },
]

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('lead', {})[0]!, {
    body: { eventValue: { af_content_id: undefined, af_quantity: undefined, af_price: undefined } },
  }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase by the id of the page script and by the user id', {
    event: {
      eventName: 'Purchase',
      referrer: 'https://search.example/',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING' }], userEmail: 'x@y.example' },
    },
    user: ada,
    captured: { afUserId: '7dc4d6ce-5b53-4ab0-8df6-a2f1f1cbf5a1-p' },
    sends: sent('af_purchase', {
      afUserId: '7dc4d6ce-5b53-4ab0-8df6-a2f1f1cbf5a1-p',
      eventRevenue: 59.98,
      eventRevenueCurrency: 'EUR',
      eventValue: { af_order_id: 'A-1001', ...value, af_coupon_code: 'SPRING' },
      referrer: 'https://search.example/',
      UserAgent: 'Mozilla/5.0',
      ip: '81.2.69.142',
    }),
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName}, whose value is no revenue`, { event: { eventName, data: cart }, sends: sent(name, {}) }),
  ),
  ...Object.entries(earning).map(([eventName, name]) =>
    example(`${eventName} with its value`, {
      event: { eventName, data: cart },
      sends: sent(name, { eventRevenue: 59.98, eventRevenueCurrency: 'EUR' }),
    }),
  ),
  example('a purchase in yen, net, of items of which one has no price', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 1250,
        tax: 250,
        currency: 'JPY',
        orderId: 'A-1',
        contents: [{ id: 'a', item_price: 5 }, { id: 'b' }],
      },
    },
    purchaseValueMode: 'net',
    sends: sent('af_purchase', {
      eventRevenue: 1000,
      eventRevenueCurrency: 'JPY',
      eventValue: { af_order_id: 'A-1', af_content_id: ['a', 'b'], af_quantity: [1, 1], event_id: 'evt-1' },
    }),
  }),
  example('a custom event with the values of the customer', {
    event: { eventName: 'Quiz finished', data: { score: 7, search: 'shoes' } },
    sends: sent('Quiz finished', { eventValue: { score: 7, af_search_string: 'shoes', event_id: 'evt-1' } }),
  }),
  example('a purchase in the app, by the ids of the device', {
    event: {
      eventName: 'Purchase',
      app: { platform: 'ios', id: 'example.shop', version: '2.1', osVersion: '17.4' },
      data: { ...cart, orderId: 'A-1001', appsflyer_id: '1700000000000-1234567', idfa: 'IDFA-1' },
    },
    user: ada,
    secrets: withApp,
    sends: sentToApp({
      idfa: 'IDFA-1',
      bundleIdentifier: 'example.shop',
      app_version_name: '2.1',
      os: '17.4',
      customer_user_id: 'customer-1',
      ip: '81.2.69.142',
      email_hashed: hash('sha256', 'ada.lovelace@gmail.com'),
      phone_number_e164_hashed: hash('sha256', '+491701234567'),
      eventName: 'af_purchase',
      eventCurrency: 'EUR',
      eventValue: JSON.stringify({ af_order_id: 'A-1001', ...value, af_revenue: 59.98 }),
    }),
  }),
  example('an event of the app with many items, of which a short form is sent', {
    event: {
      eventName: 'AddToCart',
      data: { currency: 'EUR', value: 1, contents: Array.from({ length: 100 }, (_, at) => ({ id: `sku-${at}` })) },
    },
    custom: { appsflyer_id: '1700000000000-1234567' },
    secrets: withApp,
    sends: sentToApp({ eventName: 'af_add_to_cart', eventValue: JSON.stringify({ event_id: 'evt-1' }) }),
    user: undefined,
  }),
  example('an event of the app with long texts, which keeps the order and its id', {
    event: { eventName: 'Search', data: { search: 'ü'.repeat(500), orderId: 'A-1001' } },
    custom: { appsflyer_id: '1700000000000-1234567' },
    secrets: withApp,
    sends: sentToApp({
      eventName: 'af_search',
      eventValue: JSON.stringify({ af_order_id: 'A-1001', event_id: 'evt-1' }),
    }),
    user: undefined,
  }),
  example('an event of the web goes to the web although an app is set', {
    event: { eventName: 'Search', data: cart },
    user: { customerId: 'customer-1' },
    secrets: withApp,
    sends: sent('af_search', {}),
  }),
  example('an e-mail address is no user id, and without an id nothing is sent', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: { customerId: 'ada@example.com', email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a page view is left to the page script of the vendor', {
    event: { eventName: 'PageView' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a refund is not counted as one more sale', {
    event: { eventName: 'Refund', data: { ...cart, orderId: 'A-1001' } },
    sends: { skipped: 'eventNotSupported' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
