import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { KOCHAVA_APP_ID: 'komy-shop-ab12cd34' }
const example = exampleLike({ secrets })
const browser = { userId: 'usr_1', ip: '81.2.69.142', userAgent: 'Mozilla/5.0 (X11; Linux)' }
const known = { user: browser, custom: { idfa: 'IDFA-1' }, secrets }
const eventData = { currency: 'EUR', content_id: 'sku-1', quantity: 2, event_id: 'evt-1' }
const names = {
  ViewContent: 'View',
  AddToCart: 'Add to Cart',
  RemoveFromCart: 'Remove from Cart',
  InitiateCheckout: 'Checkout Start',
  AddShippingInfo: 'AddShippingInfo',
  AddPaymentInfo: 'AddPaymentInfo',
  Search: 'Search',
  AddToWishlist: 'Add to Wish List',
  Rate: 'Rating',
  AchieveLevel: 'Level Complete',
  UnlockAchievement: 'Achievement',
  CompleteTutorial: 'Tutorial Complete',
}
const earning = {
  Subscribe: 'Subscribe',
  Lead: 'Lead',
  CompleteRegistration: 'Registration Complete',
  StartTrial: 'Start Trial',
}

/** The expected request. */
const sent = (event_name: string, event_data: object = eventData, more: object = {}, kochava_device_id = 'usr_1') => [
  {
    url: 'https://control.kochava.com/track/json',
    headers: { 'content-type': 'application/json' },
    body: {
      action: 'event',
      kochava_app_id: 'komy-shop-ab12cd34',
      kochava_device_id,
      data: {
        event_name,
        usertime: 1_700_000_000,
        origination_ip: '81.2.69.142',
        device_ua: 'Mozilla%2F5.0%20(X11%3B%20Linux)',
        device_ver: '',
        currency: 'EUR',
        device_ids: { idfa: 'IDFA-1' },
        event_data,
        ...more,
      },
    },
  },
]

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('Lead', {})[0]!, {
    body: {
      kochava_device_id: 'KA123',
      data: {
        currency: undefined,
        device_ua: 'Mozilla%2F5.0',
        device_ids: { idfa: undefined, adid: 'GAID-1' },
        event_data: { event_id: 'evt-1', ko_click_id: 'click-1' },
      },
    },
  }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase in an app, by the ids of the device', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001', app_version: '4.2', gift: true } },
    user: browser,
    captured: { ko_click_id: 'click-1', adid: 'GAID-1', kochava_device_id: 'KA123' },
    sends: sent(
      'Purchase',
      { gift: true, ...eventData, price: 59.98, order_id: 'A-1001', ko_click_id: 'click-1' },
      { device_ids: { adid: 'GAID-1' }, app_version: '4.2' },
      'KA123',
    ),
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName}, whose value is no revenue`, {
      event: { eventName, data: cart },
      ...known,
      sends: sent(name),
    }),
  ),
  ...Object.entries(earning).map(([eventName, name]) =>
    example(`${eventName} with its value`, {
      event: { eventName, data: cart },
      ...known,
      sends: sent(name, { ...eventData, price: 59.98 }),
    }),
  ),
  example('a purchase in yen, net, under the name that the customer chose, by an id of the customer’s own', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1' } },
    user: browser,
    custom: { custom: 'device-9' },
    captured: { kochava_device_id: 'KW-1' },
    purchaseValueMode: 'net',
    secrets: { KOCHAVA_MAPPED_EVENTS: '[["Purchase", "Checkout Complete"]]' },
    sends: sent(
      'Checkout Complete',
      { price: 1000, currency: 'JPY', order_id: 'A-1', event_id: 'evt-1' },
      { currency: 'JPY', device_ids: { custom: 'device-9' } },
      'KW-1',
    ),
  }),
  example('an event of an Android app, whose advertising id has the name that another vendor gives it', {
    event: { eventName: 'Search', data: { currency: 'EUR', search: 'shoes', gps_adid: 'GAID-1', adid: 'ADJUST-1' } },
    user: browser,
    sends: sent('Search', { currency: 'EUR', event_id: 'evt-1' }, { device_ids: { adid: 'GAID-1' } }),
  }),
  example('a custom event of somebody whose user id is an e-mail address', {
    event: { eventName: 'Quiz finished', data: { score: 7, currency: 'EUR' } },
    ...known,
    user: { ...browser, userId: 'ada@example.com' },
    sends: sent('Quiz finished', { score: 7, currency: 'EUR', event_id: 'evt-1' }, {}, ''),
  }),
  example('the id of the page script alone is not enough', {
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    captured: { kochava_device_id: 'KW-1' },
    sends: { skipped: 'identityMissing' },
  }),
  example('an event without the address of the visitor', {
    event: { eventName: 'Purchase', data: cart },
    ...known,
    user: { userId: 'usr_1', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a page view is not sent', { event: { eventName: 'PageView' }, ...known, sends: { skipped: 'filtered' } }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead' },
      user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
      captured: { ko_click_id: 'click-1', adid: 'GAID-1', kochava_device_id: 'KA123' },
      secrets,
    },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
