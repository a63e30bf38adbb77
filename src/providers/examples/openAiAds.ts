import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const withItems = {
  PageView: 'page_viewed',
  ViewContent: 'contents_viewed',
  AddToCart: 'items_added',
  InitiateCheckout: 'checkout_started',
  Purchase: 'order_created',
}
const withoutItems = [
  ['Subscribe', 'subscription_created', 'plan_enrollment'],
  ['Lead', 'lead_created', 'customer_action'],
  ['CompleteRegistration', 'registration_completed', 'customer_action'],
  ['StartTrial', 'trial_started', 'plan_enrollment'],
  ['Schedule', 'appointment_scheduled', 'customer_action'],
] as const
const secrets = { OPENAI_ADS_PIXEL_ID: 'px_123', OPENAI_ADS_API_KEY: 'oa-key' }
const known = { user: { userId: 'usr_1' }, secrets }
const example = exampleLike(known)
const pageUrl = 'https://shop.example/thanks'

const web: object = { action_source: 'web', source_url: pageUrl }

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(type: string, data: object, more: object = {}, validate_only = false, page = web) {
  return [
    {
      url: 'https://bzr.openai.com/v1/events?pid=px_123',
      headers: { 'content-type': 'application/json', authorization: 'Bearer oa-key' },
      body: {
        validate_only,
        events: [
          {
            id: 'evt-1',
            type,
            timestamp_ms: 1_700_000_000_000,
            ...page,
            opt_out: false,
            user: { external_ids_sha256: [adaDigests.userId] },
            data,
            ...more,
          },
        ],
      },
    },
  ]
}

const ofCart = { amount: 5998, currency: 'EUR' }
const contents = [{ id: 'sku-1', name: 'Runner', quantity: 2, amount: 2999, content_type: 'product' }]

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead', { type: 'customer_action' }, {}, false, { action_source: 'other' })[0]!, {
    body: { events: [{ type: 'lead_created', user: { ...person } }] },
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(withItems).map(([eventName, type]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, pageUrl, data: cart },
      sends: sent(type, { type: 'contents', ...ofCart, contents }),
    }),
  ),
  ...withoutItems.map(([eventName, type, dataType]) =>
    example(`${eventName} has no items`, {
      event: { eventName, pageUrl, data: cart },
      sends: sent(type, { type: dataType, ...ofCart }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl,
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' },
    },
    user: ada,
    captured: { oppref: 'click-1', __oppref: 'click-0', __obref: 'browser-1' },
    purchaseValueMode: 'net',
    sends: sent(
      'order_created',
      { type: 'contents', amount: 9505, currency: 'EUR' },
      {
        oppref: 'click-1',
        user: {
          obref: 'browser-1',
          emails_sha256: [adaDigests.email],
          phone_numbers_sha256: [adaDigests.phoneDigits],
          external_ids_sha256: [adaDigests.customerId],
          first_names_sha256: [adaDigests.firstName],
          last_names_sha256: [adaDigests.lastName],
          regions: ['England'],
          postal_codes: ['W1A 1AA'],
          cities: ['London'],
          countries: ['GB'],
          ip_address: '81.2.69.142',
          user_agent: 'Mozilla/5.0',
        },
      },
    ),
  }),
  example('a purchase in a currency without decimals, with the cookie of the click', {
    event: { eventName: 'Purchase', pageUrl, data: { value: 6000, currency: 'JPY' } },
    captured: { __oppref: 'click-0' },
    sends: sent('order_created', { type: 'contents', amount: 6000, currency: 'JPY' }, { oppref: 'click-0', user: {} }),
    user: undefined,
  }),
  example('a purchase in a currency with three decimals', {
    event: { eventName: 'Purchase', pageUrl, data: { value: 1.5, currency: 'KWD' } },
    sends: sent('order_created', { type: 'contents', amount: 1500, currency: 'KWD' }),
  }),
  example('an event without a page has another source, and an amount without a currency is not sent', {
    event: { eventName: 'Lead', data: { value: 10 } },
    sends: sent('lead_created', { type: 'customer_action' }, {}, false, { action_source: 'other' }),
  }),
  example('a person who refused advertising has opted out', {
    event: { eventName: 'PageView', pageUrl },
    consent: { advertising: 'denied', analytics: 'granted' },
    sends: sent('page_viewed', { type: 'contents' }, { opt_out: true }),
  }),
  example('a custom event, whose name has only letters, digits, underscores and hyphens', {
    event: { eventName: 'Quiz finished!', pageUrl },
    sends: sent('custom', { type: 'custom' }, { custom_event_name: 'quiz_finished' }),
  }),
  example('a custom event, mapped to a standard one', {
    event: { eventName: 'Trial', pageUrl },
    secrets: { OPENAI_ADS_MAPPED_EVENTS: '[["Trial", "trial_started"]]' },
    sends: sent('trial_started', { type: 'plan_enrollment' }),
  }),
  example('a page view that is only validated', {
    event: { eventName: 'PageView', pageUrl },
    secrets: { OPENAI_ADS_VALIDATE_ONLY: '1' },
    sends: sent('page_viewed', { type: 'contents' }, {}, true),
  }),
  example('test mode', {
    event: { eventName: 'PageView', pageUrl },
    testMode: true,
    sends: sent('page_viewed', { type: 'contents' }, {}, true),
  }),
  example('OpenAI has no event for a search', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    sends: { skipped: 'filtered' },
  }),
  example('OpenAI has no event for refunds', {
    event: { eventName: 'Refund', data: { value: 20, currency: 'EUR' } },
    sends: { skipped: 'filtered' },
  }),
  example('an event whose name has no letter that OpenAI takes', {
    event: { eventName: '購入', pageUrl },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an IP address and a user agent do not identify a person', {
    event: { eventName: 'PageView', pageUrl },
    user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({ external_ids_sha256: [adaDigests.userId] }),
      email: sentForPerson({ emails_sha256: [adaDigests.email], external_ids_sha256: [adaDigests.userId] }),
      customer: sentForPerson({ emails_sha256: [adaDigests.email], external_ids_sha256: [adaDigests.customerId] }),
    },
  ),
]
