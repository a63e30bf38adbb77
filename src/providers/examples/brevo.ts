import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { BREVO_API_KEY: 'xkeysib-test' }
const known = { user: { email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const headers = { 'content-type': 'application/json', accept: 'application/json', 'api-key': 'xkeysib-test' }
const items = [{ product_id: 'sku-1', variant_id: 'red', name: 'Runner', category: 'Shoes', price: 29.99, quantity: 2 }]
const money = { value: 59.98, currency: 'EUR' }
const names = {
  PageView: 'page_viewed',
  ViewContent: 'product_viewed',
  AddToCart: 'cart_updated',
  RemoveFromCart: 'cart_updated',
  InitiateCheckout: 'checkout_started',
  AddShippingInfo: 'shipping_info_added',
  AddPaymentInfo: 'payment_info_added',
  Purchase: 'order_completed',
  Subscribe: 'subscribed',
  Search: 'searched',
  Lead: 'lead',
}

const sent = (event_name: string, more: object) => ({
  url: 'https://api.brevo.com/v3/events',
  headers,
  body: {
    event_name,
    event_date: '2023-11-14T22:13:20.000Z',
    identifiers: { email_id: 'ada@example.com' },
    ...more,
  },
})

const order = (more: object) => ({
  url: 'https://api.brevo.com/v3/orders/status',
  headers,
  body: {
    id: 'A-1001',
    createdAt: '2023-11-14T22:13:20Z',
    updatedAt: '2023-11-14T22:13:20Z',
    status: 'completed',
    products: [{ productId: 'sku-1', variantId: 'red', price: 29.99, quantity: 2 }],
    ...more,
  },
})

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sent('lead', {}), {
    body: { identifiers: { email_id: 'ada.lovelace@gmail.com', ...person }, event_properties: {} },
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the items of the cart`, {
      event: { eventName, data: cart },
      sends: [sent(name, { event_properties: { ...money, items } })],
    }),
  ),
  example('an order, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      pageUrl: 'https://shop.example/thanks',
      data: { ...cart, value: 119, tax: 19, shipping: 4.95, orderId: 'A-1001', gift: true, userEmail: 'x@y.example' },
    },
    user: ada,
    purchaseValueMode: 'net',
    sends: [
      sent('order_completed', {
        identifiers: { email_id: 'ada.lovelace@gmail.com', phone_id: '+491701234567', ext_id: 'customer-1' },
        contact_properties: { FIRSTNAME: 'Ada', LASTNAME: 'Lovelace' },
        event_properties: {
          order_id: 'A-1001',
          value: 95.05,
          currency: 'EUR',
          tax: 19,
          shipping: 4.95,
          page_url: 'https://shop.example/thanks',
          gift: true,
          items,
        },
      }),
    ],
  }),
  example('an order in yen that is stored as an order, too', {
    event: {
      eventName: 'Purchase',
      data: { ...cart, value: 1250, currency: 'JPY', orderId: 'A-1001', discounts: [{ code: 'TEN' }] },
    },
    user: { email: 'ada@example.com', customerId: 'customer-1' },
    secrets: { BREVO_SYNC_ORDERS: '1' },
    replies: [{ status: 204 }],
    sends: [
      sent('order_completed', {
        identifiers: { email_id: 'ada@example.com', ext_id: 'customer-1' },
        event_properties: { order_id: 'A-1001', value: 1250, currency: 'JPY', coupon: 'TEN', items },
      }),
      order({
        amount: 1250,
        email: 'ada@example.com',
        identifiers: { email_id: 'ada@example.com', ext_id: 'customer-1' },
        coupons: ['TEN'],
      }),
    ],
  }),
  example('an order without a value is an event only', {
    event: { eventName: 'Purchase', data: { orderId: 'A-1001' } },
    user: { phone: '+49 170 1234567' },
    secrets: { BREVO_SYNC_ORDERS: '1' },
    sends: [
      sent('order_completed', { identifiers: { phone_id: '+491701234567' }, event_properties: { order_id: 'A-1001' } }),
    ],
  }),
  example('a custom event: other characters of names and keys become _', {
    event: { eventName: 'Quiz finished!', data: { 'own score': 7 } },
    user: { customerId: 'customer-1' },
    sends: [sent('Quiz_finished_', { identifiers: { ext_id: 'customer-1' }, event_properties: { own_score: 7 } })],
  }),
  example('a refund as a custom event', {
    event: { eventName: 'Refund', data: { orderId: 'A-1001', value: 10, currency: 'EUR' } },
    sends: [sent('Refund', { event_properties: { order_id: 'A-1001', value: 10, currency: 'EUR' } })],
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: ada,
    sends: [
      {
        url: 'https://api.brevo.com/v3/contacts',
        headers,
        body: {
          email: 'ada.lovelace@gmail.com',
          ext_id: 'customer-1',
          attributes: { FIRSTNAME: 'Ada', LASTNAME: 'Lovelace', SMS: '+491701234567' },
          updateEnabled: true,
        },
      },
    ],
  }),
  example('nothing became known of a person that has an attribute', {
    kind: 'user',
    event: { eventName: 'user', data: { favourite: 'blue' } },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'filtered' },
  }),
  example('an invalid phone number is omitted and identifies nobody', {
    event: { eventName: 'PageView' },
    user: { phone: '12345' },
    sends: { skipped: 'identityMissing' },
  }),
  example('Subscribe adds the person to what the customer set', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    secrets: { BREVO_LIST_ID: '2' },
    replies: [{ status: 201, json: { id: 1 } }],
    sends: [
      {
        url: 'https://api.brevo.com/v3/contacts',
        headers,
        body: { email: 'ada@example.com', listIds: [2], updateEnabled: true },
      },
      sent('subscribed', { event_properties: {} }),
    ],
  }),
  example('Subscribe adds nobody who refused advertising', {
    event: { eventName: 'Subscribe' },
    user: { email: 'ada@example.com' },
    consent: { advertising: 'denied' },
    secrets: { BREVO_LIST_ID: '2' },
    sends: [sent('subscribed', { event_properties: {} })],
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({}),
      customer: sentForPerson({ ext_id: 'customer-1' }),
    },
  ),
]
