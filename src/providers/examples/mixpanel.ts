import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const token = '0123456789abcdef0123456789abcdef'
const secrets = { MIXPANEL_PROJECT_TOKEN: token }
const example = exampleLike({ secrets })
const user = { customerId: 'customer-1' }
const known = { distinct_id: 'customer-1', $user_id: 'customer-1', ip: '0' }
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'
const properties = { value: 59.98, currency: 'EUR', contents: cart.contents }
const { Purchase: _, ...others } = standardEventNames

function basic(pair: string) {
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** The expected request; `properties` differs between the examples. */
function sent(
  event: string,
  properties: object,
  url = 'https://api.mixpanel.com/import?strict=1',
  credentials = `${token}:`,
) {
  return [
    {
      url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: basic(credentials),
      },
      body: [{ event, properties: { time: 1_700_000_000_000, $insert_id: 'evt-1', ...properties } }],
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead', {})[0]!, { body: [{ properties: { $device_id: 'usr_1', ip: '0', ...person } }] }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase of a known person', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      pageTitle: 'Thanks',
      referrer: 'https://shop.example/cart',
      data: { ...cart, orderId: 'A-1001', discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }], plan: 'gold' },
    },
    user: ada,
    sends: sent('Purchase', {
      ...properties,
      ...known,
      $device_id: 'usr_1',
      ip: '81.2.69.142',
      order_id: 'A-1001',
      coupon: 'SPRING',
      plan: 'gold',
      $current_url: 'https://shop.example/thanks',
      $referrer: 'https://shop.example/cart',
      current_page_title: 'Thanks',
    }),
  }),
  example('a page view of a campaign: Mixpanel reads neither the user agent nor the address of the page', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/?utm_source=news&utm_medium=mail&utm_campaign=may' },
    user: { ...user, userAgent: safari },
    sends: sent('PageView', {
      ...known,
      $current_url: 'https://shop.example/?utm_source=news&utm_medium=mail&utm_campaign=may',
      utm_source: 'news',
      utm_medium: 'mail',
      utm_campaign: 'may',
      $browser: 'Mobile Safari',
      $browser_version: 17.5,
      $os: 'iOS',
      $device: 'iPhone',
    }),
  }),
  example('a purchase in yen, net, with a service account in the EU', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2' } },
    user,
    purchaseValueMode: 'net',
    secrets: {
      MIXPANEL_REGION: 'EU',
      MIXPANEL_PROJECT_ID: '1234567',
      MIXPANEL_SERVICE_ACCOUNT: 'shop.1a2b3c.mp-service-account:s3cret',
    },
    sends: sent(
      'Purchase',
      { ...known, value: 1000, tax: 250, currency: 'JPY', order_id: 'A-2' },
      'https://api-eu.mixpanel.com/import?strict=1&project_id=1234567',
      'shop.1a2b3c.mp-service-account:s3cret',
    ),
  }),
  ...eventOfEach(others).map((event) =>
    example(`${event.eventName} with a cart`, {
      event,
      user,
      sends: sent(event.eventName, { ...properties, ...known }),
    }),
  ),
  example('a search in India', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    user,
    secrets: { MIXPANEL_REGION: 'IN' },
    sends: sent('Search', { ...known, search: 'red shoes' }, 'https://api-in.mixpanel.com/import?strict=1'),
  }),
  example('a visitor who is known by the cookie of the browser SDK', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/' },
    captured: { [`mp_${token}_mixpanel`]: encodeURIComponent('{"distinct_id":"$device:18f-a","$device_id":"18f-a"}') },
    sends: sent('PageView', {
      distinct_id: '$device:18f-a',
      $device_id: '18f-a',
      ip: '0',
      $current_url: 'https://shop.example/',
    }),
  }),
  example('an event id in a form that Mixpanel does not take', {
    event: { eventName: 'Quiz finished', eventId: 'shop_7/evt.1', data: { score: 7 } },
    user,
    sends: sent('Quiz finished', { ...known, $insert_id: 'a30bc7dc-9303-584f-99a5-d2da2ac5ee4e', score: 7 }),
  }),
  example('a refund is a custom event', {
    event: { eventName: 'Refund', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    user,
    sends: sent('Refund', { ...known, value: 5, currency: 'EUR', order_id: 'A-1001' }),
  }),
  example('a person without an id', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('an id that stands for nobody, and a cookie of another project', {
    event: { eventName: 'PageView' },
    user: { customerId: 'undefined' },
    captured: { mp_other_mixpanel: '{"distinct_id":"18f-a"}' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({ distinct_id: '$device:usr_1' }),
      email: sentForPerson({ distinct_id: '$device:usr_1' }),
      customer: sentForPerson({ distinct_id: 'customer-1', $user_id: 'customer-1' }),
    },
  ),
]
