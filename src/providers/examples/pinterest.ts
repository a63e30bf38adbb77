import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'page_visit',
  ViewContent: 'page_visit',
  AddToCart: 'add_to_cart',
  InitiateCheckout: 'initiate_checkout',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'checkout',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'lead',
  AddToWishlist: 'add_to_wishlist',
  CompleteRegistration: 'signup',
  StartTrial: 'start_trial',
  Contact: 'contact',
  Schedule: 'schedule',
  SubmitApplication: 'submit_application',
  FindLocation: 'find_location',
  CustomizeProduct: 'customize_product',
  ViewItemList: 'view_category',
}
const secrets = { PINTEREST_AD_ACCOUNT_ID: '549755885175', PINTEREST_ACCESS_TOKEN: 'pina_token' }
const known = { user: { email: 'ada.lovelace@gmail.com' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(event_name: string, more: object = {}, query = '') {
  return [
    {
      url: `https://api.pinterest.com/v5/ad_accounts/549755885175/events${query}`,
      headers: { 'content-type': 'application/json', authorization: 'Bearer pina_token' },
      body: {
        data: [
          {
            event_name,
            action_source: 'web',
            event_time: 1_700_000_000,
            event_id: 'evt-1',
            opt_out: false,
            user_data: { em: [adaDigests.email] },
            ...more,
          },
        ],
      },
    },
  ]
}

const custom_data = {
  currency: 'EUR',
  value: '59.98',
  content_ids: ['sku-1'],
  contents: [{ id: 'sku-1', item_price: '29.99', quantity: 2, item_name: 'Runner', item_category: 'Shoes' }],
  num_items: 2,
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('lead', {})[0]!, { body: { data: [{ user_data: { em: [adaDigests.email], ...person } }] } }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: sent(name, { custom_data }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: {
        value: 119,
        tax: 19,
        shipping: 4.95,
        currency: 'EUR',
        orderId: 'A-1001',
        contents: [{ id: 'sku-1', brand: 'Acme' }],
      },
    },
    user: ada,
    captured: { epik: 'dj0yJnU9click', _epik: 'dj0yOlder' },
    purchaseValueMode: 'net',
    sends: sent('checkout', {
      event_source_url: 'https://shop.example/thanks',
      user_data: {
        em: [adaDigests.email],
        ph: [adaDigests.phoneDigits],
        fn: [adaDigests.firstName],
        ln: [adaDigests.lastName],
        ge: [adaDigests.genderLetter],
        db: [adaDigests.birthDate],
        ct: [adaDigests.city],
        st: [adaDigests.state],
        zp: [adaDigests.zipCode],
        country: [adaDigests.country],
        external_id: [adaDigests.customerId],
        click_id: 'dj0yJnU9click',
        client_ip_address: '81.2.69.142',
        client_user_agent: 'Mozilla/5.0',
      },
      custom_data: {
        currency: 'EUR',
        value: '95.05',
        content_ids: ['sku-1'],
        contents: [{ id: 'sku-1', quantity: 1, item_brand: 'Acme' }],
        num_items: 1,
        order_id: 'A-1001',
      },
    }),
  }),
  example('a purchase in a currency without decimals, with the cookie of the tag', {
    event: {
      eventName: 'Purchase',
      data: { value: 6000, currency: 'JPY', contents: [{ id: 'sku-2', item_price: 3000, quantity: 2 }] },
    },
    user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    captured: { _epik: 'dj0yCookie' },
    sends: sent('checkout', {
      user_data: { click_id: 'dj0yCookie', client_ip_address: '81.2.69.142', client_user_agent: 'Mozilla/5.0' },
      custom_data: {
        currency: 'JPY',
        value: '6000',
        content_ids: ['sku-2'],
        contents: [{ id: 'sku-2', item_price: '3000', quantity: 2 }],
        num_items: 2,
      },
    }),
  }),
  example('a search by a non-binary person', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    user: { ...known.user, gender: 'Non-binary' },
    sends: sent('search', {
      user_data: { em: [adaDigests.email], ge: ['1b16b1df538ba12dc3f97edbb85caa7050d46c148134290feba80f8236c83db9'] },
      custom_data: { search_string: 'red shoes' },
    }),
  }),
  example('a person who refused advertising has opted out', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent('page_visit', { opt_out: true }),
  }),
  example('a person who agreed to advertising, and not to ads that are chosen for them, has opted out', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'granted', adPersonalization: 'denied' },
    sends: sent('page_visit', { opt_out: true }),
  }),
  example('a custom event, while testing', {
    event: { eventName: 'Quiz finished' },
    secrets: { PINTEREST_TEST_MODE: '1' },
    sends: sent('custom', {}, '?test=true'),
  }),
  example('test mode', {
    event: { eventName: 'PageView' },
    testMode: true,
    sends: sent('page_visit', {}, '?test=true'),
  }),
  example('Pinterest has no event for RemoveFromCart', {
    event: { eventName: 'RemoveFromCart', data: cart },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('Pinterest has no event for refunds', {
    event: { eventName: 'Refund', data: { value: 20, currency: 'EUR', orderId: 'A-1001' } },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an IP address without a user agent does not identify a person', {
    event: { eventName: 'PageView' },
    user: { ip: '81.2.69.142', userId: 'usr_1' },
    captured: { epik: 'dj0yJnU9click' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({ external_id: [adaDigests.userId] }),
      customer: sentForPerson({ external_id: [adaDigests.customerId] }),
    },
  ),
]
