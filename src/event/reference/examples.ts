/** A request to `POST {tag_url}/tag` and its response in the event reference. A test sends each example. */
export type EventExample = {
  title: string
  /** Headers in addition to `Content-Type: application/json`. */
  headers?: Readonly<Record<string, string>>
  query?: string
  body: object
  status: number
  /** `…` at the end of a text matches any continuation. */
  answer: object
}

const consent = { storage: { service: { consent: { all: true } } } }
const timestamp = Date.UTC(2026, 10, 20, 12)
const purchase = { eventName: 'Purchase', eventId: 'order-1001', timestamp }

/** Examples in which each call comes from a server, without a token unless one is shown. */
export const eventReferenceExamples: readonly EventExample[] = [
  {
    title: 'A purchase of a known user, with products and consent',
    headers: { ServiceUserId: 'usr_7n2k9x4m1q8w5e3r6t0y2p4s8d' },
    body: {
      ...purchase,
      userEmail: 'jane@example.com',
      pageUrl: 'https://shop.example.com/thanks?fbclid=abc',
      data: {
        value: 84.9,
        currency: 'EUR',
        orderId: '1001',
        tax: 13.55,
        shipping: 4.95,
        contents: [{ id: 'sku-1', title: 'Shoes', quantity: 1, item_price: 79.95 }],
      },
      ...consent,
    },
    status: 200,
    answer: { result: { eventId: 'order-1001', userId: 'usr_7n2k9x4m1q8w5e3r6t0y2p4s8d', status: 'accepted' } },
  },
  {
    title: 'Consent by category, for two channels only',
    headers: { ServiceUserId: 'usr_7n2k9x4m1q8w5e3r6t0y2p4s8d' },
    body: {
      eventName: 'AddToCart',
      eventId: 'cart-1',
      timestamp,
      data: { value: 30, currency: 'EUR' },
      providers: { all: false, facebook: true, klaviyo: { Newsletter: true } },
      storage: { service: { consentCategories: { advertising: true, analytics: false, share_pii: false } } },
    },
    status: 200,
    answer: { result: { eventId: 'cart-1', userId: 'usr_7n2k9x4m1q8w5e3r6t0y2p4s8d', status: 'accepted' } },
  },
  {
    title: 'A field in the wrong place is accepted with a warning, and an e-mail alone names no user',
    body: { ...purchase, eventId: 'order-1002', userEmail: 'jane@example.com', consent: { all: true } },
    status: 200,
    answer: {
      result: {
        eventId: 'order-1002',
        userId: 'usr_…',
        status: 'accepted',
        warnings: [
          '"consent" is not a field of an event: consent belongs at storage.service.consent',
          'userEmail does not identify a user without an access token, so this event has a new user. …',
        ],
      },
    },
  },
  {
    title: 'An array: each event has its own result',
    body: [
      { eventName: 'PageView', eventId: 'view-1', timestamp, ...consent },
      { eventName: 'PageView', eventId: 'view-1', timestamp, ...consent },
      { eventName: 'PageView', eventId: 'view-2', timestamp: timestamp / 1000 },
    ],
    status: 200,
    answer: {
      result: [
        { eventId: 'view-1', userId: 'usr_…', status: 'accepted' },
        { eventId: 'view-1', userId: 'usr_…', status: 'duplicate' },
        {
          eventId: 'view-2',
          userId: 'usr_…',
          status: 'rejected',
          message: 'timestamp is in seconds: send epoch milliseconds',
        },
      ],
    },
  },
  {
    title: 'An event that cannot be accepted',
    body: { eventName: 'Purchase', timestamp },
    status: 400,
    answer: {
      message: 'eventId: is required.',
      statusCode: 400,
      error: 'BAD_REQUEST',
      attributes: { issues: [{ path: 'eventId', message: 'is required' }] },
    },
  },
]
