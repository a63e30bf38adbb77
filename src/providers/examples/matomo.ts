import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { MATOMO_URL: 'https://shop.matomo.cloud', MATOMO_SITE_ID: '1' }
const example = exampleLike({ secrets })
const user = { userId: 'usr_1', customerId: 'customer-1' }
/** `_id`: the first 16 digits of SHA-256 of `visitor usr_1`. */
const known = { _id: 'd3c5a0fb2fdea97b', uid: 'customer-1' }
const names = [
  'AddToCart',
  'RemoveFromCart',
  'InitiateCheckout',
  'AddShippingInfo',
  'AddPaymentInfo',
  'Subscribe',
  'Lead',
]
const page = { pageUrl: 'https://shop.example/a?mtm_campaign=may', pageTitle: 'A', referrer: 'https://b.example/' }
const sentPage = { url: page.pageUrl, action_name: 'A', urlref: 'https://b.example/' }

/** The expected request; `fields` differs between the examples. */
function sent(fields: object, userFields: object = known, url = 'https://shop.matomo.cloud/matomo.php') {
  const common = { idsite: '1', rec: '1', apiv: '1', send_image: '0', rand: 'evt-1', cdt: '1700000000' }
  return [
    {
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: { ...common, ...userFields, ...fields },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent({ ca: '1', e_c: 'ecommerce', e_a: 'Refund', e_v: '5' })[0]!, {
    body: { uid: undefined, e_v: undefined, e_a: 'Lead', ...person },
  }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase of a known person, with a token', {
    event: {
      eventName: 'Purchase',
      ...page,
      data: { ...cart, orderId: 'A-1001', tax: 9.58, shipping: 4.9, discount: 5 },
    },
    user: ada,
    secrets: { MATOMO_TOKEN_AUTH: 'token-1' },
    sends: sent(
      {
        ...sentPage,
        idgoal: '0',
        ec_id: 'A-1001',
        revenue: '59.98',
        ec_st: '59.98',
        ec_tx: '9.58',
        ec_sh: '4.9',
        ec_dt: '5',
        ec_items: '[["sku-1","Runner","Shoes",29.99,2]]',
      },
      { ...known, ua: 'Mozilla/5.0', cip: '81.2.69.142', token_auth: 'token-1' },
    ),
  }),
  example('a purchase in yen, net: without a token the address of the visitor is not sent', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2', contents: [{ id: 'a' }, { title: 'no id' }] },
    },
    user: { ...user, ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    purchaseValueMode: 'net',
    secrets: { MATOMO_URL: 'https://matomo.shop.example/stats/' },
    sends: sent(
      { idgoal: '0', ec_id: 'A-2', revenue: '1000', ec_tx: '250', ec_items: '[["a","","",0,1]]' },
      { ...known, ua: 'Mozilla/5.0' },
      'https://matomo.shop.example/stats/matomo.php',
    ),
  }),
  example('a page view of a visitor who is known by the cookie of the tracker', {
    event: { eventName: 'PageView', ...page },
    captured: { '_pk_id.1.1fff': '257cc22df0ec483a.1699999999.', '_pk_id.2.1fff': '1111111111111111.1699999999.' },
    sends: sent(sentPage, { _id: '257cc22df0ec483a' }),
  }),
  example('a product view', {
    event: { eventName: 'ViewContent', ...page, data: cart },
    user,
    sends: sent({ ...sentPage, _pks: 'sku-1', _pkn: 'Runner', _pkc: 'Shoes', _pkp: '29.99' }),
  }),
  example('a search with two results', {
    event: { eventName: 'Search', ...page, data: { search: 'red shoes', contents: [{ id: 'a' }, { id: 'b' }] } },
    user,
    sends: sent({ ...sentPage, search: 'red shoes', search_count: '2' }),
  }),
  example('a search without a keyword is an event', {
    event: { eventName: 'Search', ...page },
    user,
    sends: sent({ ...sentPage, ca: '1', e_c: 'ecommerce', e_a: 'Search', e_n: 'A' }),
  }),
  ...names.map((eventName) =>
    example(`${eventName} with a cart`, {
      event: { eventName, data: cart },
      user,
      sends: sent({ ca: '1', e_c: 'ecommerce', e_a: eventName, e_n: 'Runner', e_v: '59.98' }),
    }),
  ),
  example('a lead that is mapped to a goal', {
    event: { eventName: 'Lead', data: { value: 10 } },
    user,
    secrets: { MATOMO_GOALS: '[["Lead", "3"]]' },
    sends: sent({ ca: '1', e_c: 'ecommerce', e_a: 'Lead', e_v: '10', idgoal: '3', revenue: '10' }),
  }),
  example('a custom event, and a refund is one', {
    event: { eventName: 'Refund', data: { value: 5 } },
    user,
    sends: sent({ ca: '1', e_c: 'ecommerce', e_a: 'Refund', e_v: '5' }),
  }),
  example('a page view of nobody, in the test mode', {
    event: { eventName: 'PageView', ...page },
    user: { email: 'ada@example.com' },
    testMode: true,
    sends: sent({ ...sentPage, debug: '1' }, {}),
  }),
  example('an event of yesterday, with a token', {
    event: { eventName: 'PageView', timestamp: 1_699_900_000_000 },
    user,
    secrets: { MATOMO_TOKEN_AUTH: 'token-1' },
    sends: sent({ cdt: '1699900000', token_auth: 'token-1' }),
  }),
  example('an event of yesterday, without a token', {
    event: { eventName: 'PageView', timestamp: 1_699_900_000_000 },
    user,
    sends: { skipped: 'tooOld' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: sentForPerson({}), email: sentForPerson({}), customer: sentForPerson({ uid: 'customer-1' }) },
  ),
]
