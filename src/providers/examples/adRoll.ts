import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const names = {
  PageView: 'pageView',
  ViewContent: 'pageView',
  AddToCart: 'addToCart',
  Purchase: 'purchase',
  Subscribe: 'signupPlan',
  Search: 'productSearch',
  Lead: 'formFill',
  StartTrial: 'signupTrial',
  Contact: 'contactSales',
}
const secrets = {
  ADROLL_ADVERTISABLE_ID: '6SHGRDIZUBDXLHUG4YHFGC',
  ADROLL_PIXEL_ID: 'XCOW5YUNQFGR5J5VSDITAX',
  ADROLL_ACCESS_TOKEN: 'sat-token',
}
const pageUrl = 'https://shop.example/thanks'
const fpc = '0123456789abcdef0123456789abcdef-1699999999000'
const example = exampleLike({
  user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
  captured: { adct: 'click-1' },
  secrets,
})
const visitor = { ip: '81.2.69.142', user_agent: 'Mozilla/5.0' }
const products = [{ product_id: 'sku-1', quantity: 2, price: '29.99', category: 'Shoes' }]

/** The request for one event of the page. */
function sent(event_name: string, more: object = {}, query = '') {
  return [
    {
      url: `https://srv.adroll.com/api?advertisable=6SHGRDIZUBDXLHUG4YHFGC${query}`,
      headers: { 'content-type': 'application/json', authorization: 'Token sat-token' },
      body: [
        {
          advertisable_eid: '6SHGRDIZUBDXLHUG4YHFGC',
          pixel_eid: 'XCOW5YUNQFGR5J5VSDITAX',
          event_name,
          page_location: pageUrl,
          timestamp: 1_700_000_000,
          ...visitor,
          identifiers: { adct: 'click-1' },
          ...more,
        },
      ],
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('Lead', {})[0]!, {
    body: [
      {
        event_name: 'formFill',
        page_location: pageUrl,
        identifiers: { first_party_cookie: '0123456789abcdef0123456789abcdef-1699999999000', ...person },
      },
    ],
  }),
]

export const examples: readonly ProviderExample[] = [
  example('a purchase, net, by a person with all keys and both ids of the vendor', {
    event: {
      eventName: 'Purchase',
      pageUrl,
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001' },
    },
    purchaseValueMode: 'net',
    user: ada,
    captured: { adct: 'click-1', adroll_adct: 'older', __adroll_fpc: fpc },
    sends: sent('purchase', {
      event_attributes: { order_id: 'A-1001', products },
      conversion_value: '95.05',
      currency: 'EUR',
      identifiers: {
        first_party_cookie: fpc,
        adct: 'click-1',
        email_sha256: '894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125',
        user_id: 'customer-1',
      },
    }),
  }),
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, pageUrl, data: cart },
      sends: sent(name, { event_attributes: { products }, conversion_value: '59.98', currency: 'EUR' }),
    }),
  ),
  example('a purchase in yen, which has no decimals, with the click id of the cookie', {
    event: { eventName: 'Purchase', pageUrl, data: { value: 1250, currency: 'JPY', orderId: 'A-1001' } },
    captured: { adroll_adct: 'click-1' },
    sends: sent('purchase', { event_attributes: { order_id: 'A-1001' }, conversion_value: '1250', currency: 'JPY' }),
  }),
  example('a search, in test mode', {
    event: { eventName: 'Search', pageUrl, data: { search: 'red shoes' } },
    testMode: true,
    sends: sent('productSearch', { event_attributes: { keywords: 'red shoes' } }, '&dry_run=true'),
  }),
  example('a page view, where the channel is in test mode', {
    event: { eventName: 'PageView', pageUrl },
    captured: { __adroll_fpc: fpc },
    secrets: { ADROLL_TEST_MODE: '1' },
    sends: sent('pageView', { identifiers: { first_party_cookie: fpc } }, '&dry_run=true'),
  }),
  ...['RemoveFromCart', 'InitiateCheckout', 'AddShippingInfo', 'AddPaymentInfo', 'Refund', 'Quiz finished'].map(
    (eventName) =>
      example(`AdRoll has no event for ${eventName}`, {
        event: { eventName, pageUrl, data: cart },
        sends: { skipped: 'eventNotSupported' as const },
      }),
  ),
  example('an e-mail address is not enough', {
    event: { eventName: 'Purchase', pageUrl, data: cart },
    user: ada,
    sends: { skipped: 'identityMissing' },
    captured: undefined,
  }),
  example('a click id without an IP address', {
    event: { eventName: 'Purchase', pageUrl, data: cart },
    sends: { skipped: 'identityMissing' },
    user: undefined,
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead', pageUrl },
      user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
      captured: {
        adct: 'click-1',
        adroll_adct: 'older',
        __adroll_fpc: '0123456789abcdef0123456789abcdef-1699999999000',
      },
      secrets,
    },
    {
      visitor: sentForPerson({ user_id: 'usr_1' }),
      email: sentForPerson({ email_sha256: adaDigests.email, user_id: 'usr_1' }),
      customer: sentForPerson({ email_sha256: adaDigests.email, user_id: 'customer-1' }),
    },
  ),
]
