import { createHash } from 'node:crypto'
import type { TagEvent } from '#contract/event.ts'
import { ada, cart } from '#provider/examples.ts'
import { hashed, personFields, plain } from '#provider/identity.ts'
import { countryCode, googleEmail, lettersOnly, type Normalise, phoneE164, trimmed } from '#provider/normalise.ts'
import { type Captured, list, provider, some } from '#provider/provider.ts'

// https://developers.google.com/analytics/devguides/collection/protocol/ga4/reference#reserved_names
const reservedNames = new Set(
  `ad_activeview ad_click ad_exposure ad_impression ad_query ad_reward adunit_exposure app_background app_clear_data
  app_exception app_install app_remove app_store_refund app_store_subscription_cancel app_store_subscription_convert
  app_store_subscription_renew app_update app_upgrade dynamic_link_app_open dynamic_link_app_update
  dynamic_link_first_open error firebase_campaign first_open first_visit in_app_purchase notification_dismiss
  notification_foreground notification_open notification_receive notification_send os_update session_start
  session_start_with_rollout user_engagement`.split(/\s+/),
)
const goodName = /^(?!ga_|google_|firebase_|gtag[._])[a-z]\w{0,39}$/i

/** Longer texts are not taken; page address, title and referrer may have 1000, 300 and 420. */
const cut = (value: unknown, at = 100) => (typeof value === 'string' ? value.slice(0, at) : value)

/** `GA1.1.<a>.<b>` → `<a>.<b>` */
const clientIdOf = ({ _ga }: Captured) => _ga && /(\d+\.\d+)$/.exec(_ga.value)?.[1]

/** `GS1.1.<session>.…` and `GS2.1.s<session>$o…` → `<session>` */
function sessionOf(captured: Captured, measurementId: string): string | undefined {
  const cookie = captured[`_ga_${measurementId.replace(/^G-/, '')}`]?.value ?? ''
  return /^GS\d+\.\d+\.(?:s?)(\d+)(?=[.$]|$)/.exec(cookie)?.[1]
}

/** A client id for a person without the cookie: always the same for the same user id. */
const derivedClientId: Normalise = (userId) => {
  const digest = createHash('sha256').update(userId).digest()
  return `${digest.readUInt32BE(0)}.${digest.readUInt32BE(4)}`
}

/** Google's terms forbid what names a person in the id. */
const unnamedId: Normalise = (userId, person) => (userId.includes('@') ? undefined : trimmed(userId, person))

const isParam = (value: unknown) =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && !value.includes('@'))

/** The members of a custom event's data that Google can take, besides those that have a place of their own. */
function customParams(data: TagEvent['data'] = {}): Record<string, unknown> {
  const { value: _, currency: __, contents: ___, orderId: ____, search: _____, ...rest } = data
  const isTaken = ([key, value]: [string, unknown]) =>
    goodName.test(key) && !personFields.includes(key) && isParam(value)
  // 25 parameters are taken, 12 of them are ours
  const taken = Object.entries(rest).filter(isTaken).slice(0, 13)
  return Object.fromEntries(taken.map(([key, value]) => [key, cut(value)]))
}

const itemsOf = (data: TagEvent['data']) =>
  data?.contents
    ?.filter(({ id, title }) => id || title)
    .slice(0, 200)
    .map(({ id, title, brand, category, variantId, item_price, quantity }) => ({
      item_id: cut(id),
      item_name: cut(title),
      item_brand: cut(brand),
      item_category: cut(category),
      item_variant: cut(variantId),
      price: item_price,
      quantity,
    }))

const names = {
  PageView: 'page_view',
  ViewContent: 'view_item',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'begin_checkout',
  AddShippingInfo: 'add_shipping_info',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'generate_lead',
}

const secrets = { GOOGLE_ANALYTICS_4_MEASUREMENT_ID: 'G-ABC123', GOOGLE_ANALYTICS_4_API_SECRET: 'ga-secret' }
const items = [
  { item_id: 'sku-1', item_name: 'Runner', item_category: 'Shoes', item_variant: 'red', price: 29.99, quantity: 2 },
]
const visitor = { captured: { _ga: 'GA1.1.111.222' }, secrets }

