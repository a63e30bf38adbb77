import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const names = {
  PageView: 'pe123_page_view',
  ViewContent: 'pe123_view_content',
  AddToCart: 'pe123_add_to_cart',
  RemoveFromCart: 'pe123_remove_from_cart',
  InitiateCheckout: 'pe123_checkout',
  AddShippingInfo: 'pe123_shipping',
  AddPaymentInfo: 'pe123_payment',
  Purchase: 'pe123_purchase',
  Subscribe: 'pe123_subscribe',
  Search: 'pe123_search',
  Lead: 'pe123_lead',
  'Quiz finished': 'pe123_quiz',
}
const secrets = { HUBSPOT_ACCESS_TOKEN: 'pat-test', HUBSPOT_MAPPED_EVENTS: JSON.stringify(Object.entries(names)) }
const example = exampleLike({ secrets })
const utk = '0123456789abcdef0123456789abcdef'

const sent = (eventName: string, properties: object, ids: object = { email: 'ada@example.com' }) => ({
  url: 'https://api.hubapi.com/events/2026-03/send',
  headers: { 'content-type': 'application/json', authorization: 'Bearer pat-test' },
  body: { eventName, ...ids, occurredAt: '2023-11-14T22:13:20.000Z', uuid: 'evt-1', properties },
})

/** The requests, the same for each of the three people. */
const sentForPerson = [like(sent('Lead', {}), { body: { eventName: 'pe123_lead', email: 'ada.lovelace@gmail.com' } })]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} under the name that it is mapped to`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      user: { email: ' Ada@Example.com' },
      sends: [sent(name, { value: '59.98', currency: 'EUR', order_id: 'A-1001' })],
    }),
  ),
  example('an order in yen, net, by the cookie of the tracking code, with the properties of the customer', {
    event: {
      eventName: 'Purchase',
      data: {
        value: 1250,
        tax: 250,
        currency: 'JPY',
        orderId: 'A-1001',
        gift: true,
        contents: [{ id: 'a', quantity: 2 }, { id: 'b' }],
      },
    },
    purchaseValueMode: 'net',
    captured: { hubspotutk: utk },
    secrets: { HUBSPOT_PROPERTIES: '[["value","amount"],["gift","is_gift"],["itemIds","skus"],["quantity","pieces"]]' },
    sends: [sent('pe123_purchase', { amount: '1000', is_gift: 'true', skus: 'a,b', pieces: '3' }, { utk })],
  }),
  example('an event without a property has empty properties', {
    event: { eventName: 'PageView' },
    user: { email: 'ada@example.com' },
    captured: { hubspotutk: utk },
    sends: [sent('pe123_page_view', {}, { email: 'ada@example.com', utk })],
  }),
  example('an event that is not mapped', {
    event: { eventName: 'Refund', data: cart },
    user: { email: 'ada@example.com' },
    sends: { skipped: 'filtered' },
  }),
  example('a visitor whose cookie is no user token', {
    event: { eventName: 'PageView' },
    captured: { hubspotutk: 'x' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of a person', {
    kind: 'user',
    event: { eventName: 'user', data: { tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold', note: 'not mapped' },
    secrets: { HUBSPOT_TRAITS: '[["tier", "loyalty_tier"]]' },
    sends: [
      {
        url: 'https://api.hubapi.com/crm/v3/objects/contacts/batch/upsert',
        headers: { 'content-type': 'application/json', authorization: 'Bearer pat-test' },
        body: {
          inputs: [
            {
              idProperty: 'email',
              id: 'ada.lovelace@gmail.com',
              properties: {
                firstname: 'Ada',
                lastname: 'Lovelace',
                phone: '+491701234567',
                city: 'London',
                state: 'England',
                zip: 'W1A 1AA',
                country: 'United Kingdom',
                loyalty_tier: 'gold',
              },
            },
          ],
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
  example('a visitor who is known by the cookie alone has no contact to update', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada' } },
    user: { firstName: 'Ada' },
    captured: { hubspotutk: utk },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
