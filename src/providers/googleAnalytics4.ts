import { createHash } from 'node:crypto'
import type { TagEvent } from '#contract/event.ts'
import { hashed, plain } from '#provider/identity.ts'
import { countryCode, googleEmail, lettersOnly, type Normalise, phoneE164, trimmed } from '#provider/normalise.ts'
import { type Captured, list, provider, some } from '#provider/provider.ts'
import { withoutPerson } from '#provider/read.ts'
import { micros } from '#provider/time.ts'
import { checkbox, identifier, optional, password } from '#provider/variables.ts'
import { examples } from './examples/googleAnalytics4.ts'

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
  const taken = Object.entries(withoutPerson(rest))
    .filter(([key, each]) => goodName.test(key) && isParam(each))
    // 25 parameters are taken, 12 of them are ours
    .slice(0, 13)
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
  Refund: 'refund',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'generate_lead',
}

export default provider({
  label: 'Google Analytics 4',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://developers.google.com/analytics/devguides/collection/protocol/ga4/sending-events',
  dashboardUrl: 'https://analytics.google.com',
  host: 'fixed',

  secrets: {
    GOOGLE_ANALYTICS_4_MEASUREMENT_ID: identifier('Measurement ID', 'Admin, Data streams, your web stream.', {
      placeholder: 'G-XXXXXXXXXX',
    }),
    GOOGLE_ANALYTICS_4_API_SECRET: password(
      'API secret',
      'Admin, Data streams, your web stream, Measurement Protocol API secrets, Create.',
      { inAddress: 'The Measurement Protocol takes it as a query parameter and nowhere else.' },
    ),
    GOOGLE_ANALYTICS_4_USER_DATA: checkbox(
      'Send user-provided data',
      'E-mail, phone and name go along, hashed. Accept the terms first: Admin, Data collection.',
      { optional: true, helpLink: 'https://developers.google.com/analytics/devguides/collection/ga4/uid-data' },
    ),
    GOOGLE_ANALYTICS_4_EU_ENDPOINT: checkbox(
      'Collect in the EU',
      'Events are received at region1.google-analytics.com.',
      optional,
    ),
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
    // a purchase counts once for each order; a refund without its order takes nothing back
    const order = data?.orderId ?? (event.eventName === 'Purchase' ? event.eventId : undefined)
    if (event.eventName === 'Refund' && !order) return { skipped: 'payloadRefused' }
    return {
      url: `https://${secrets.GOOGLE_ANALYTICS_4_EU_ENDPOINT === '1' ? 'region1' : 'www'}.google-analytics.com/mp/collect`,
      query: {
        measurement_id: secrets.GOOGLE_ANALYTICS_4_MEASUREMENT_ID,
        api_secret: secrets.GOOGLE_ANALYTICS_4_API_SECRET,
      },
      json: {
        client_id,
        user_id,
        timestamp_micros: micros(event.timestamp),
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
              transaction_id: cut(order),
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

  // several events of one client and time; one too many is lost without a word
  many: { at: 'events', most: 25, maxBytes: 130_000 },
  // the validation server takes the same and keeps nothing; it is the only one that says what is wrong
  test: (send) => ({ ...send, url: send.url.replace('/mp/', '/debug/mp/') }),
  answers: [{ at: 'validationMessages.0', is: 'refused' }],

  examples,
})
