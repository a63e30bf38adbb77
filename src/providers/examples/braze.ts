import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { BRAZE_API_KEY: 'braze-key', BRAZE_REST_ENDPOINT: 'https://rest.iad-01.braze.com' }
const known = { user: { customerId: 'customer-1' }, secrets }
const example = exampleLike(known)

const viewed = {
  product_id: 'sku-1',
  product_name: 'Runner',
  variant_id: 'red',
  price: 29.99,
  metadata: { category: 'Shoes' },
}
const product = { ...viewed, quantity: 2 }
const mailed = { email: 'ada.lovelace@gmail.com' }
const person = { external_id: 'customer-1', ...mailed }

const shopNames: Readonly<Record<string, string>> = {
  AddToCart: 'ecommerce.cart_updated',
  RemoveFromCart: 'ecommerce.cart_updated',
  InitiateCheckout: 'ecommerce.checkout_started',
  Refund: 'ecommerce.order_refunded',
}
const shopped: Readonly<Record<string, object>> = {
  AddToCart: { cart_id: 'c-1', action: 'add' },
  RemoveFromCart: { cart_id: 'c-1', action: 'remove' },
  InitiateCheckout: {
    cart_id: 'c-1',
    checkout_id: 'evt-1',
    metadata: { checkout_url: 'https://shop.example/checkout' },
  },
  Refund: { order_id: 'A-1001' },
}

/** The expected requests; the arguments differ between the examples. */
function sent(events: readonly { properties: object; [field: string]: unknown }[] | undefined, more: object = {}) {
  const time = '2023-11-14T22:13:20.000Z'
  const rows = events?.map((event) => ({ time, ...event, properties: { ...event.properties, event_id: 'evt-1' } }))
  return [
    {
      url: 'https://rest.iad-01.braze.com/users/track',
      headers: { 'content-type': 'application/json', authorization: 'Bearer braze-key' },
      body: { ...(rows && { events: rows }), ...more },
    },
  ]
}

/** The user of an order with only an e-mail is merged into the user with the id. */
const joined = {
  url: 'https://rest.iad-01.braze.com/users/identify',
  headers: { 'content-type': 'application/json', authorization: 'Bearer braze-key' },
  body: {
    emails_to_identify: [
      {
        external_id: 'customer-1',
        email: 'ada.lovelace@gmail.com',
        prioritization: ['unidentified', 'most_recently_updated'],
      },
    ],
    merge_behavior: 'merge',
  },
}

