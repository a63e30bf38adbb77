import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach, visit } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const key = '0123456789abcdef0123456789abcdef'
const secrets = { AMPLITUDE_API_KEY: key }
const example = exampleLike({ secrets })
const user = { customerId: 'customer-1' }
const { Purchase: _, ...others } = standardEventNames
const properties = { value: 59.98, currency: 'EUR', contents: cart.contents }

/** The cookie of the browser SDK. */
function cookieOf(value: object): string {
  return Buffer.from(encodeURIComponent(JSON.stringify(value))).toString('base64')
}

/** The expected request; `row` differs between the examples. */
function sent(event_type: string, event_properties: object, row: object = { user_id: 'customer-1' }, host?: string) {
  const common = { event_type, time: 1_700_000_000_000, insert_id: 'evt-1', platform: 'Web', event_properties }
  return [
    {
      url: `https://${host ?? 'api2.amplitude.com'}/2/httpapi`,
      headers: { 'content-type': 'application/json', accept: '*/*' },
      body: { api_key: key, events: [{ ...common, ...row }], options: { min_id_length: 1 } },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead', {}, {})[0]!, { body: { events: [{ device_id: 'usr_1', ...person }] } }),
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
    sends: sent(
      'Purchase',
      {
        ...properties,
        order_id: 'A-1001',
        coupon: 'SPRING',
        plan: 'gold',
        page_url: 'https://shop.example/thanks',
        page_title: 'Thanks',
        referrer: 'https://shop.example/cart',
      },
      {
        user_id: 'customer-1',
        device_id: 'usr_1',
        ip: '81.2.69.142',
        user_agent: 'Mozilla/5.0',
        revenue: 59.98,
        currency: 'EUR',
        revenueType: 'Purchase',
        productId: 'sku-1',
        user_properties: { email: 'ada.lovelace@gmail.com' },
      },
    ),
  }),
  example('a purchase in yen, net, of two products, in the EU', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2', contents: [{ id: 'a' }, { id: 'b' }] },
    },
    user,
    purchaseValueMode: 'net',
    secrets: { AMPLITUDE_REGION: 'EU' },
    sends: sent(
      'Purchase',
      { value: 1000, tax: 250, currency: 'JPY', order_id: 'A-2', contents: [{ id: 'a' }, { id: 'b' }] },
      { user_id: 'customer-1', revenue: 1000, currency: 'JPY', revenueType: 'Purchase' },
      'api.eu.amplitude.com',
    ),
  }),
  ...eventOfEach(others).map((event) =>
    example(`${event.eventName} with a cart`, { event, user, sends: sent(event.eventName, properties) }),
  ),
  example('a search', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    user,
    sends: sent('Search', { search: 'red shoes' }),
  }),
  example('a visitor who is known by the cookie of the browser SDK', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/' },
    captured: { AMP_0123456789: cookieOf({ deviceId: 'dev-1', userId: 'usr_9', sessionId: 1_699_999_000_000 }) },
    sends: sent(
      'PageView',
      { page_url: 'https://shop.example/' },
      { device_id: 'dev-1', session_id: 1_699_999_000_000 },
    ),
  }),
  example('an event of a visit, which is named by its start', {
    event: { eventName: 'Search', data: { search: 'red shoes' } },
    user,
    session: visit,
    sends: sent('Search', { search: 'red shoes' }, { user_id: 'customer-1', session_id: 1_699_999_940_000 }),
  }),
  example('a person with the device id of a link', {
    event: { eventName: 'PageView' },
    user,
    captured: { amp_device_id: 'dev-2' },
    sends: sent('PageView', {}, { user_id: 'customer-1', device_id: 'dev-2' }),
  }),
  example('a refund is a custom event without revenue', {
    event: { eventName: 'Refund', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } },
    user,
    sends: sent('Refund', { value: 5, currency: 'EUR', order_id: 'A-1001' }),
  }),
  example('a custom event with a name of Amplitude', {
    event: { eventName: '[Amplitude] Page Viewed' },
    user,
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a person without an id', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('ids that stand for nobody, and a cookie of another project', {
    event: { eventName: 'PageView' },
    user: { customerId: 'anonymous' },
    captured: { amp_device_id: '00000000-0000-0000-0000-000000000000', AMP_other: cookieOf({ deviceId: 'dev-1' }) },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({}),
      email: sentForPerson({ user_properties: { email: 'ada.lovelace@gmail.com' } }),
      customer: sentForPerson({ user_id: 'customer-1', user_properties: { email: 'ada.lovelace@gmail.com' } }),
    },
  ),
]
