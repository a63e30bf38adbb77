import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { ONESIGNAL_APP_ID: '00000000-0000-4000-8000-000000000001', ONESIGNAL_API_KEY: 'os_v2_app_test' }
const known = { user: { customerId: 'customer-1', email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const names = {
  PageView: 'page_view',
  ViewContent: 'view_content',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'initiate_checkout',
  AddShippingInfo: 'add_shipping_info',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'lead',
}
const items = [{ id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2, category: 'Shoes', variant: 'red' }]
const shown = { value: 59.98, currency: 'EUR', items, event_id: 'evt-1' }

const sent = (name: string, properties: object, more: object = {}) => ({
  url: 'https://api.onesignal.com/apps/00000000-0000-4000-8000-000000000001/custom_events',
  headers: { 'content-type': 'application/json', authorization: 'Key os_v2_app_test' },
  body: {
    events: [
      {
        name,
        external_id: 'customer-1',
        timestamp: '2023-11-14T22:13:20.000Z',
        idempotency_key: '508c91af-267b-52ee-b6b8-2c3ae169ff43',
        properties,
        ...more,
      },
    ],
  },
})

/** The requests, the same for each of the three people. */
const sentForPerson = [like(sent('lead', {}), { body: { events: [{ properties: { event_id: 'evt-1' } }] } })]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} of a known user`, { event: { eventName, data: cart }, sends: [sent(name, shown)] }),
  ),
  example('an order in yen, net, with a UUID as its event id', {
    event: {
      eventName: 'Purchase',
      eventId: 'C73BCDCC-2644-4A43-9F5E-0F6A0F2B8C11',
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001', userPhone: '+491701234567' },
    },
    purchaseValueMode: 'net',
    sends: [
      sent(
        'purchase',
        {
          value: 1000,
          currency: 'JPY',
          order_id: 'A-1001',
          event_id: 'C73BCDCC-2644-4A43-9F5E-0F6A0F2B8C11',
          tax: 250,
        },
        { idempotency_key: 'c73bcdcc-2644-4a43-9f5e-0f6a0f2b8c11' },
      ),
    ],
  }),
  example('a custom event under its own name, cut to 128 characters', {
    event: { eventName: 'q'.repeat(130), data: { score: 7 } },
    sends: [sent('q'.repeat(128), { event_id: 'evt-1', score: 7 })],
  }),
  example('an event holds at most 2024 bytes: what does not fit is left out', {
    event: { eventName: 'Lead', data: { ...cart, note: 'x'.repeat(2_000) } },
    sends: [sent('lead', shown)],
  }),
  example('an e-mail address identifies nobody', {
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { points: 7, note: 'not mapped' },
    secrets: { ONESIGNAL_TRAITS: '[["points", "points"], ["city", "city"]]' },
    sends: [
      {
        method: 'PATCH',
        url: 'https://api.onesignal.com/apps/00000000-0000-4000-8000-000000000001/users/by/external_id/customer-1',
        headers: { 'content-type': 'application/json', authorization: 'Key os_v2_app_test' },
        body: { properties: { tags: { points: '7', city: 'London' } } },
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
    { visitor: { skipped: 'identityMissing' }, email: { skipped: 'identityMissing' }, customer: sentForPerson },
  ),
]
