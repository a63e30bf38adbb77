import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { POSTSCRIPT_API_KEY: 'ps-key' }
const known = { user: { email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const item = { product_id: 'sku-1', variant_id: 'red', name: 'Runner', category: 'Shoes', price: 29.99, quantity: 2 }
const money = { value: 59.98, currency: 'EUR' }
const names = {
  PageView: 'page_viewed',
  ViewContent: 'product_viewed',
  AddToCart: 'added_to_cart',
  RemoveFromCart: 'removed_from_cart',
  InitiateCheckout: 'checkout_started',
  AddShippingInfo: 'shipping_info_added',
  AddPaymentInfo: 'payment_info_added',
  Purchase: 'order_placed',
  Subscribe: 'subscribed',
  Search: 'searched',
  Lead: 'lead',
}

const sent = (type: string, more: object, headers: Record<string, string> = {}) => ({
  url: 'https://api.postscript.io/api/v2/events',
  headers: { 'content-type': 'application/json', authorization: 'Bearer ps-key', ...headers },
  body: {
    type,
    email: 'ada@example.com',
    occurred_at: '2023-11-14 22:13:20.000000',
    external_id: 'evt-1',
    ...more,
  },
})

/** The requests, the same for each of the three people. */
const sentForPerson = [like(sent('lead', {}), { body: { email: 'ada.lovelace@gmail.com', properties: {} } })]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, type]) =>
    example(`${eventName} with the first item of the cart`, {
      event: { eventName, data: { ...cart, contents: [...cart.contents, { id: 'sku-2' }] } },
      sends: [sent(type, { properties: { ...money, ...item } })],
    }),
  ),
  example('an order, net, by a person with all keys, by a partner', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', gift: true, box: { size: 2 } },
    },
    user: ada,
    purchaseValueMode: 'net',
    secrets: { POSTSCRIPT_SHOP_TOKEN: 'shop-token' },
    sends: [
      sent(
        'order_placed',
        {
          email: 'ada.lovelace@gmail.com',
          phone: '+491701234567',
          properties: {
            order_id: 'A-1001',
            value: 95.05,
            currency: 'EUR',
            tax: 19,
            shipping: 4.95,
            ...item,
            gift: true,
            box: '{"size":2}',
          },
        },
        { 'x-postscript-shop-token': 'shop-token' },
      ),
    ],
  }),
  example('an order in yen by someone known by phone only', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1002' } },
    user: { phone: '+1 (650) 555-1212' },
    sends: [
      sent('order_placed', {
        email: undefined,
        phone: '+16505551212',
        properties: { order_id: 'A-1002', value: 1250, currency: 'JPY' },
      }),
    ].map(({ body: { email: _, ...body }, ...request }) => ({ ...request, body })),
  }),
  example('a custom event: other characters of its name become _', {
    event: { eventName: 'Quiz finished!', data: { score: 7 } },
    sends: [sent('Quiz_finished_', { properties: { score: 7 } })],
  }),
  example('an id of the shop identifies no subscriber', {
    event: { eventName: 'PageView' },
    user: { userId: 'usr_1', phone: '12345' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', points: 7.5, note: 'not mapped' },
    secrets: { POSTSCRIPT_TRAITS: '[["tier", "tier"], ["city", "town"], ["points", "points"]]' },
    replies: [{ status: 200, json: { subscribers: [{ id: 'sub_1' }] } }],
    sends: [
      {
        method: 'GET',
        url: 'https://api.postscript.io/api/v2/subscribers?phone_number__eq=%2B491701234567',
        headers: { authorization: 'Bearer ps-key' },
      },
      {
        method: 'PATCH',
        url: 'https://api.postscript.io/api/v2/subscribers/sub_1',
        headers: { 'content-type': 'application/json', authorization: 'Bearer ps-key' },
        body: { properties: { tier: 'gold', town: 'London', points: '7.5' } },
      },
    ],
  }),
  example('what is not mapped is not sent', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold' },
    sends: { skipped: 'filtered' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
