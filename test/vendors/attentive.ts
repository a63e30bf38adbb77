import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, currency, insist, only, text, time, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const user = Type.Object(
  {
    phone: Type.Optional(Type.String({ pattern: '^\\+\\d{8,15}$' })),
    email: Type.Optional(text),
    externalIdentifiers: Type.Optional(only({ clientUserId: text })),
  },
  { additionalProperties: false, minProperties: 1 },
)
const price = Type.Object({ value: Type.Number(), currency }, { additionalProperties: false })
const items = Type.Array(
  Type.Object(
    {
      productId: text,
      productVariantId: text,
      name: Type.Optional(text),
      productImage: Type.Optional(text),
      productUrl: Type.Optional(text),
      price: Type.Array(price, { minItems: 1, maxItems: 1 }),
      quantity: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    { additionalProperties: false },
  ),
  { minItems: 1 },
)
const name = '^[^"\'`(){}\\[\\]\\\\|,]+$'
const shop = insist(Type.Object({ items, occurredAt: time, user }, { additionalProperties: false }))
const bodies: Readonly<Record<string, (value: unknown) => string[]>> = {
  '/v1/events/ecommerce/product-view': shop,
  '/v1/events/ecommerce/add-to-cart': shop,
  '/v1/events/ecommerce/purchase': insist(
    Type.Object({ items, occurredAt: time, user, orderId: text }, { additionalProperties: false }),
  ),
  '/v1/events/custom': insist(
    Type.Object(
      {
        type: Type.String({ pattern: name }),
        externalEventId: text,
        occurredAt: time,
        user,
        properties: Type.Record(
          Type.String({ pattern: name }),
          Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
  ),
}
const error = (status: number) => (message: string) => ({ status, json: { message } })

/** https://docs.attentive.com/openapi/reference/tag/eCommerce/ */
const events = simpleVendor({
  hosts: /^api\.attentivemobile\.com$/,
  path: /^\/v1\/events\//,
  key: bearerOf,
  headers: { 'content-type': /^application\/json/ },
  also: ({ path, json }) => bodies[path]?.(json) ?? unless(false, 'The path is not there.'),
  good: { status: 200 },
  badKey: error(401),
  badPayload: error(400),
  failures: {
    noScope: { reply: error(403), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
})

/** The update of a person. */
export const attentive = withEndpoint(events, {
  method: 'POST',
  path: /^\/v1\/attributes\/custom$/,
  json: Type.Object(
    {
      user,
      properties: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        minProperties: 1,
      }),
    },
    { additionalProperties: false },
  ),
  good: { status: 200 },
})
