import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { SINGULAR_SDK_KEY: 'sdk-key-1', SINGULAR_PRODUCT_ID: 'com.shop.web' }
const sdid = '40009df0-d618-4d81-9da1-cbb3337b8dec'
const example = exampleLike({ user: { ip: '81.2.69.142' }, captured: { singular_device_id: sdid }, secrets })
const attributes = { event_id: 'evt-1', contents: [{ id: 'sku-1', title: 'Runner', price: 29.99, quantity: 2 }] }
const names = {
  ViewContent: 'sng_content_view',
  AddToCart: 'sng_add_to_cart',
  RemoveFromCart: 'RemoveFromCart',
  InitiateCheckout: 'sng_checkout_initiated',
  AddShippingInfo: 'AddShippingInfo',
  AddPaymentInfo: 'sng_add_payment_info',
  Search: 'sng_search',
  AddToWishlist: 'sng_add_to_wishlist',
  Login: 'sng_login',
  Share: 'sng_share',
  Invite: 'sng_invite',
  Rate: 'sng_rate',
  SpendCredits: 'sng_spent_credits',
  AchieveLevel: 'sng_level_achieved',
  UnlockAchievement: 'sng_achievement_unlocked',
  CompleteTutorial: 'sng_tutorial_complete',
  ViewCart: 'sng_view_cart',
  ViewItemList: 'sng_content_view_list',
}
const earning = {
  Subscribe: 'sng_subscribe',
  Lead: 'sng_submit_lead',
  CompleteRegistration: 'sng_complete_registration',
  StartTrial: 'sng_start_trial',
  SubmitApplication: 'sng_submit_application',
  Reserve: 'sng_book',
}
const amount = { is_revenue_event: 'true', amt: '59.98', cur: 'EUR', purchase_product_id: 'sku-1' }

type Fields = Readonly<Record<string, string>>

/** The expected request. `before`: the fields before the name. `after`: the fields after the time. */
function sent(
  n: string,
  after: Fields = {},
  e: object = attributes,
  before: Fields = { p: 'Web', sdid },
  person: Fields = {},
) {
  const { p = '', ...ids } = before
  const fields = {
    a: 'sdk-key-1',
    p,
    i: 'com.shop.web',
    ...ids,
    n,
    ip: '81.2.69.142',
    ...person,
    utime: '1700000000',
    ...after,
  }
  const query = new URLSearchParams({ ...fields, e: JSON.stringify(e) })
  return [{ method: 'GET', url: `https://s2s.singular.net/api/${ids.sdid ? 'v2' : 'v1'}/evt?${query}`, headers: {} }]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: { url: string }) => [{ method: 'GET', headers: {}, ...person }]

export const examples: readonly ProviderExample[] = [
  example('a purchase on the web', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001', gift: true } },
    user: ada,
    captured: { sdid },
    sends: sent(
      'sng_ecommerce_purchase',
      { ...amount, purchase_transaction_id: 'A-1001' },
      { gift: true, ...attributes },
      { p: 'Web', sdid },
      { ua: 'Mozilla/5.0', custom_user_id: 'customer-1' },
    ),
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName}, whose value is no revenue`, { event: { eventName, data: cart }, sends: sent(name) }),
  ),
  ...Object.entries(earning).map(([eventName, name]) =>
    example(`${eventName} with its value`, { event: { eventName, data: cart }, sends: sent(name, amount) }),
  ),
  example('a purchase in yen, net, in an iOS app', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1', idfa: 'IDFA-1', idfv: 'IDFV-1' },
    },
    user: { ip: '::ffff:81.2.69.142' },
    purchaseValueMode: 'net',
    secrets: { SINGULAR_PLATFORM: 'iOS' },
    sends: sent(
      'sng_ecommerce_purchase',
      { is_revenue_event: 'true', amt: '1000', cur: 'JPY', purchase_transaction_id: 'A-1' },
      { event_id: 'evt-1' },
      { p: 'iOS', idfa: 'IDFA-1', idfv: 'IDFV-1' },
    ),
    captured: undefined,
  }),
  example('a custom event with the values of the customer', {
    event: { eventName: 'Quiz finished', data: { score: 7, search: 'shoes' } },
    sends: sent('Quiz finished', {}, { score: 7, event_id: 'evt-1', search: 'shoes' }),
  }),
  example('an event of a person who refused advertising is shared with no partner', {
    event: { eventName: 'Quiz finished' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent('Quiz finished', { data_sharing_options: '{"limit_data_sharing":true}' }, { event_id: 'evt-1' }),
  }),
  example('a purchase without an id of a device', {
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    sends: { skipped: 'identityMissing' },
    captured: undefined,
  }),
  example('a purchase of a visitor without an IPv4 address', {
    event: { eventName: 'Purchase', data: cart },
    user: { ip: '2001:db8::1' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a page view is left to the page script of the vendor', {
    event: { eventName: 'PageView' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a refund is not counted as one more sale', {
    event: { eventName: 'Refund', data: cart },
    sends: { skipped: 'eventNotSupported' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead' },
      user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
      captured: { sdid: '40009df0-d618-4d81-9da1-cbb3337b8dec' },
      secrets,
    },
    {
      visitor: sentForPerson({
        url: 'https://s2s.singular.net/api/v2/evt?a=sdk-key-1&p=Web&i=com.shop.web&sdid=40009df0-d618-4d81-9da1-cbb3337b8dec&n=sng_submit_lead&ip=81.2.69.142&ua=Mozilla%2F5.0&utime=1700000000&e=%7B%22event_id%22%3A%22evt-1%22%7D',
      }),
      email: sentForPerson({
        url: 'https://s2s.singular.net/api/v2/evt?a=sdk-key-1&p=Web&i=com.shop.web&sdid=40009df0-d618-4d81-9da1-cbb3337b8dec&n=sng_submit_lead&ip=81.2.69.142&ua=Mozilla%2F5.0&utime=1700000000&e=%7B%22event_id%22%3A%22evt-1%22%7D',
      }),
      customer: sentForPerson({
        url: 'https://s2s.singular.net/api/v2/evt?a=sdk-key-1&p=Web&i=com.shop.web&sdid=40009df0-d618-4d81-9da1-cbb3337b8dec&n=sng_submit_lead&ip=81.2.69.142&ua=Mozilla%2F5.0&custom_user_id=customer-1&utime=1700000000&e=%7B%22event_id%22%3A%22evt-1%22%7D',
      }),
    },
  ),
]
