import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, insist, only, text, time, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const item = Type.Object(
  {
    productID: Type.Optional(text),
    productVariantID: Type.Optional(text),
    productSKU: Type.Optional(text),
    productTitle: Type.Optional(text),
    productQuantity: Type.Integer({ minimum: 1 }),
    productPrice: Type.Optional(Type.Number()),
    productURL: Type.Optional(text),
    productImageURL: Type.Optional(text),
  },
  { additionalProperties: false },
)
const lineItems = Type.Array(item)
const cart = {
  cartID: text,
  abandonedCheckoutURL: Type.Optional(text),
  currency: Type.Optional(currency),
  value: Type.Optional(Type.Number()),
  lineItems,
}
const recommended: Readonly<Record<string, { version: string; wrongWith: (value: unknown) => string[] }>> = {
  'viewed product': {
    version: 'v4',
    wrongWith: insist(
      only({
        product: only({
          id: text,
          title: text,
          price: Type.Number(),
          currency,
          url: text,
          imageUrl: text,
          status: text,
        }),
      }),
    ),
  },
  'added product to cart': {
    version: '',
    wrongWith: insist(Type.Object({ ...cart, addedItem: Type.Optional(item) }, { additionalProperties: false })),
  },
  'started checkout': { version: '', wrongWith: insist(Type.Object(cart, { additionalProperties: false })) },
  'placed order': {
    version: 'v2',
    wrongWith: insist(
      Type.Object(
        {
          orderID: text,
          orderNumber: text,
          createdAt: time,
          currency,
          totalPrice: Type.Number(),
          paymentStatus: Type.Enum([
            'awaitingPayment',
            'paid',
            'partiallyPaid',
            'partiallyRefunded',
            'refunded',
            'voided',
          ]),
          fulfillmentStatus: Type.Enum(['unfulfilled', 'inProgress', 'fulfilled', 'delivered', 'restocked']),
          lineItems,
        },
        { additionalProperties: false },
      ),
    ),
  },
}
/** A custom event has flat properties and no version. */
const custom = insist(
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
    additionalProperties: false,
  }),
)

type Body = { eventName?: string; eventVersion?: string; properties?: unknown }
const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
const error = (status: number, title: string) => (detail: string) => ({ status, json: { title, error: detail } })

/** https://api-docs.omnisend.com/reference-link/events */
const events = simpleVendor({
  hosts: /^api\.omnisend\.com$/,
  path: /^\/api\/events$/,
  key: ({ headers }) => /^Omnisend-API-Key (\S+)$/.exec(headers.authorization ?? '')?.[1],
  headers: { 'content-type': /^application\/json/, 'omnisend-version': /^\d{4}-\d\d-\d\d$/ },
  json: Type.Object(
    {
      eventName: text,
      eventID: Type.String({ pattern: uuid }),
      eventTime: Type.Optional(time),
      eventVersion: Type.Optional(Type.String()),
      origin: Type.Literal('api'),
      contact: only({
        id: Type.String({ pattern: '^[0-9a-fA-F]{24}$' }),
        email: text,
        phone: Type.String({ pattern: '^\\+\\d{8,15}$' }),
        firstName: text,
        lastName: text,
        gender: Type.Enum(['f', 'm']),
        birthdate: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
        city: text,
        state: text,
        postalCode: text,
        country: text,
        countryCode: Type.String({ pattern: '^[A-Z]{2}$' }),
      }),
      properties: Type.Object({}),
    },
    { additionalProperties: false },
  ),
  also({ json }) {
    const { eventName = '', eventVersion, properties } = (json ?? {}) as Body
    const known = recommended[eventName]
    return [
      ...unless(eventVersion === known?.version, `The version ${eventVersion} of ${eventName} is not known.`),
      ...(known?.wrongWith ?? custom)(properties ?? {}),
    ]
  },
  good: { status: 202 },
  badKey: error(401, 'unauthorized'),
  badPayload: error(400, 'bad request'),
  failures: {
    noScope: { reply: error(403, 'forbidden'), means: 'payloadRefused' },
    invalid: { reply: error(422, 'unprocessable'), means: 'payloadRefused' },
    throttled: { reply: error(429, 'too many requests'), means: 'throttled' },
  },
})

/** The update of a person. */
const updates = withEndpoint(events, {
  method: 'PATCH',
  path: /^\/api\/contacts$/,
  query: Type.Object({ email: text }, { additionalProperties: false }),
  json: only({
    firstName: text,
    lastName: text,
    gender: Type.Enum(['f', 'm']),
    birthdate: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
    city: text,
    state: text,
    postalCode: text,
    country: text,
    countryCode: Type.String({ pattern: '^[A-Z]{2}$' }),
    customProperties: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      minProperties: 1,
    }),
  }),
  good: { status: 200, json: {} },
})

/** The subscription of a person. */
export const omnisend = withEndpoint(updates, {
  method: 'POST',
  path: /^\/api\/contacts$/,
  json: Type.Object(
    {
      identifiers: Type.Array(
        Type.Object({
          type: Type.Literal('email'),
          id: text,
          channels: Type.Object({ email: Type.Object({ status: Type.Literal('subscribed'), statusChangedAt: time }) }),
        }),
        { minItems: 1 },
      ),
    },
    { additionalProperties: false },
  ),
  good: { status: 200, json: { contactID: '1' } },
})
