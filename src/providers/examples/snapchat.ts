import { hash } from 'node:crypto'
import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'PAGE_VIEW',
  ViewContent: 'VIEW_CONTENT',
  AddToCart: 'ADD_CART',
  InitiateCheckout: 'START_CHECKOUT',
  AddPaymentInfo: 'ADD_BILLING',
  Purchase: 'PURCHASE',
  Subscribe: 'SUBSCRIBE',
  Search: 'SEARCH',
  Lead: 'SIGN_UP',
  AddToWishlist: 'ADD_TO_WISHLIST',
  CompleteRegistration: 'SIGN_UP',
  StartTrial: 'START_TRIAL',
  ViewItemList: 'LIST_VIEW',
  Login: 'LOGIN',
  Share: 'SHARE',
  Invite: 'INVITE',
  Rate: 'RATE',
  Reserve: 'RESERVE',
  SpendCredits: 'SPENT_CREDITS',
  AchieveLevel: 'LEVEL_COMPLETE',
  UnlockAchievement: 'ACHIEVEMENT_UNLOCKED',
  CompleteTutorial: 'COMPLETE_TUTORIAL',
}
const secrets = { SNAPCHAT_PIXEL_ID: '7a8b9c0d-1234', SNAPCHAT_ACCESS_TOKEN: 'snap-token' }
const known = { user: { email: 'ada.lovelace@gmail.com' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(event_name: string, more: object = {}, path = 'events') {
  return [
    {
      url: `https://tr.snapchat.com/v3/7a8b9c0d-1234/${path}?access_token=snap-token`,
      headers: { 'content-type': 'application/json' },
      body: {
        data: [
          {
            event_name,
            action_source: 'WEB',
            event_time: 1_700_000_000,
            event_id: 'evt-1',
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
  value: 59.98,
  content_ids: ['sku-1'],
  contents: [{ id: 'sku-1', quantity: 2, item_price: 29.99 }],
  num_items: 2,
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead')[0]!, {
    body: { data: [{ event_name: 'SIGN_UP', user_data: { em: [adaDigests.email], ...person } }] },
  }),
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
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001', contents: [{ id: 'sku-1' }] },
    },
    user: ada,
    captured: { ScCid: 'click-1', _scclid: 'click-0', _scid: '5d1f-cookie' },
    purchaseValueMode: 'net',
    sends: sent('PURCHASE', {
      event_source_url: 'https://shop.example/thanks',
      user_data: {
        em: [adaDigests.email],
        ph: [adaDigests.phoneDigits],
        external_id: [adaDigests.customerId],
        fn: adaDigests.firstName,
        ln: adaDigests.lastName,
        ge: adaDigests.genderLetter,
        ct: adaDigests.city,
        st: adaDigests.state,
        zp: adaDigests.zipCode,
        country: adaDigests.country,
        client_ip_address: '81.2.69.142',
        client_user_agent: 'Mozilla/5.0',
        sc_click_id: 'click-1',
        sc_cookie1: '5d1f-cookie',
      },
      custom_data: {
        currency: 'EUR',
        value: 95.05,
        content_ids: ['sku-1'],
        contents: [{ id: 'sku-1', quantity: 1 }],
        num_items: 1,
        order_id: 'A-1001',
      },
    }),
  }),
  example('a purchase in a currency without decimals, with the cookie of the click', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    captured: { _scclid: 'click-0' },
    sends: sent('PURCHASE', {
      user_data: { client_ip_address: '81.2.69.142', client_user_agent: 'Mozilla/5.0', sc_click_id: 'click-0' },
      custom_data: { currency: 'JPY', value: 6000 },
    }),
  }),
  example('a city is in lower case without spaces', {
    event: { eventName: 'PageView' },
    user: { ...known.user, city: ' St. Louis ' },
    sends: sent('PAGE_VIEW', {
      user_data: { em: [adaDigests.email], ct: 'cc6adc5ff0bc16639c3003421e6710846d514b88797e168b8f6e03b68cee73d6' },
    }),
  }),
  example('a search', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    sends: sent('SEARCH', { custom_data: { search_string: 'red shoes' } }),
  }),
  example('limited data use for a person who refused advertising', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent('PAGE_VIEW', { data_processing_options: ['LDU'] }),
  }),
  example('limited data use for a person who agreed to advertising, and not to ads that are chosen for them', {
    event: { eventName: 'PageView' },
    consent: { advertising: 'granted', adPersonalization: 'denied' },
    sends: sent('PAGE_VIEW', { data_processing_options: ['LDU'] }),
  }),
  example('one of the five custom events', { event: { eventName: 'CUSTOM_EVENT_3' }, sends: sent('CUSTOM_EVENT_3') }),
  example('a page view, while testing', {
    event: { eventName: 'PageView' },
    secrets: { SNAPCHAT_TEST_MODE: '1' },
    sends: sent('PAGE_VIEW', {}, 'events/validate'),
  }),
  example('test mode', {
    event: { eventName: 'PageView' },
    testMode: true,
    sends: sent('PAGE_VIEW', {}, 'events/validate'),
  }),
  example('Snapchat has no other names for custom events', {
    event: { eventName: 'Quiz finished' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('Snapchat has no event for RemoveFromCart', {
    event: { eventName: 'RemoveFromCart', data: cart },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a click id and a user id do not identify a person', {
    event: { eventName: 'PageView' },
    user: { ip: '81.2.69.142', userId: 'usr_1' },
    captured: { ScCid: 'click-1' },
    sends: { skipped: 'identityMissing' },
  }),
  example('names of several words', {
    event: { eventName: 'Lead' },
    user: { email: 'ada.lovelace@gmail.com', firstName: 'Anna Maria', lastName: 'van der Berg' },
    sends: sent('SIGN_UP', {
      user_data: { em: [adaDigests.email], fn: hash('sha256', 'annamaria'), ln: hash('sha256', 'vanderberg') },
    }),
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
