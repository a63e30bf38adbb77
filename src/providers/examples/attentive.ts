import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { ATTENTIVE_API_KEY: 'att-key' }
const known = { user: { email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const occurredAt = '2023-11-14T22:13:20.000Z'
const item = (currency = 'EUR') => ({
  productId: 'sku-1',
  productVariantId: 'red',
  name: 'Runner',
  price: [{ value: 29.99, currency }],
  quantity: 2,
})
const flatItem = {
  product_id: 'sku-1',
  variant_id: 'red',
  name: 'Runner',
  category: 'Shoes',
  price: 29.99,
  quantity: 2,
}
const customEvents = [
  'RemoveFromCart',
  'InitiateCheckout',
  'AddShippingInfo',
  'AddPaymentInfo',
  'Subscribe',
  'Search',
  'Lead',
]

const sent = (path: string, more: object, user: object = { email: 'ada@example.com' }) => ({
  url: `https://api.attentivemobile.com/v1/events/${path}`,
  headers: { 'content-type': 'application/json', authorization: 'Bearer att-key' },
  body: { occurredAt, user, ...more },
})

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://api.attentivemobile.com/v1/events/custom',
    headers: { 'content-type': 'application/json', authorization: 'Bearer att-key' },
    body: {
      type: 'Lead',
      externalEventId: 'evt-1',
      properties: {},
      occurredAt: '2023-11-14T22:13:20.000Z',
      user: { email: 'ada.lovelace@gmail.com', ...person },
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase by a person with all keys; the net value of the order has no field', {
    event: { eventName: 'Purchase', data: { ...cart, value: 119, tax: 19, orderId: 'A-1001' } },
    user: ada,
    purchaseValueMode: 'net',
    sends: [
      sent(
        'ecommerce/purchase',
        { items: [item()], orderId: 'A-1001' },
        {
          phone: '+491701234567',
          email: 'ada.lovelace@gmail.com',
          externalIdentifiers: { clientUserId: 'customer-1' },
        },
      ),
    ],
  }),
  example('a purchase in yen by someone known by phone only; an item without a price is omitted', {
    event: {
      eventName: 'Purchase',
      data: {
        currency: 'JPY',
        value: 1250,
        orderId: 'A-1002',
        contents: [{ id: 'a', item_price: 1250 }, { id: 'b' }, { item_price: 3 }],
      },
    },
    user: { phone: '+49 170 1234567' },
    sends: [
      sent(
        'ecommerce/purchase',
        {
          items: [{ productId: 'a', productVariantId: 'a', price: [{ value: 1250, currency: 'JPY' }], quantity: 1 }],
          orderId: 'A-1002',
        },
        { phone: '+491701234567' },
      ),
    ],
  }),
  example('a purchase of half a metre: one piece at the price of that length', {
    event: {
      eventName: 'Purchase',
      data: { value: 4.5, currency: 'EUR', orderId: 'A-1', contents: [{ id: 'cloth', quantity: 0.5, item_price: 9 }] },
    },
    sends: [
      sent('ecommerce/purchase', {
        items: [
          { productId: 'cloth', productVariantId: 'cloth', price: [{ value: 4.5, currency: 'EUR' }], quantity: 1 },
        ],
        orderId: 'A-1',
      }),
    ],
  }),
  example('a viewed product, whose page replaces its missing address', {
    event: { eventName: 'ViewContent', pageUrl: 'https://shop.example/runner', data: cart },
    sends: [sent('ecommerce/product-view', { items: [{ ...item(), productUrl: 'https://shop.example/runner' }] })],
  }),
  example('an added product', {
    event: { eventName: 'AddToCart', data: cart },
    sends: [sent('ecommerce/add-to-cart', { items: [item()] })],
  }),
  example('an order without priced items is a custom event', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'EUR', orderId: 'A-1003' } },
    sends: [
      sent('custom', {
        type: 'Purchase',
        externalEventId: 'evt-1',
        properties: { order_id: 'A-1003', value: 5, currency: 'EUR' },
      }),
    ],
  }),
  ...customEvents.map((type) =>
    example(`${type} as a custom event with flat properties`, {
      event: { eventName: type, data: { ...cart, search: 'shoes', 'size (EU)': '42', own: { nested: 1 } } },
      sends: [
        sent('custom', {
          type,
          externalEventId: 'evt-1',
          properties: { value: 59.98, currency: 'EUR', search: 'shoes', ...flatItem, 'size _EU_': '42' },
        }),
      ],
    }),
  ),
  example('a custom event of a linked user id; characters that are not allowed become _', {
    event: { eventName: 'Quiz (finished)', data: { score: 7 } },
    user: { customerId: 'customer-1' },
    sends: [
      sent(
        'custom',
        { type: 'Quiz _finished_', externalEventId: 'evt-1', properties: { score: 7 } },
        { externalIdentifiers: { clientUserId: 'customer-1' } },
      ),
    ],
  }),
  example('an invalid phone number is omitted and identifies nobody', {
    event: { eventName: 'Lead' },
    user: { phone: '12345' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: { ATTENTIVE_TRAITS: '[["tier", "Tier"], ["firstName", "First name"]]' },
    sends: [
      {
        url: 'https://api.attentivemobile.com/v1/attributes/custom',
        headers: { 'content-type': 'application/json', authorization: 'Bearer att-key' },
        body: {
          user: {
            phone: '+491701234567',
            email: 'ada.lovelace@gmail.com',
            externalIdentifiers: { clientUserId: 'customer-1' },
          },
          properties: { Tier: 'gold', 'First name': 'Ada' },
        },
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
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({}),
      customer: sentForPerson({ externalIdentifiers: { clientUserId: 'customer-1' } }),
    },
  ),
]
