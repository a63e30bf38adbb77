import { consentWord } from '#provider/form/consentSignals.ts'
import { countryCode, googleEmail, lettersOnly, nonEmailId } from '#provider/form/normalise.ts'
import { asLists, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { truncate } from '#provider/form/text.ts'
import { epochMicros } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { checkbox, identifier, optional, password } from '#provider/form/variables.ts'
import { gaCustomEventName, gaEventNames, gaItems, gaParams } from '#provider/vendors/googleAnalytics.ts'
import { derivedClientId, gaClientId, gaSessionId } from '#provider/vendors/googleCookies.ts'

const consentWords = { granted: 'GRANTED', denied: 'DENIED' }

/** Per event. Google drops further parameters without an error. */
const maxParams = 25

export default provider({
  label: 'Google Analytics 4',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  gvlId: 755,
  docs: 'https://developers.google.com/analytics/devguides/collection/protocol/ga4/sending-events',
  dashboardUrl: 'https://analytics.google.com',
  links: { introduction: 'https://developers.google.com/analytics/devguides/collection/protocol/ga4' },
  host: 'fixed',

  secrets: {
    GOOGLE_ANALYTICS_4_MEASUREMENT_ID: identifier('Measurement ID', 'Admin, Data streams, your web stream: G-…'),
    GOOGLE_ANALYTICS_4_API_SECRET: password('API secret', 'Below it: Measurement Protocol API secrets, Create.', {
      whyInUrl: 'The Measurement Protocol takes it as a query parameter and nowhere else.',
    }),
    GOOGLE_ANALYTICS_4_USER_DATA: checkbox(
      'Send user-provided data',
      'Sends e-mail, phone and name, hashed. Accept the terms first: Admin, Data collection.',
      { optional: true, helpLink: 'https://developers.google.com/analytics/devguides/collection/ga4/uid-data' },
    ),
    GOOGLE_ANALYTICS_4_EU_ENDPOINT: checkbox('Collect in the EU', 'By region1.google-analytics.com.', optional),
  },

  events: gaEventNames,
  customEventName: gaCustomEventName,
  user: {
    client_id: plain('anonymousId', derivedClientId),
    user_id: plain('customerId', nonEmailId),
    ip_override: plain('ip'),
    user_agent: plain('userAgent'),
    email: hashed('email', googleEmail),
    phone: hashed('phone'),
    sha256_first_name: hashed('firstName'),
    sha256_last_name: hashed('lastName'),
    city: plain('city', lettersOnly),
    region: plain('state', lettersOnly),
    postal_code: plain('zip'),
    country: plain('country', countryCode),
  },
  personId: 'customerId',
  requires: ['captured._ga', 'client_id'],
  captures: [{ cookie: '_ga' }, { cookie: '_ga_*' }],
  maxAgeMs: 72 * 3_600_000,
  matchKeys: {
    strong: ['captured._ga', 'user_id', 'email', 'phone'],
    medium: ['client_id'],
    weak: ['sha256_first_name', 'sha256_last_name', 'city', 'region', 'postal_code', 'country', 'ip_override'],
  },
  dedup: 'transaction_id, for purchases of one user; event_id is a parameter for reports',

  request(context, secrets, name) {
    const { event, data, coupon, user, value, captured } = context
    const { client_id: derived, user_id, ip_override, user_agent, email, phone, ...address } = user
    const client_id = gaClientId(captured) ?? derived
    if (!client_id) return { skipped: 'identityMissing' }
    const { eventName, eventId, timestamp } = event
    // Google counts a purchase once per transaction_id. A refund without it has no effect.
    const order = data.orderId ?? (eventName === 'Purchase' ? eventId : undefined)
    if (eventName === 'Refund' && !order) return { skipped: 'payloadRefused' }
    const { GOOGLE_ANALYTICS_4_MEASUREMENT_ID: measurement_id, GOOGLE_ANALYTICS_4_API_SECRET: api_secret } = secrets
    const digests = asLists({ sha256_email_address: email, sha256_phone_number: phone })
    const isNamed = address.sha256_first_name && address.sha256_last_name
    const person = unlessEmpty({ ...digests, address: isNamed ? [address] : undefined })
    const params = {
      currency: data.currency,
      value,
      tax: data.tax,
      shipping: data.shipping,
      transaction_id: truncate(order, 100),
      coupon: truncate(coupon, 100),
      items: gaItems(data.contents),
      search_term: truncate(data.search, 100),
      page_location: truncate(event.pageUrl, 1000),
      page_title: truncate(event.pageTitle, 300),
      page_referrer: truncate(event.referrer, 420),
      session_id: gaSessionId(context, measurement_id),
      // Required for the user to count as active.
      engagement_time_msec: 100,
      event_id: truncate(eventId, 100),
    }
    const count = Object.values(params).filter((param) => param !== undefined).length
    const own = gaParams(data, maxParams - count)
    const timestamp_micros = epochMicros(timestamp)
    const user_data = secrets.GOOGLE_ANALYTICS_4_USER_DATA === '1' ? person : undefined
    const { adUserData, adPersonalization } = context.consent
    const consent = unlessEmpty({
      ad_user_data: consentWord(adUserData, consentWords),
      ad_personalization: consentWord(adPersonalization, consentWords),
    })
    return {
      url: `https://${secrets.GOOGLE_ANALYTICS_4_EU_ENDPOINT === '1' ? 'region1' : 'www'}.google-analytics.com/mp/collect`,
      query: { measurement_id, api_secret },
      json: {
        client_id,
        user_id,
        timestamp_micros,
        user_data,
        consent,
        ip_override,
        user_agent,
        events: [{ name, params: { ...own, ...params } }],
      },
    }
  },

  // Only events of the same client and timestamp are joined. Google drops the 26th without an error.
  batch: { listPath: 'events', maxEvents: 25, maxBytes: 130_000 },
  // The validation server accepts the same request, stores nothing and reports errors.
  toTestMode: (request) => ({ ...request, url: request.url.replace('/mp/', '/debug/mp/') }),
  errorMessage: 'validationMessages.0.description',
  responseRules: [{ path: 'validationMessages.0', verdict: 'refused' }],
})
