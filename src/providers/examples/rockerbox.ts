import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = {
  ROCKERBOX_ADVERTISER_ID: 'shop',
  ROCKERBOX_MAPPED_EVENTS: '[["Purchase", "purchase"], ["Lead", "signup"], ["Quiz finished", "quiz"]]',
}
const example = exampleLike({ secrets })
const products = [{ id: 'sku-1', name: 'Runner', category: 'Shoes', price: 29.99, quantity: 2 }]

/** The expected request. */
const sent = (body: object) => [
  {
    url: 'https://webhooks.getrockerbox.com/webhook/data?advertiser=shop',
    headers: { 'content-type': 'application/json' },
    body: { timestamp: '1700000000', conversion_source: 'server', event_id: 'evt-1', ...body },
  },
]

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://webhooks.getrockerbox.com/webhook/data?advertiser=shop',
    headers: { 'content-type': 'application/json' },
    body: {
      action: 'signup',
      timestamp: '1700000000',
      email: 'ada.lovelace@gmail.com',
      anonymous_id: 'usr_1',
      conversion_source: 'server',
      event_id: 'evt-1',
      ...person,
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase by a person with all keys', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001', gift: true } },
    user: ada,
    sends: sent({
      action: 'purchase',
      email: 'ada.lovelace@gmail.com',
      phone: '+491701234567',
      customer_id: 'customer-1',
      anonymous_id: 'usr_1',
      order_id: 'A-1001',
      revenue: 59.98,
      currency: 'EUR',
      gift: true,
      products,
    }),
  }),
  example('a purchase in yen, net, by an e-mail alone', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1' } },
    user: { email: 'ada@example.com' },
    purchaseValueMode: 'net',
    sends: sent({ action: 'purchase', email: 'ada@example.com', order_id: 'A-1', revenue: 1000, currency: 'JPY' }),
  }),
  example('a lead under the name of its conversion', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
    user: { customerId: 'customer-1' },
    sends: sent({ action: 'signup', customer_id: 'customer-1', revenue: 10, currency: 'USD' }),
  }),
  example('a custom event that is mapped', {
    event: { eventName: 'Quiz finished', data: { score: 7 } },
    user: { customerId: 'customer-1' },
    sends: sent({ action: 'quiz', customer_id: 'customer-1', score: 7 }),
  }),
  example('an event that is not mapped', {
    event: { eventName: 'PageView' },
    user: { customerId: 'customer-1' },
    sends: { skipped: 'filtered' },
  }),
  example('a purchase of somebody without e-mail and id', {
    event: { eventName: 'Purchase', data: cart },
    user: { phone: '+491701234567', ip: '81.2.69.142' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({}),
      customer: sentForPerson({ customer_id: 'customer-1' }),
    },
  ),
]
