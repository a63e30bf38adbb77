import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = { STACK_ADAPT_PIXEL_ID: 'sqQHa3Ob1fFi9Xqd2V6s' }
const example = exampleLike({ user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }, secrets })
const products = [
  {
    product_id: 'sku-1',
    product_name: 'Runner',
    product_price: 29.99,
    product_quantity: 2,
    product_category: 'Shoes',
  },
]

/** The request for one event: the query before and after the visitor's IP address, and `args`. */
function sent(args: object, page: Record<string, string> = {}, ids: Record<string, string> = {}) {
  const query = new URLSearchParams({
    uid: 'sqQHa3Ob1fFi9Xqd2V6s',
    ...page,
    ip_fwd: '81.2.69.142',
    ua_fwd: 'Mozilla/5.0',
    ...ids,
    event_type: 'track',
    args: JSON.stringify(args),
  })
  return [
    {
      method: 'GET',
      url: `https://tags.srv.stackadapt.com/saq_pxl?${query}`,
      headers: { 'x-forwarded-for': '81.2.69.142', 'user-agent': 'Mozilla/5.0' },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: { url: string }) => [
  { method: 'GET', headers: { 'x-forwarded-for': '81.2.69.142', 'user-agent': 'Mozilla/5.0' }, ...person },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase by a person with all keys, without hashes', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks?utm_source=news',
      pageTitle: 'Thanks',
      referrer: 'https://shop.example/checkout',
      data: { ...cart, orderId: 'A-1001' },
    },
    user: ada,
    captured: { 'sa-userid': 'sa-v1-0123456789ab.1699999999000' },
    sends: sent(
      {
        action: 'Purchase',
        revenue: 59.98,
        order_id: 'A-1001',
        products,
        email: 'ada.lovelace@gmail.com',
        phone: '+491701234567',
        first_name: 'Ada',
        last_name: 'Lovelace',
        user_id: 'customer-1',
        utm_source: 'news',
      },
      { url: 'https://shop.example/thanks?utm_source=news', title: 'Thanks', ref: 'https://shop.example/checkout' },
      { utm_source: 'news', user_id: 'sa-v1-0123456789ab.1699999999000' },
    ),
  }),
  ...Object.keys(standardEventNames).map((eventName) =>
    example(`${eventName} of a visitor with only an IP address and a user agent`, {
      event: { eventName, data: cart },
      sends: sent({ action: eventName, revenue: 59.98, products }),
    }),
  ),
  example('a purchase in yen, net, with an action of its own', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    secrets: { STACK_ADAPT_MAPPED_EVENTS: '[["Purchase", "bought"], ["PageView", ""]]' },
    sends: sent({ action: 'bought', revenue: 1000, order_id: 'A-1001' }),
  }),
  example('a custom event', { event: { eventName: 'Quiz finished' }, sends: sent({ action: 'Quiz finished' }) }),
  example('an event that is mapped to an empty action', {
    event: { eventName: 'PageView' },
    secrets: { STACK_ADAPT_MAPPED_EVENTS: '[["PageView", ""]]' },
    sends: { skipped: 'filtered' },
  }),
  example('a refund without a mapping', { event: { eventName: 'Refund', data: cart }, sends: { skipped: 'filtered' } }),
  example('an event without an IP address', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }, secrets },
    {
      visitor: sentForPerson({
        url: 'https://tags.srv.stackadapt.com/saq_pxl?uid=sqQHa3Ob1fFi9Xqd2V6s&ip_fwd=81.2.69.142&ua_fwd=Mozilla%2F5.0&event_type=track&args=%7B%22action%22%3A%22Lead%22%2C%22user_id%22%3A%22usr_1%22%7D',
      }),
      email: sentForPerson({
        url: 'https://tags.srv.stackadapt.com/saq_pxl?uid=sqQHa3Ob1fFi9Xqd2V6s&ip_fwd=81.2.69.142&ua_fwd=Mozilla%2F5.0&event_type=track&args=%7B%22action%22%3A%22Lead%22%2C%22email%22%3A%22ada.lovelace%40gmail.com%22%2C%22user_id%22%3A%22usr_1%22%7D',
      }),
      customer: sentForPerson({
        url: 'https://tags.srv.stackadapt.com/saq_pxl?uid=sqQHa3Ob1fFi9Xqd2V6s&ip_fwd=81.2.69.142&ua_fwd=Mozilla%2F5.0&event_type=track&args=%7B%22action%22%3A%22Lead%22%2C%22email%22%3A%22ada.lovelace%40gmail.com%22%2C%22user_id%22%3A%22customer-1%22%7D',
      }),
    },
  ),
]
