import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach, visit } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const api_key = 'phc_0123456789'
const secrets = { POSTHOG_PROJECT_API_KEY: api_key }
const example = exampleLike({ secrets })
const user = { customerId: 'customer-1' }
const ids = { $insert_id: 'evt-1', $geoip_disable: true }
const properties = { ...ids, value: 59.98, currency: 'EUR', contents: cart.contents }
const { Purchase: _, ...others } = standardEventNames

/** The expected request; `more` differs between the examples. */
function sent(event: string, properties: object, more: object = {}, host = 'https://us.i.posthog.com') {
  const common = { api_key, event, distinct_id: 'customer-1', timestamp: '2023-11-14T22:13:20.000Z', properties }
  return [{ url: `${host}/i/v0/e/`, headers: { 'content-type': 'application/json' }, body: { ...common, ...more } }]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://us.i.posthog.com/i/v0/e/',
    headers: { 'content-type': 'application/json' },
    body: { api_key: 'phc_0123456789', event: 'Lead', timestamp: '2023-11-14T22:13:20.000Z', ...person },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase of a known person', {
    event: {
      eventName: 'Purchase',
      eventId: '7c0e8f5a-3f55-4f6b-9d57-0a6f6a2f1c38',
      pageUrl: 'https://shop.example/thanks',
      pageTitle: 'Thanks',
      referrer: 'https://shop.example/cart',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }], plan: 'gold' },
    },
    user: ada,
    sends: sent(
      'Purchase',
      {
        value: 59.98,
        currency: 'EUR',
        contents: cart.contents,
        order_id: 'A-1001',
        coupon: 'SPRING',
        plan: 'gold',
        $current_url: 'https://shop.example/thanks',
        $referrer: 'https://shop.example/cart',
        title: 'Thanks',
        $ip: '81.2.69.142',
        $raw_user_agent: 'Mozilla/5.0',
        $insert_id: '7c0e8f5a-3f55-4f6b-9d57-0a6f6a2f1c38',
        $set: { email: 'ada.lovelace@gmail.com' },
      },
      { uuid: '7c0e8f5a-3f55-4f6b-9d57-0a6f6a2f1c38' },
    ),
  }),
  example('a purchase in yen, net, in the EU', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2' } },
    user,
    purchaseValueMode: 'net',
    secrets: { POSTHOG_HOST: 'https://eu.i.posthog.com/' },
    sends: sent(
      'Purchase',
      { ...ids, value: 1000, tax: 250, currency: 'JPY', order_id: 'A-2' },
      {},
      'https://eu.i.posthog.com',
    ),
  }),
  ...eventOfEach(others).map((event) =>
    example(`${event.eventName} with a cart`, {
      event,
      user,
      sends: sent(event.eventName === 'PageView' ? '$pageview' : event.eventName, properties),
    }),
  ),
  example('a search', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    user,
    sends: sent('Search', { ...ids, search: 'red shoes' }),
  }),
  example('a visitor who is known by the cookie of the browser SDK', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/' },
    user: { email: 'ada@example.com' },
    captured: {
      ph_phc_0123456789_posthog: encodeURIComponent('{"distinct_id":"018f-a","$sesid":[1700000000000,"ses-1",1]}'),
    },
    sends: sent(
      '$pageview',
      { ...ids, $current_url: 'https://shop.example/', $session_id: 'ses-1', $process_person_profile: false },
      { distinct_id: '018f-a' },
    ),
  }),
  example('an event of a visit, which is named by its UUID', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    user,
    session: visit,
    sends: sent('Search', { ...ids, search: 'red shoes', $session_id: '018bcfe4-7da0-7000-8000-000000000000' }),
  }),
  example('an event of a visit that has lasted for more than a day', {
    event: { eventName: 'Search', timestamp: 1_700_000_000_000 },
    user,
    session: { ...visit, startedAt: 1_699_913_000_000 },
    sends: sent('Search', ids),
  }),
  example('a refund is a custom event', {
    event: { eventName: 'Refund', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    user,
    sends: sent('Refund', { ...ids, value: 5, currency: 'EUR', order_id: 'A-1001' }),
  }),
  example('a custom event with a name of PostHog', {
    event: { eventName: '$identify' },
    user,
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a person without an id', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('an id that stands for nobody, and a cookie of another project', {
    event: { eventName: 'PageView' },
    user: { customerId: 'guest' },
    captured: { ph_phc_other_posthog: '{"distinct_id":"018f-a"}' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({
        distinct_id: 'usr_1',
        properties: { $geoip_disable: true, $insert_id: 'evt-1', $process_person_profile: false },
      }),
      email: sentForPerson({
        distinct_id: 'usr_1',
        properties: { $geoip_disable: true, $insert_id: 'evt-1', $process_person_profile: false },
      }),
      customer: sentForPerson({
        distinct_id: 'customer-1',
        properties: { $geoip_disable: true, $insert_id: 'evt-1', $set: { email: 'ada.lovelace@gmail.com' } },
      }),
    },
  ),
]
