import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { OMNISEND_API_KEY: 'omni-key' }
const known = { user: { email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const item = {
  productID: 'sku-1',
  productVariantID: 'red',
  productTitle: 'Runner',
  productQuantity: 2,
  productPrice: 29.99,
}
const money = { currency: 'EUR', value: 59.98 }
const customNames = {
  PageView: 'viewed page',
  RemoveFromCart: 'removed product from cart',
  AddShippingInfo: 'added shipping info',
  AddPaymentInfo: 'added payment info',
  Subscribe: 'subscribed',
  Search: 'searched',
  Lead: 'lead',
}

/** The expected request. `evt-1` is not a UUID, so its version 5 UUID is sent. */
const sent = (eventName: string, more: object) => ({
  url: 'https://api.omnisend.com/api/events',
  headers: {
    'content-type': 'application/json',
    authorization: 'Omnisend-API-Key omni-key',
    'omnisend-version': '2026-03-15',
  },
  body: {
    eventName,
    eventID: '508c91af-267b-52ee-b6b8-2c3ae169ff43',
    eventTime: '2023-11-14T22:13:20.000Z',
    origin: 'api',
    contact: { email: 'ada@example.com' },
    ...more,
  },
})

const sentForPerson = [sent('lead', { contact: { email: 'ada.lovelace@gmail.com' }, properties: {} })]

export const examples: readonly ProviderExample[] = [
  example('a placed order, net, by a person with all keys', {
    event: { eventName: 'Purchase', data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001' } },
    user: ada,
    captured: { omnisendContactID: '67447b7d5c1cd54488ec24d9' },
    purchaseValueMode: 'net',
    sends: [
      sent('placed order', {
        eventVersion: 'v2',
        contact: {
          id: '67447b7d5c1cd54488ec24d9',
          email: 'ada.lovelace@gmail.com',
          phone: '+491701234567',
          firstName: 'Ada',
          lastName: 'Lovelace',
          gender: 'f',
          birthdate: '1990-12-10',
          city: 'London',
          state: 'England',
          postalCode: 'W1A 1AA',
          country: 'United Kingdom',
          countryCode: 'GB',
        },
        properties: {
          orderID: 'A-1001',
          orderNumber: 'A-1001',
          createdAt: '2023-11-14T22:13:20.000Z',
          currency: 'EUR',
          totalPrice: 95.05,
          paymentStatus: 'paid',
          fulfillmentStatus: 'unfulfilled',
          lineItems: [item],
        },
      }),
    ],
  }),
  example('an order in yen by someone known by phone only', {
    event: { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1002' } },
    user: { phone: '+49 170 1234567' },
    sends: [
      sent('placed order', {
        eventVersion: 'v2',
        contact: { phone: '+491701234567' },
        properties: {
          orderID: 'A-1002',
          orderNumber: 'A-1002',
          createdAt: '2023-11-14T22:13:20.000Z',
          currency: 'JPY',
          totalPrice: 1250,
          paymentStatus: 'paid',
          fulfillmentStatus: 'unfulfilled',
          lineItems: [],
        },
      }),
    ],
  }),
  example('a viewed product, whose page replaces its missing address', {
    event: { eventName: 'ViewContent', pageUrl: 'https://shop.example/runner', data: cart },
    sends: [
      sent('viewed product', {
        eventVersion: 'v4',
        properties: {
          product: {
            id: 'sku-1',
            title: 'Runner',
            price: 29.99,
            currency: 'EUR',
            url: 'https://shop.example/runner',
            status: 'inStock',
          },
        },
      }),
    ],
  }),
  example('each added product is an event', {
    event: {
      eventName: 'AddToCart',
      data: {
        ...cart,
        cartId: 'c-1',
        checkoutUrl: 'https://shop.example/cart',
        contents: [...cart.contents, { id: 'sku-2', quantity: 1 }],
      },
    },
    replies: [{ status: 202 }],
    sends: [item, { productID: 'sku-2', productVariantID: 'sku-2', productQuantity: 1 }].map((addedItem, i) =>
      sent('added product to cart', {
        eventID: i === 0 ? '508c91af-267b-52ee-b6b8-2c3ae169ff43' : 'e1b152f0-a08c-55a6-a9f1-d2116fbb83de',
        eventVersion: '',
        properties: {
          cartID: 'c-1',
          abandonedCheckoutURL: 'https://shop.example/cart',
          ...money,
          addedItem,
          lineItems: [item, { productID: 'sku-2', productVariantID: 'sku-2', productQuantity: 1 }],
        },
      }),
    ),
  }),
  example('an added product that is not named', {
    event: { eventName: 'AddToCart', data: { value: 5, currency: 'EUR' } },
    sends: [
      sent('added product to cart', {
        eventVersion: '',
        properties: { cartID: 'evt-1', currency: 'EUR', value: 5, lineItems: [] },
      }),
    ],
  }),
  example('a checkout', {
    event: { eventName: 'InitiateCheckout', data: { ...cart, cartId: 'c-1' } },
    sends: [sent('started checkout', { eventVersion: '', properties: { cartID: 'c-1', ...money, lineItems: [item] } })],
  }),
  ...Object.entries(customNames).map(([eventName, name]) =>
    example(`${eventName} as a custom event with flat properties`, {
      event: { eventName, data: { ...cart, search: 'shoes', own: { nested: 1 } } },
      sends: [sent(name, { properties: { ...money, search: 'shoes', ...item } })],
    }),
  ),
  example('a custom event under its own name, identified by the cookie', {
    event: { eventName: 'Quiz finished', eventId: '0c8f7a31-7f0e-4b7c-9d57-0a6f6a2f1c38', data: { score: 7 } },
    captured: { omnisendContactID: '67447b7d5c1cd54488ec24d9' },
    sends: [
      sent('Quiz finished', {
        eventID: '0c8f7a31-7f0e-4b7c-9d57-0a6f6a2f1c38',
        contact: { id: '67447b7d5c1cd54488ec24d9' },
        properties: { score: 7 },
      }),
    ],
    user: undefined,
  }),
  example('a cookie of another format identifies nobody', {
    event: { eventName: 'PageView' },
    user: { phone: '12345' },
    captured: { omnisendContactID: 'anonymous' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: { OMNISEND_TRAITS: '[["tier", "loyaltyTier"]]' },
    sends: [
      {
        method: 'PATCH',
        url: 'https://api.omnisend.com/api/contacts?email=ada.lovelace%40gmail.com',
        headers: {
          'content-type': 'application/json',
          authorization: 'Omnisend-API-Key omni-key',
          'omnisend-version': '2026-03-15',
        },
        body: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          gender: 'f',
          birthdate: '1990-12-10',
          city: 'London',
          state: 'England',
          postalCode: 'W1A 1AA',
          country: 'United Kingdom',
          countryCode: 'GB',
          customProperties: { loyaltyTier: 'gold' },
        },
      },
    ],
  }),
  example('what is not mapped is not sent', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: { email: 'ada@example.com' },
    custom: { tier: 'gold' },
    sends: { skipped: 'filtered' },
  }),
  example('a contact is updated by the e-mail alone', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada' } },
    user: { phone: '+491701234567', firstName: 'Ada' },
    sends: { skipped: 'identityMissing' },
  }),
  example('Subscribe adds the person to what the customer set', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    secrets: { OMNISEND_OPT_IN: '1' },
    replies: [{ status: 200, json: { contactID: '1' } }],
    sends: [
      {
        url: 'https://api.omnisend.com/api/contacts',
        headers: {
          'content-type': 'application/json',
          authorization: 'Omnisend-API-Key omni-key',
          'omnisend-version': '2026-03-15',
        },
        body: {
          identifiers: [
            {
              type: 'email',
              id: 'ada@example.com',
              channels: { email: { status: 'subscribed', statusChangedAt: '2023-11-14T22:13:20.000Z' } },
            },
          ],
        },
      },
      sent('subscribed', { contact: { email: 'ada@example.com' }, properties: {} }),
    ],
  }),
  example('Subscribe adds nobody who refused advertising', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    consent: { advertising: 'denied' },
    secrets: { OMNISEND_OPT_IN: '1' },
    sends: [sent('subscribed', { contact: { email: 'ada@example.com' }, properties: {} })],
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