export default provider({
  label: 'Google Analytics 4',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://developers.google.com/analytics/devguides/collection/protocol/ga4/sending-events',
  dashboardUrl: 'https://analytics.google.com',
  host: 'fixed',

  secrets: {
    GOOGLE_ANALYTICS_4_MEASUREMENT_ID: {
      label: 'Measurement ID',
      type: 'IDENTIFIER',
      description: 'Admin, Data streams, your web stream.',
      placeholder: 'G-XXXXXXXXXX',
    },
    GOOGLE_ANALYTICS_4_API_SECRET: {
      label: 'API secret',
      type: 'PASSWORD',
      description: 'Admin, Data streams, your web stream, Measurement Protocol API secrets, Create.',
      inAddress: 'The Measurement Protocol takes it as a query parameter and nowhere else.',
    },
    GOOGLE_ANALYTICS_4_USER_DATA: {
      label: 'Send user-provided data',
      type: 'CHECKBOX',
      optional: true,
      description: 'E-mail, phone and name go along, hashed. Accept the terms first: Admin, Data collection.',
      helpLink: 'https://developers.google.com/analytics/devguides/collection/ga4/uid-data',
    },
    GOOGLE_ANALYTICS_4_EU_ENDPOINT: {
      label: 'Collect in the EU',
      type: 'CHECKBOX',
      optional: true,
      description: 'Events are received at region1.google-analytics.com.',
    },
  },

  events: names,
  custom(eventName) {
    const name = eventName.trim().replace(/\W/g, '_').slice(0, 40)
    return goodName.test(name) && !reservedNames.has(name.toLowerCase()) ? name : undefined
  },
  user: {
    client_id: plain('userId', derivedClientId),
    user_id: plain('userId', unnamedId),
    ip_override: plain('ip'),
    email: hashed('email', googleEmail),
    phone: hashed('phone', phoneE164),
    sha256_first_name: hashed('firstName'),
    sha256_last_name: hashed('lastName'),
    city: plain('city', lettersOnly),
    region: plain('state', lettersOnly),
    postal_code: plain('zip'),
    country: plain('country', countryCode),
  },
  requires: ['captured._ga', 'client_id'],
  captures: [{ cookie: '_ga' }, { cookie: '_ga_*' }],
  maxAgeMs: 72 * 3_600_000,
  dedup: 'transaction_id, for purchases of one user; event_id is a parameter for reports',

  request({ event, user, value, captured }, secrets, name) {
    const { client_id: derived, user_id, ip_override, email, phone, ...address } = user
    const client_id = clientIdOf(captured) ?? derived
    if (!client_id) return { skipped: 'identityMissing' }
    const { data } = event
    return {
      url: `https://${secrets.GOOGLE_ANALYTICS_4_EU_ENDPOINT === '1' ? 'region1' : 'www'}.google-analytics.com/mp/collect`,
      query: {
        measurement_id: secrets.GOOGLE_ANALYTICS_4_MEASUREMENT_ID,
        api_secret: secrets.GOOGLE_ANALYTICS_4_API_SECRET,
      },
      json: {
        client_id,
        user_id,
        timestamp_micros: Math.round(event.timestamp * 1000),
        user_data:
          secrets.GOOGLE_ANALYTICS_4_USER_DATA === '1'
            ? some({
                sha256_email_address: list(email),
                sha256_phone_number: list(phone),
                address: address.sha256_first_name && address.sha256_last_name ? [address] : undefined,
              })
            : undefined,
        ip_override,
        events: [
          {
            name,
            params: {
              ...(!Object.hasOwn(names, event.eventName) && customParams(data)),
              currency: data?.currency,
              value,
              transaction_id: cut(data?.orderId),
              coupon: cut(data?.discounts?.[0]?.code),
              items: itemsOf(data),
              search_term: cut(data?.search),
              page_location: cut(event.pageUrl, 1000),
              page_title: cut(event.pageTitle, 300),
              page_referrer: cut(event.referrer, 420),
              session_id: sessionOf(captured, secrets.GOOGLE_ANALYTICS_4_MEASUREMENT_ID),
              // without it the person does not count as active
              engagement_time_msec: 100,
              event_id: cut(event.eventId),
            },
          },
        ],
      },
    }
  },

  examples: [
    {
      title: 'a page seen by a person without the cookie, who is always the same client',
      event: { eventName: 'PageView', pageUrl: 'https://shop.example/', pageTitle: 'Shop' },
      user: { userId: 'usr_1' },
      secrets,
      sends: sent(
        'page_view',
        { page_location: 'https://shop.example/', page_title: 'Shop' },
        { client_id: '2895663791.4075367027', user_id: 'usr_1' },
      ),
    },
    ...Object.entries(names).map(([eventName, name]) => ({
      title: `${eventName} with what is in the cart`,
      event: { eventName, data: cart },
      ...visitor,
      sends: sent(name, { currency: 'EUR', value: 59.98, items }),
    })),
    {
      title: 'a purchase in the session of the browser, collected in the EU with user-provided data',
      event: {
        eventName: 'Purchase',
        data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }] },
      },
      user: ada,
      captured: { _ga: 'GA1.2.111.222', _ga_ABC123: 'GS2.1.s1699999000$o3$g1$t1699999999$j60$l0$h0' },
      secrets: { ...secrets, GOOGLE_ANALYTICS_4_USER_DATA: '1', GOOGLE_ANALYTICS_4_EU_ENDPOINT: '1' },
      sends: sent(
        'purchase',
        {
          currency: 'EUR',
          value: 59.98,
          transaction_id: 'A-1001',
          coupon: 'SPRING',
          items,
          session_id: '1699999000',
        },
        {
          user_id: 'usr_1',
          ip_override: '81.2.69.142',
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
    },
    {
      title: 'a search in a session of the older cookie',
      event: { eventName: 'Search', referrer: 'https://a.example/', data: { search: 'red shoes' } },
      captured: { ...visitor.captured, _ga_ABC123: 'GS1.1.1699999000.3.1.1699999999.0.0.0' },
      secrets,
      sends: sent('search', {
        search_term: 'red shoes',
        page_referrer: 'https://a.example/',
        session_id: '1699999000',
      }),
    },
    {
      title: 'a custom event with what of its data Google can take',
      event: { eventName: 'Quiz finished!', data: { score: 7, passed: true, topic: 'tags', _own: 1, answers: [1, 2] } },
      ...visitor,
      sends: sent('Quiz_finished_', { score: 7, passed: true, topic: 'tags' }),
    },
    {
      title: 'a reserved name is not sent',
      event: { eventName: 'session_start' },
      ...visitor,
      sends: { skipped: 'eventNotSupported' },
    },
    {
      title: 'without a cookie and a user id there is no client',
      event: { eventName: 'PageView' },
      user: { email: 'ada@example.com' },
      secrets,
      sends: { skipped: 'identityMissing' },
    },
  ],
})

/** What goes to Google of one event of `visitor`: the examples say only what they add. */
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
