import { ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
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
const known = { user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }, captured: { adct: 'click-1' }, secrets }
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

/** The requests for one of the three people; `person` is what differs. */
const sentForPerson = (person: object) => [
  {
    url: 'https://srv.adroll.com/api?advertisable=6SHGRDIZUBDXLHUG4YHFGC',
    headers: { 'content-type': 'application/json', authorization: 'Token sat-token' },
    body: [
      {
        advertisable_eid: '6SHGRDIZUBDXLHUG4YHFGC',
        pixel_eid: 'XCOW5YUNQFGR5J5VSDITAX',
        event_name: 'formFill',
        page_location: pageUrl,
        timestamp: 1700000000,
        ip: '81.2.69.142',
        user_agent: 'Mozilla/5.0',
        identifiers: {
          first_party_cookie: '0123456789abcdef0123456789abcdef-1699999999000',
          adct: 'click-1',
          ...person,
        },
      },
    ],
  },
]

export const examples: readonly ProviderExample[] = [
  {
    title: 'a purchase, net, by a person with all keys and both ids of the vendor',
    event: {
      eventName: 'Purchase',
      pageUrl,
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001' },
    },
    purchaseValueMode: 'net',
    user: ada,
    captured: { adct: 'click-1', adroll_adct: 'older', __adroll_fpc: fpc },
    secrets,
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
  },
  ...Object.entries(names).map(([eventName, name]) => ({
    title: `${eventName} with the items of the cart`,
    event: { eventName, pageUrl, data: cart },
    ...known,
    sends: sent(name, { event_attributes: { products }, conversion_value: '59.98', currency: 'EUR' }),
  })),
  {
    title: 'a purchase in yen, which has no decimals, with the click id of the cookie',
    event: { eventName: 'Purchase', pageUrl, data: { value: 1250, currency: 'JPY', orderId: 'A-1001' } },
    user: known.user,
    captured: { adroll_adct: 'click-1' },
    secrets,
    sends: sent('purchase', {
      event_attributes: { order_id: 'A-1001' },
      conversion_value: '1250',
      currency: 'JPY',
    }),
  },
  {
    title: 'a search, in test mode',
    event: { eventName: 'Search', pageUrl, data: { search: 'red shoes' } },
    ...known,
    testMode: true,
    sends: sent('productSearch', { event_attributes: { keywords: 'red shoes' } }, '&dry_run=true'),
  },
  {
    title: 'a page view, where the channel is in test mode',
    event: { eventName: 'PageView', pageUrl },
    user: known.user,
    captured: { __adroll_fpc: fpc },
    secrets: { ...secrets, ADROLL_TEST_MODE: '1' },
    sends: sent('pageView', { identifiers: { first_party_cookie: fpc } }, '&dry_run=true'),
  },
  ...['RemoveFromCart', 'InitiateCheckout', 'AddShippingInfo', 'AddPaymentInfo', 'Refund', 'Quiz finished'].map(
    (eventName) => ({
      title: `AdRoll has no event for ${eventName}`,
      event: { eventName, pageUrl, data: cart },
      ...known,
      sends: { skipped: 'eventNotSupported' as const },
    }),
  ),
  {
    title: 'an e-mail address is not enough',
    event: { eventName: 'Purchase', pageUrl, data: cart },
    user: ada,
    secrets,
    sends: { skipped: 'identityMissing' },
  },
  {
    title: 'a click id without an IP address',
    event: { eventName: 'Purchase', pageUrl, data: cart },
    captured: known.captured,
    secrets,
    sends: { skipped: 'identityMissing' },
  },
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
