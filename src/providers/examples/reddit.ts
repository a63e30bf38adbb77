import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const tracked = {
  ViewContent: 'VIEW_CONTENT',
  AddToCart: 'ADD_TO_CART',
  Purchase: 'PURCHASE',
  Lead: 'LEAD',
  AddToWishlist: 'ADD_TO_WISHLIST',
  CompleteRegistration: 'SIGN_UP',
}
const custom = ['RemoveFromCart', 'InitiateCheckout', 'AddShippingInfo', 'AddPaymentInfo', 'Subscribe']
const secrets = { REDDIT_PIXEL_ID: 'a2_abcdefgh', REDDIT_CONVERSION_TOKEN: 'reddit-token' }
const known = { user: { userId: 'usr_1' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(type: object, more: object = {}, metadata: object = {}, body: object = {}) {
  return [
    {
      url: 'https://ads-api.reddit.com/api/v3/pixels/a2_abcdefgh/conversion_events',
      headers: { 'content-type': 'application/json', authorization: 'Bearer reddit-token' },
      body: {
        data: {
          ...body,
          events: [
            {
              event_at: 1_700_000_000_000,
              action_source: 'WEBSITE',
              type,
              user: { external_id: adaDigests.userId },
              ...more,
              metadata: { conversion_id: 'evt-1', ...metadata },
            },
          ],
        },
      },
    },
  ]
}

const products = {
  item_count: 2,
  products: [{ id: 'sku-1', name: 'Runner', category: 'Shoes', item_price: 29.99, quantity: 2 }],
}
const ofCart = { currency: 'EUR', value: 59.98, ...products }

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent({ tracking_type: 'SEARCH' })[0]!, {
    body: { data: { events: [{ type: { tracking_type: 'LEAD' }, user: { ...person } }] } },
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(tracked).map(([eventName, tracking_type]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: sent({ tracking_type }, {}, ofCart),
    }),
  ),
  ...custom.map((eventName) =>
    example(`${eventName} is a custom event`, {
      event: { eventName, data: cart },
      sends: sent({ tracking_type: 'CUSTOM', custom_event_name: eventName }, {}, ofCart),
    }),
  ),
  example('a page view has no value', {
    event: { eventName: 'PageView', data: cart },
    sends: sent({ tracking_type: 'PAGE_VISIT' }, {}, products),
  }),
  example('a search has no value', {
    event: { eventName: 'Search', data: { search: 'red shoes', value: 1, currency: 'EUR' } },
    sends: sent({ tracking_type: 'SEARCH' }),
  }),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001', contents: [{ id: 'sku-1' }] },
    },
    user: ada,
    captured: {
      rdt_cid: 'click-1',
      _rdt_cid: 'click-0',
      _rdt_uuid: '1699999999999.c1a1f7a4-5f0e-4d6b-9d57-0a6f6a2f1c38',
    },
    purchaseValueMode: 'net',
    sends: sent(
      { tracking_type: 'PURCHASE' },
      {
        event_source_url: 'https://shop.example/thanks',
        click_id: 'click-1',
        user: {
          email: adaDigests.canonicalMailbox,
          phone_number: adaDigests.phoneE164,
          external_id: adaDigests.customerId,
          ip_address: '81.2.69.142',
          user_agent: 'Mozilla/5.0',
          uuid: 'c1a1f7a4-5f0e-4d6b-9d57-0a6f6a2f1c38',
        },
      },
      { currency: 'EUR', value: 95.05, item_count: 1, products: [{ id: 'sku-1', quantity: 1 }] },
    ),
  }),
  example('a purchase in a currency without decimals, with the cookie of the click', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    captured: { _rdt_cid: 'click-0' },
    sends: sent({ tracking_type: 'PURCHASE' }, { click_id: 'click-0', user: {} }, { currency: 'JPY', value: 6000 }),
    user: undefined,
  }),
  example('limited data use for a person who refused advertising', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent(
      { tracking_type: 'PAGE_VISIT' },
      { user: { external_id: adaDigests.userId, data_processing_options: { modes: ['LDU'] } } },
    ),
  }),
  example('a custom event, while testing', {
    event: { eventName: 'Quiz finished' },
    secrets: { REDDIT_TEST_ID: 't2_test' },
    sends: sent({ tracking_type: 'CUSTOM', custom_event_name: 'Quiz finished' }, {}, {}, { test_id: 't2_test' }),
  }),
  example('test mode with a test id', {
    event: { eventName: 'PageView' },
    secrets: { REDDIT_TEST_ID: 't2_test' },
    testMode: true,
    sends: sent({ tracking_type: 'PAGE_VISIT' }, {}, {}, { test_id: 't2_test' }),
  }),
  example('test mode without a test id', { event: { eventName: 'PageView' }, testMode: true, sends: [] }),
  example('Reddit has no event for refunds', {
    event: { eventName: 'Refund', data: { value: 20, currency: 'EUR' } },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an IP address and a user agent do not identify a person', {
    event: { eventName: 'PageView' },
    user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({ external_id: adaDigests.userId }),
      email: sentForPerson({ email: adaDigests.canonicalMailbox, external_id: adaDigests.userId }),
      customer: sentForPerson({ email: adaDigests.canonicalMailbox, external_id: adaDigests.customerId }),
    },
  ),
]
