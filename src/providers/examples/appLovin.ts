import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'page_view',
  ViewContent: 'view_item',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'begin_checkout',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'generate_lead',
  CompleteRegistration: 'sign_up',
  Login: 'login',
}
const secrets = { APPLOVIN_PIXEL_ID: '12345678-90ab-cdef', APPLOVIN_API_KEY: 'axon-key' }
const example = exampleLike({ secrets })
const visitor = { client_ip_address: '81.2.69.142', client_user_agent: 'Mozilla/5.0' }
const browser = { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }
const pageUrl = 'https://shop.example/thanks'
const items = [{ item_id: 'sku-1', item_name: 'Runner', item_variant_id: 'red', price: 29.99, quantity: 2 }]

/** The request for one event. */
function sent(name: string, data: object | null, user_data: object) {
  return [
    {
      url: 'https://b.applovin.com/v1/event?pixel_id=12345678-90ab-cdef',
      headers: { 'content-type': 'application/json', authorization: 'axon-key' },
      body: {
        events: [
          {
            name,
            event_time: 1_700_000_000_000,
            event_source_url: pageUrl,
            dedupe_id: 'evt-1',
            data,
            user_data: { ...user_data, esi: 'web' },
          },
        ],
      },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead', {}, {})[0]!, {
    body: {
      events: [
        {
          name: 'generate_lead',
          event_source_url: pageUrl,
          data: null,
          user_data: {
            email: adaDigests.email,
            client_ip_address: '81.2.69.142',
            client_user_agent: 'Mozilla/5.0',
            ...person,
          },
        },
      ],
    },
  }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase, net, by a person with all keys and all ids of the vendor', {
    event: {
      eventName: 'Purchase',
      pageUrl,
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'eur', orderId: 'A-1001' },
    },
    purchaseValueMode: 'net',
    user: { ...ada, country: 'USA', zip: '94107-1234' },
    captured: { aleid: 'click-1', _axeid: 'of-cookie', _axart: 'art-1', _axwrt: 'wrt-1' },
    sends: sent(
      'purchase',
      { currency: 'EUR', value: 95.05, transaction_id: 'A-1001', shipping: 4.95, tax: 19 },
      {
        aleid: 'click-1',
        alart: 'art-1',
        axwrt: 'wrt-1',
        client_id: 'wrt-1',
        user_id: 'customer-1',
        // The digests of ada.lovelace@gmail.com and 491701234567.
        email: '894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125',
        phone: '8b47a52ed04d068c3a9c5632b98cec18780a9f9f4099d4f8afe233970ce116fe',
        ...visitor,
        country_code: 'US',
        zip: '94107',
      },
    ),
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, pageUrl, data: cart },
      user: { customerId: 'customer-1', ...browser },
      sends: sent(
        name,
        { currency: 'EUR', value: 59.98, ...(name === 'search' ? { results: items } : { items }) },
        { user_id: 'customer-1', ...visitor },
      ),
    }),
  ),
  example('a search without a value, with the id of the cookie', {
    event: { eventName: 'Search', pageUrl, data: { search: 'red shoes' } },
    user: browser,
    captured: { axeid: 'server-cookie' },
    sends: sent('search', { search_term: 'red shoes' }, { aleid: 'server-cookie', ...visitor }),
  }),
  example('a purchase in yen, of an item with a category number', {
    event: {
      eventName: 'Purchase',
      pageUrl,
      data: {
        value: 1250,
        currency: 'JPY',
        orderId: 'A-1',
        contents: [{ id: 'a', category: '187', item_price: 1250 }],
      },
    },
    user: browser,
    captured: { alart: 'art-1' },
    sends: sent(
      'purchase',
      {
        currency: 'JPY',
        value: 1250,
        transaction_id: 'A-1',
        items: [{ item_id: 'a', item_category_id: 187, price: 1250, quantity: 1 }],
      },
      { alart: 'art-1', ...visitor },
    ),
  }),
  example('a page view without data, by a person in Britain, whose postal code is not sent', {
    event: { eventName: 'PageView', pageUrl },
    user: { ...browser, zip: 'W1A 1AA', country: 'United Kingdom' },
    captured: { _axwrt: 'wrt-1' },
    sends: sent('page_view', null, { axwrt: 'wrt-1', client_id: 'wrt-1', ...visitor, country_code: 'GB' }),
  }),
  ...['AddShippingInfo', 'Refund', 'Quiz finished'].map((eventName) =>
    example(`AppLovin has no event for ${eventName}`, {
      event: { eventName, pageUrl, data: cart },
      user: ada,
      sends: { skipped: 'eventNotSupported' as const },
    }),
  ),
  example('an e-mail address without an IP address', {
    event: { eventName: 'Purchase', pageUrl, data: cart },
    user: { email: 'ada@example.com', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  example('an IP address and a user agent do not identify a person', {
    event: { eventName: 'Purchase', pageUrl, data: cart },
    user: browser,
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead', pageUrl }, user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({}),
      customer: sentForPerson({ user_id: 'customer-1' }),
    },
  ),
]
