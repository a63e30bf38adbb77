import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = { CUSTOMER_IO_SITE_ID: 'site', CUSTOMER_IO_API_KEY: 'track-key' }
const known = { user: { customerId: 'customer-1', email: 'ada@example.com' }, secrets }
const example = exampleLike(known)
const names = {
  ViewContent: 'product_viewed',
  AddToCart: 'product_added',
  RemoveFromCart: 'product_removed',
  InitiateCheckout: 'checkout_started',
  AddShippingInfo: 'shipping_info_added',
  AddPaymentInfo: 'payment_info_entered',
  Purchase: 'order_completed',
  Refund: 'order_refunded',
  Subscribe: 'subscribed',
  Search: 'products_searched',
  Lead: 'lead',
}
const headers = {
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from('site:track-key').toString('base64')}`,
}
const items = [{ id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2, category: 'Shoes', variant: 'red' }]
const attributes = { value: 59.98, currency: 'EUR', items, event_id: 'evt-1' }
// 1700000000000 ms in Crockford's base 32, and the first ten bytes of the SHA-1 of evt-1
const ulid = '01HF7YAT00E004ZZWG8N0R96K7'

const sent = (name: string, more: object = {}) => ({
  url: 'https://track.customer.io/api/v2/entity',
  headers,
  body: {
    type: 'person',
    identifiers: { id: 'customer-1' },
    action: 'event',
    name,
    id: ulid,
    timestamp: 1_700_000_000,
    attributes,
    ...more,
  },
})

/** Sent first: adds the e-mail to the person with the id, so that an order with only an e-mail finds this person. */
const joined = {
  url: 'https://track.customer.io/api/v2/entity',
  headers,
  body: {
    type: 'person',
    identifiers: { id: 'customer-1' },
    action: 'identify',
    attributes: { email: 'ada@example.com' },
  },
}

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} of a known person`, {
      event: { eventName, data: cart },
      sends: [...(['Purchase', 'Subscribe', 'Lead'].includes(eventName) ? [joined] : []), sent(name)],
    }),
  ),
  example('a page of a person known by the e-mail, in Europe', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/a', pageTitle: 'A' },
    user: { email: ' Ada@Example.com' },
    secrets: { CUSTOMER_IO_REGION: 'eu' },
    sends: [
      {
        ...sent('https://shop.example/a', {
          identifiers: { email: 'ada@example.com' },
          action: 'page',
          attributes: { event_id: 'evt-1', page_url: 'https://shop.example/a', page_title: 'A' },
        }),
        url: 'https://track-eu.customer.io/api/v2/entity',
      },
    ],
  }),
  example('a page view without an address is an event', {
    event: { eventName: 'PageView' },
    sends: [sent('page_viewed', { attributes: { event_id: 'evt-1' } })],
  }),
  example('an order in yen, net, with a ULID as its event id', {
    event: {
      eventName: 'Purchase',
      eventId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001', userEmail: 'x@y.example' },
    },
    purchaseValueMode: 'net',
    sends: [
      joined,
      sent('order_completed', {
        id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
        attributes: {
          value: 1000,
          currency: 'JPY',
          order_id: 'A-1001',
          event_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
          tax: 250,
        },
      }),
    ],
  }),
  example('a custom event; what would change the sender or the recipient of a campaign has another name', {
    event: { eventName: ' Quiz finished ', data: { score: 7, recipient: 'x', from_address: 'y', reply_to: 'z' } },
    sends: [
      sent('Quiz finished', {
        attributes: { event_id: 'evt-1', score: 7, event_recipient: 'x', event_from_address: 'y', event_reply_to: 'z' },
      }),
    ],
  }),
  example('an event of a visitor whom only the cookie names', {
    event: { eventName: 'AddToCart', data: cart },
    captured: { _cioanonid: '37ed9b33-f752-40ce-c317-d38af7ec0dca' },
    sends: [
      {
        url: 'https://track.customer.io/api/v1/events',
        headers,
        body: {
          name: 'product_added',
          id: ulid,
          timestamp: 1_700_000_000,
          anonymous_id: '37ed9b33-f752-40ce-c317-d38af7ec0dca',
          data: attributes,
        },
      },
    ],
    user: undefined,
  }),
  example('a page of such a visitor', {
    event: { eventName: 'PageView', pageUrl: 'https://shop.example/a' },
    captured: { _cioanonid: 'anon-1' },
    sends: [
      {
        url: 'https://track.customer.io/api/v1/events',
        headers,
        body: {
          type: 'page',
          name: 'https://shop.example/a',
          id: ulid,
          timestamp: 1_700_000_000,
          anonymous_id: 'anon-1',
          data: { event_id: 'evt-1', page_url: 'https://shop.example/a' },
        },
      },
    ],
    user: undefined,
  }),
  example('what became known of a person updates the profile, and subscribes nobody', {
    kind: 'user',
    event: { eventName: 'user', data: { email: 'ada.lovelace@gmail.com', tier: 'gold' } },
    user: ada,
    custom: { tier: 'gold' },
    sends: [
      {
        url: 'https://track.customer.io/api/v2/entity',
        headers,
        body: {
          type: 'person',
          identifiers: { id: 'customer-1' },
          action: 'identify',
          attributes: {
            email: 'ada.lovelace@gmail.com',
            phone: '+491701234567',
            first_name: 'Ada',
            last_name: 'Lovelace',
            gender: 'Female',
            birthday: '1990-12-10',
            city: 'London',
            state: 'England',
            zip: 'W1A 1AA',
            country: 'United Kingdom',
          },
        },
      },
    ],
  }),
  example('a phone number identifies nobody', {
    event: { eventName: 'Lead', data: cart },
    user: { phone: '+491701234567' },
    sends: { skipped: 'identityMissing' },
  }),
  example('what became known of an anonymous visitor has no profile', {
    kind: 'user',
    event: { eventName: 'user', data: { firstName: 'Ada' } },
    user: { firstName: 'Ada' },
    captured: { _cioanonid: 'anon-1' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: [
        {
          url: 'https://track.customer.io/api/v1/events',
          headers: { 'content-type': 'application/json', authorization: 'Basic c2l0ZTp0cmFjay1rZXk=' },
          body: {
            name: 'lead',
            id: '01HF7YAT00E004ZZWG8N0R96K7',
            timestamp: 1700000000,
            anonymous_id: 'usr_1',
            data: { event_id: 'evt-1' },
          },
        },
      ],
      email: [
        like(sent('lead', { attributes: { event_id: 'evt-1' } }), {
          body: { identifiers: { id: undefined, email: 'ada.lovelace@gmail.com' } },
        }),
      ],
      customer: [
        {
          url: 'https://track.customer.io/api/v2/entity',
          headers: { 'content-type': 'application/json', authorization: 'Basic c2l0ZTp0cmFjay1rZXk=' },
          body: {
            type: 'person',
            identifiers: { id: 'customer-1' },
            action: 'identify',
            attributes: { email: 'ada.lovelace@gmail.com' },
          },
        },
        sent('lead', { attributes: { event_id: 'evt-1' } }),
      ],
    },
  ),
]
