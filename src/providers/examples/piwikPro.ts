import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const app = '892d04bd-6e2b-4914-bfb4-bac721b37235'
const secrets = { PIWIK_PRO_URL: 'https://name.piwik.pro', PIWIK_PRO_APP_ID: app }
const example = exampleLike({ secrets })
const user = { userId: 'usr_1', customerId: 'customer-1', userAgent: 'Mozilla/5.0', ip: '81.2.69.142' }
const names = ['InitiateCheckout', 'AddShippingInfo', 'AddPaymentInfo', 'Subscribe', 'Lead']
const types = { ViewContent: 'product-detail-view', AddToCart: 'add-to-cart', RemoveFromCart: 'remove-from-cart' }
const page = { pageUrl: 'https://shop.example/a?pk_campaign=may', pageTitle: 'A & B', referrer: 'https://b.example/' }
const sentPage =
  'url=https%3A%2F%2Fshop.example%2Fa%3Fpk_campaign%3Dmay&action_name=A%20%26%20B&urlref=https%3A%2F%2Fb.example%2F'
const at = 'cdt=2023-11-14%2022%3A13%3A20&r=evt-1'
/** `_id`: the first 16 digits of SHA-256 of `visitor usr_1`. */
const time = `_id=d3c5a0fb2fdea97b&${at}`
const userFields = 'uid=customer-1&ua=Mozilla%2F5.0&cip=81.2.69.142'
const products = encodeURIComponent('[["sku-1","Runner",["Shoes"],29.99,2,"","red",{}]]')

/** The expected request. `hit`, the query of the hit, differs between the examples. */
function sent(hit: string, headers: object = { 'user-agent': 'Mozilla/5.0' }, url = 'https://name.piwik.pro') {
  return [
    {
      url: `${url}/ppms.php`,
      headers: { 'content-type': 'application/json', ...headers },
      body: { requests: [`?idsite=${app}&rec=1&${hit}`] },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  { url: 'https://name.piwik.pro/ppms.php', headers: { 'content-type': 'application/json' }, body: { ...person } },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase of a known person', {
    event: {
      eventName: 'Purchase',
      ...page,
      data: { ...cart, orderId: 'A-1001', tax: 9.58, shipping: 4.9, discount: 5 },
    },
    user: ada,
    sends: sent(
      `${sentPage}&${time}&e_t=order&ec_id=A-1001&revenue=59.98&ec_st=59.98&ec_tx=9.58&ec_sh=4.9&ec_dt=5&ec_products=${products}&${userFields}`,
    ),
  }),
  example('a purchase in yen, net, at a domain of one’s own', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-2', contents: [{ id: 'a' }] },
    },
    user,
    purchaseValueMode: 'net',
    secrets: { PIWIK_PRO_URL: 'https://piwik.shop.example/' },
    sends: sent(
      `${time}&e_t=order&ec_id=A-2&revenue=1000&ec_tx=250&ec_products=${encodeURIComponent('[["a","",[],0,1,"","",{}]]')}&${userFields}`,
      undefined,
      'https://piwik.shop.example',
    ),
  }),
  example('a page view of a visitor who is known by the cookie of the tracker', {
    event: { eventName: 'PageView', ...page },
    captured: { [`_pk_id.${app}.1fff`]: '257cc22df0ec483a.1699999999.1.1699999999.1699999999.' },
    sends: sent(`${sentPage}&_id=257cc22df0ec483a&${at}`, {}),
  }),
  ...Object.entries(types).map(([eventName, type]) =>
    example(`${eventName} with a cart`, {
      event: { eventName, data: cart },
      user,
      sends: sent(`${time}&e_t=${type}&ec_products=${products}&${userFields}`),
    }),
  ),
  ...names.map((eventName) =>
    example(`${eventName} with a cart`, {
      event: { eventName, data: cart },
      user,
      sends: sent(`${time}&e_c=ecommerce&e_a=${eventName}&e_n=Runner&e_v=59.98&${userFields}`),
    }),
  ),
  example('a search with two results', {
    event: { eventName: 'Search', data: { search: 'red shoes', contents: [{ id: 'a' }, { id: 'b' }] } },
    user,
    sends: sent(`${time}&search=red%20shoes&search_count=2&${userFields}`),
  }),
  example('a lead that is mapped to a goal', {
    event: { eventName: 'Lead', data: { value: 10 } },
    user,
    secrets: { PIWIK_PRO_GOALS: '[["Lead", "0d2b4f3a-6e2b-4914-bfb4-bac721b37235"]]' },
    sends: sent(
      `${time}&e_c=ecommerce&e_a=Lead&e_v=10&idgoal=0d2b4f3a-6e2b-4914-bfb4-bac721b37235&revenue=10&${userFields}`,
    ),
  }),
  example('a custom event, and a refund is one', {
    event: { eventName: 'Refund', data: { value: 5 } },
    user,
    sends: sent(`${time}&e_c=ecommerce&e_a=Refund&e_v=5&${userFields}`),
  }),
  example('a person who wants nothing personal shared is not recognised', {
    event: { eventName: 'PageView', ...page },
    consent: { sharePii: 'denied' },
    sends: sent(`${sentPage}&${at}&uia=1`, {}),
  }),
  example('an event of the day before', {
    event: { eventName: 'PageView', timestamp: 1_699_900_000_000 },
    user,
    sends: { skipped: 'tooOld' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({
        requests: [
          '?idsite=892d04bd-6e2b-4914-bfb4-bac721b37235&rec=1&_id=d3c5a0fb2fdea97b&cdt=2023-11-14%2022%3A13%3A20&r=evt-1&e_c=ecommerce&e_a=Lead',
        ],
      }),
      email: sentForPerson({
        requests: [
          '?idsite=892d04bd-6e2b-4914-bfb4-bac721b37235&rec=1&_id=d3c5a0fb2fdea97b&cdt=2023-11-14%2022%3A13%3A20&r=evt-1&e_c=ecommerce&e_a=Lead',
        ],
      }),
      customer: sentForPerson({
        requests: [
          '?idsite=892d04bd-6e2b-4914-bfb4-bac721b37235&rec=1&_id=d3c5a0fb2fdea97b&cdt=2023-11-14%2022%3A13%3A20&r=evt-1&e_c=ecommerce&e_a=Lead&uid=customer-1',
        ],
      }),
    },
  ),
]
