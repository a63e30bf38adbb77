import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'page_view',
  ViewContent: 'view_content',
  AddToCart: 'add_to_cart',
  InitiateCheckout: 'initiate_checkout',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'lead',
  AddToWishlist: 'add_to_wishlist',
  CompleteRegistration: 'sign_up',
}
const secrets = { NEXTDOOR_ACCESS_TOKEN: 'nd-token', NEXTDOOR_PIXEL_ID: 'px-1' }
const known = { user: { email: 'ada.lovelace@gmail.com' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(event_name: string, more: object = {}) {
  return [
    {
      url: 'https://ads.nextdoor.com/v2/api/conversions/track',
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization: 'Bearer nd-token' },
      body: {
        event_name,
        event_id: 'evt-1',
        event_time_epoch: 1_700_000_000,
        action_source: 'website',
        data_source_id: 'px-1',
        delivery_optimization: true,
        test_event: 'false',
        customer: { email: adaDigests.email },
        ...more,
      },
    },
  ]
}

const custom = { order_value: 'EUR59.98', product_context: [{ id: 'sku-1', quantity: 2, item_price: 29.99 }] }

/** The requests, the same for each of the three people. */
const sentForPerson = sent('lead')

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: sent(name, { custom }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' },
    },
    user: ada,
    captured: { ndclid: 'click-1', _ndclid: 'click-0' },
    purchaseValueMode: 'net',
    secrets: { NEXTDOOR_ADVERTISER_ID: 'adv-1', NEXTDOOR_PARTNER_ID: 'partner-1' },
    sends: sent('purchase', {
      action_source_url: 'https://shop.example/thanks',
      client_id: 'adv-1',
      partner_id: 'partner-1',
      customer: {
        email: adaDigests.email,
        phone_number: 'aae8be0d8d60b185737c2312110041b1694590459e5a8d9ae7acf3dfbbc72b8f',
        first_name: adaDigests.firstName,
        last_name: adaDigests.lastName,
        date_of_birth: adaDigests.isoBirthDate,
        city: adaDigests.city,
        state: adaDigests.state,
        zip_code: adaDigests.zipWithSpace,
        country: adaDigests.country,
        client_ip_address: '81.2.69.142',
        click_id: 'click-1',
      },
      custom: { order_value: 'EUR95.05', order_id: 'A-1001' },
    }),
  }),
  example('a purchase in a currency without decimals, with the cookie of the click', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    captured: { _ndclid: 'click-0' },
    sends: sent('purchase', { customer: { click_id: 'click-0' }, custom: { order_value: 'JPY6000' } }),
    user: undefined,
  }),
  example('a person who refused advertising is attributed and not used for optimisation', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent('page_view', { delivery_optimization: false }),
  }),
  example('a custom event, mapped to a custom conversion', {
    event: { eventName: 'Quiz finished' },
    secrets: { NEXTDOOR_MAPPED_EVENTS: '[["Quiz finished", "custom_conversion_1"]]' },
    sends: sent('custom_conversion_1'),
  }),
  example('a page view, while testing', {
    event: { eventName: 'PageView' },
    secrets: { NEXTDOOR_TEST_MODE: '1' },
    sends: sent('page_view', { test_event: 'true' }),
  }),
  example('test mode', {
    event: { eventName: 'PageView' },
    testMode: true,
    sends: sent('page_view', { test_event: 'true' }),
  }),
  example('a custom event without a custom conversion is not sent', {
    event: { eventName: 'Quiz finished' },
    sends: { skipped: 'filtered' },
  }),
  example('Nextdoor has no event for RemoveFromCart', {
    event: { eventName: 'RemoveFromCart', data: cart },
    sends: { skipped: 'filtered' },
  }),
  example('a person of whom only the user agent is known', {
    event: { eventName: 'PageView' },
    user: { userAgent: 'Mozilla/5.0', userId: 'usr_1' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
