import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const names = {
  PageView: 'page_view',
  Purchase: 'purchase',
  Subscribe: 'signup',
  Lead: 'lead',
  CompleteRegistration: 'signup',
}
const secrets = { VIBE_PIXEL_ID: 'px-1' }
const known = { user: { email: ' Ada@Example.com ' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(a: string, more: object = {}, user: object = { em: 'ada@example.com' }) {
  return [
    {
      url: 'https://t.vibe.co/s2s-conversion/events/segment',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: { a, eid: 'evt-1', aid: 'px-1', ts: 1_700_000_000_000, ...user, ...more },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://t.vibe.co/s2s-conversion/events/segment',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: { a: 'lead', eid: 'evt-1', aid: 'px-1', ts: 1700000000000, em: 'ada.lovelace@gmail.com' },
  },
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: sent(name, {
        ed: '{"value":59.98,"currency":"EUR","contents":[{"id":"sku-1","quantity":2,"price":29.99}]}',
      }),
    }),
  ),
  example('a purchase in dollars, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'USD', orderId: 'A-1001' },
    },
    user: ada,
    captured: { _ga: 'GA1.1.1234567890.1690000000' },
    purchaseValueMode: 'net',
    sends: sent(
      'purchase',
      {
        ed: '{"price_usd":95.05,"purchase_id":"A-1001"}',
        url: 'https://shop.example/thanks',
        gid: '1234567890.1690000000',
      },
      { em: 'ada.lovelace@gmail.com', ip: '81.2.69.142', ua: 'Mozilla/5.0' },
    ),
  }),
  example('a purchase in a currency without decimals, by an IP address', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    user: { ip: '81.2.69.142' },
    sends: sent('purchase', { ed: '{"value":6000,"currency":"JPY"}' }, { ip: '81.2.69.142' }),
  }),
  example('a page view, to an address that Vibe gave', {
    event: { eventName: 'PageView' },
    secrets: { VIBE_ENDPOINT: 'https://t.vibe.co/s2s-conversion/events/shop' },
    sends: sent('page_view').map((request) => ({ ...request, url: 'https://t.vibe.co/s2s-conversion/events/shop' })),
  }),
  example('Vibe has no event for AddToCart', {
    event: { eventName: 'AddToCart', data: cart },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('Vibe has no custom events', {
    event: { eventName: 'Quiz finished' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an IPv6 address does not identify a person', {
    event: { eventName: 'PageView' },
    user: { ip: '2001:db8::1', userAgent: 'Mozilla/5.0', userId: 'usr_1' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