export const examples: readonly ProviderExample[] = [
  ...Object.keys(shopNames).map((eventName) =>
    example(`${eventName} with the items of the cart`, {
      event: {
        eventName,
        pageUrl: 'https://shop.example/cart',
        data: { ...cart, cartId: 'c-1', orderId: 'A-1001', checkoutUrl: 'https://shop.example/checkout' },
      },
      sends: sent([
        {
          external_id: 'customer-1',
          name: shopNames[eventName],
          properties: {
            currency: 'EUR',
            source: 'https://shop.example',
            products: [product],
            total_value: 59.98,
            ...shopped[eventName],
          },
        },
      ]),
    }),
  ),
  ...['PageView', 'AddShippingInfo', 'AddPaymentInfo', 'Search'].map((name) =>
    example(`${name} under its own name`, {
      event: { eventName: name, pageUrl: 'https://shop.example/', data: { $x: 1, search: 'shoes' } },
      sends: sent([
        {
          external_id: 'customer-1',
          name,
          properties: { search: 'shoes', ...(name === 'PageView' && { page_url: 'https://shop.example/' }) },
        },
      ]),
    }),
  ),
  example('a viewed product', {
    event: { eventName: 'ViewContent', data: cart },
    sends: sent([
      {
        external_id: 'customer-1',
        name: 'ecommerce.product_viewed',
        properties: { ...viewed, currency: 'EUR', source: 'web' },
      },
    ]),
  }),
  example('a purchase by a person with all keys', {
    event: {
      eventName: 'Purchase',
      data: {
        ...cart,
        orderId: 'A-1001',
        discount: 5,
        tax: 9.58,
        shipping: 4.9,
        discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }],
      },
    },
    user: ada,
    secrets: { BRAZE_APP_ID: 'app-1' },
    sends: [
      joined,
      ...sent(
        [
          {
            ...person,
            app_id: 'app-1',
            name: 'ecommerce.order_placed',
            properties: {
              currency: 'EUR',
              source: 'web',
              products: [product],
              total_value: 59.98,
              order_id: 'A-1001',
              total_discounts: 5,
              tax: 9.58,
              shipping: 4.9,
              discounts: [{ code: 'SPRING', amount: 5 }],
            },
          },
        ],
        {
          attributes: [{ ...person, phone: '+491701234567', first_name: 'Ada', last_name: 'Lovelace', country: 'GB' }],
        },
      ),
    ],
  }),
  example('a purchase in the legacy format, at most 100 of an item in one row', {
    event: {
      eventName: 'Purchase',
      data: { currency: 'EUR', orderId: 'A-1001', contents: [{ id: 'sku-1', quantity: 120, item_price: 2 }] },
    },
    user: { customerId: 'customer-1' },
    secrets: { BRAZE_USE_PURCHASE_EVENTS: '1' },
    sends: sent(undefined, {
      purchases: [100, 20].map((quantity) => ({
        external_id: 'customer-1',
        currency: 'EUR',
        time: '2023-11-14T22:13:20.000Z',
        properties: { order_id: 'A-1001', event_id: 'evt-1' },
        product_id: 'sku-1',
        price: 2,
        quantity,
      })),
    }),
  }),
  example('a purchase of half a metre in the legacy format: one piece at the price of that length', {
    event: {
      eventName: 'Purchase',
      data: { currency: 'EUR', orderId: 'A-1001', contents: [{ id: 'cloth', quantity: 0.5, item_price: 9 }] },
    },
    user: { customerId: 'customer-1' },
    secrets: { BRAZE_USE_PURCHASE_EVENTS: '1' },
    sends: sent(undefined, {
      purchases: [
        {
          external_id: 'customer-1',
          currency: 'EUR',
          time: '2023-11-14T22:13:20.000Z',
          properties: { order_id: 'A-1001', event_id: 'evt-1' },
          product_id: 'cloth',
          price: 4.5,
          quantity: 1,
        },
      ],
    }),
  }),
  ...['Subscribe', 'Lead'].map((name) =>
    example(`${name} by a person known by phone only`, {
      event: { eventName: name, data: { userFirstName: 'Ada' } },
      user: { phone: '+49 170 1234567' },
      sends: sent([{ phone: '+491701234567', name, properties: {} }], { attributes: [{ phone: '+491701234567' }] }),
    }),
  ),
  example('a custom event under a prefix', {
    event: { eventName: 'Quiz finished', data: { score: 7 } },
    secrets: { BRAZE_EVENT_PREFIX: 'web ' },
    sends: sent([{ external_id: 'customer-1', name: 'web Quiz finished', properties: { score: 7 } }]),
  }),
  example('an excluded event', {
    event: { eventName: 'PageView' },
    secrets: { BRAZE_EXCLUDED_EVENTS: 'PageView, Search' },
    sends: { skipped: 'filtered' },
  }),
  example('a name and a country do not identify a person', {
    event: { eventName: 'Lead' },
    user: { firstName: 'Ada', country: 'GB' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: { BRAZE_TRAITS: '[["tier", "loyalty_tier"]]' },
    sends: [
      {
        url: 'https://rest.iad-01.braze.com/users/track',
        headers: { 'content-type': 'application/json', authorization: 'Bearer braze-key' },
        body: {
          attributes: [
            {
              ...person,
              phone: '+491701234567',
              first_name: 'Ada',
              last_name: 'Lovelace',
              country: 'GB',
              loyalty_tier: 'gold',
            },
          ],
        },
      },
    ],
  }),
  example('what is not mapped is not sent', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: { customerId: 'customer-1' },
    custom: { tier: 'gold' },
    sends: { skipped: 'filtered' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sent([{ ...mailed, name: 'Lead', properties: {} }], { attributes: [mailed] }),
      customer: [joined, ...sent([{ ...person, name: 'Lead', properties: {} }], { attributes: [person] })],
    },
  ),
]
