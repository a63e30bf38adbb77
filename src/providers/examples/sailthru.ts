import { createHash } from 'node:crypto'
import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const events = [
  'ViewContent',
  'RemoveFromCart',
  'InitiateCheckout',
  'AddShippingInfo',
  'AddPaymentInfo',
  'Subscribe',
  'Search',
  'Lead',
]
const secrets = { SAILTHRU_API_KEY: 'key', SAILTHRU_API_SECRET: 'secret' }
const example = exampleLike({ user: ada, secrets })

function bought(more: { incomplete: number; vars: object; [key: string]: unknown }) {
  const { incomplete, vars, ...rest } = more
  const item = {
    id: 'sku-1',
    title: 'Runner',
    price: 2999,
    qty: 2,
    url: 'https://shop.example/runner',
    vars: { category: 'Shoes', variant: 'red' },
  }
  return { email: 'ada.lovelace@gmail.com', items: [item], incomplete, date: '2023-11-14T22:13:20.000Z', ...rest, vars }
}

/** The expected requests; the arguments differ between the examples. */
function sent(path: string, value: object) {
  const json = JSON.stringify(value)
  const sig = createHash('md5')
    .update(`secret${['json', 'key', json].sort().join('')}`)
    .digest('hex')
  return [
    {
      url: `https://api.sailthru.com/${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: { api_key: 'key', format: 'json', json, sig },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://api.sailthru.com/event',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      api_key: 'key',
      format: 'json',
      json: '{"id":"ada.lovelace@gmail.com","event":"Lead","vars":{"event_id":"evt-1"}}',
      sig: 'f56903764200821c5677fa5880eddab9',
    },
  },
]

export const examples: readonly ProviderExample[] = [
  ...events.map((eventName) =>
    example(`${eventName} as an event`, {
      event: { eventName, data: { value: 10, currency: 'EUR', userPhone: '+491701234567' } },
      sends: sent('event', {
        id: 'ada.lovelace@gmail.com',
        event: eventName,
        vars: { value: 10, currency: 'EUR', event_id: 'evt-1' },
      }),
    }),
  ),
  example('AddToCart is an incomplete purchase', {
    event: { eventName: 'AddToCart', pageUrl: 'https://shop.example/runner', data: cart },
    sends: sent('purchase', bought({ incomplete: 1, vars: { currency: 'EUR', event_id: 'evt-1' } })),
  }),
  example('a purchase from a mail, with shipping', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/runner',
      data: { ...cart, value: 64.93, orderId: 'A-1001' },
    },
    captured: { sailthru_bid: '23423.231' },
    sends: sent(
      'purchase',
      bought({
        incomplete: 0,
        message_id: '23423.231',
        purchase_keys: { extid: 'A-1001' },
        adjustments: [{ title: 'Discounts, shipping and tax', price: 495 }],
        vars: { currency: 'EUR', event_id: 'evt-1' },
      }),
    ),
  }),
  example('a refund is a return', {
    event: { eventName: 'Refund', pageUrl: 'https://shop.example/runner', data: { ...cart, orderId: 'A-1001' } },
    sends: sent('return', {
      email: 'ada.lovelace@gmail.com',
      items: [{ id: 'sku-1', price: 2999, qty: 2, url: 'https://shop.example/runner', order_id: 'A-1001' }],
    }),
  }),
  example('a custom event', {
    event: { eventName: 'Quiz finished', data: { score: 7 } },
    sends: sent('event', {
      id: 'ada.lovelace@gmail.com',
      event: 'Quiz finished',
      vars: { score: 7, event_id: 'evt-1' },
    }),
  }),
  example('without an e-mail', {
    event: { eventName: 'Lead' },
    user: { userId: 'usr_1' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
