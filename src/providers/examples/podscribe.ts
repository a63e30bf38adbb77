import { hash } from 'node:crypto'
import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { PODSCRIBE_ADVERTISER: 'shop-com' }
const example = exampleLike({ secrets })
const visitor = { user: { ip: '81.2.69.142' }, secrets }

/** The expected request, in the order of the fields. */
const sent = (fields: Readonly<Record<string, string>>, headers: object = {}) => {
  const { action = '', user_id, ...others } = fields
  const all = {
    action,
    advertiser: 'shop-com',
    ...(user_id && { user_id }),
    timestamp: '2023-11-14T22:13:20.000Z',
    ...others,
  }
  return [
    { method: 'GET', url: `https://verifi.podscribe.com/tag?${new URLSearchParams(all)}`, headers: { ...headers } },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: { url: string }) => [{ method: 'GET', headers: {}, ...person }]

export const examples: readonly ProviderExample[] = [
  example('a purchase with all that is known, with a user id and a key', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      referrer: 'https://search.example/',
      data: {
        ...cart,
        orderId: 'A-1001',
        discounts: [{ code: 'SPRING' }],
        is_new_customer: true,
        is_subscription: false,
        gift: true,
      },
    },
    user: { ...ada, email: 'Ada.Lovelace+news@gmail.com' },
    secrets: { PODSCRIBE_USER_ID: 'pod-1', PODSCRIBE_API_KEY: 'key-1' },
    sends: sent(
      {
        action: 'purchase',
        user_id: 'pod-1',
        device_id: 'usr_1',
        url: 'https://shop.example/thanks',
        referrer: 'https://search.example/',
        ip: '81.2.69.142',
        user_agent: 'Mozilla/5.0',
        order_value: '59.98',
        order_number: 'A-1001',
        currency: 'EUR',
        discount_code: 'SPRING',
        hashed_email: hash('sha256', 'adalovelace@gmail.com'),
        num_items_purchased: '2',
        is_new_customer: 'true',
        properties: '{"gift":true}',
      },
      { 'x-api-key': 'key-1' },
    ),
  }),
  example('a purchase in yen, net', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1' } },
    purchaseValueMode: 'net',
    ...visitor,
    sends: sent({ action: 'purchase', ip: '81.2.69.142', order_value: '1000', order_number: 'A-1', currency: 'JPY' }),
  }),
  example('a page view', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/', referrer: '' },
    ...visitor,
    sends: sent({ action: 'view', url: 'https://shop.example/', ip: '81.2.69.142' }),
  }),
  example('a subscription without a value', {
    event: { eventName: 'Subscribe', data: { value: 0, is_subscription: true } },
    ...visitor,
    sends: sent({ action: 'signup', ip: '81.2.69.142', is_subscription: 'true' }),
  }),
  example('a registration', {
    event: { eventName: 'CompleteRegistration' },
    ...visitor,
    sends: sent({ action: 'signup', ip: '81.2.69.142' }),
  }),
  example('a lead with its value', {
    event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
    ...visitor,
    sends: sent({ action: 'lead', ip: '81.2.69.142', order_value: '10', currency: 'USD' }),
  }),
  example('a purchase without the address of the visitor', {
    event: { eventName: 'Purchase', data: cart },
    user: { userId: 'usr_1', email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a custom event is not sent', {
    event: { eventName: 'Quiz finished' },
    ...visitor,
    sends: { skipped: 'eventNotSupported' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, user: { ip: '81.2.69.142', userAgent: 'Mozilla/5.0' }, secrets },
    {
      visitor: sentForPerson({
        url: 'https://verifi.podscribe.com/tag?action=lead&advertiser=shop-com&timestamp=2023-11-14T22%3A13%3A20.000Z&device_id=usr_1&ip=81.2.69.142&user_agent=Mozilla%2F5.0',
      }),
      email: sentForPerson({
        url: 'https://verifi.podscribe.com/tag?action=lead&advertiser=shop-com&timestamp=2023-11-14T22%3A13%3A20.000Z&device_id=usr_1&ip=81.2.69.142&user_agent=Mozilla%2F5.0&hashed_email=cd98a25152ad884b29e524ea5d3d8d35615ed0afbbc5ea3a6d4215572b0b2bde',
      }),
      customer: sentForPerson({
        url: 'https://verifi.podscribe.com/tag?action=lead&advertiser=shop-com&timestamp=2023-11-14T22%3A13%3A20.000Z&device_id=usr_1&ip=81.2.69.142&user_agent=Mozilla%2F5.0&hashed_email=cd98a25152ad884b29e524ea5d3d8d35615ed0afbbc5ea3a6d4215572b0b2bde',
      }),
    },
  ),
]
