import { Type } from '#contract/schema.ts'
import { basicOf, currency, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const amount = Type.Optional(Type.Number())
const item = {
  product_id: Type.Optional(text),
  product_variant_id: Type.Optional(text),
  sku: Type.Optional(text),
  name: text,
  brand: Type.Optional(text),
  categories: Type.Optional(Type.Array(text)),
  price: amount,
  quantity: Type.Integer({ minimum: 1 }),
  total: amount,
  product_url: Type.Optional(text),
  image_url: Type.Optional(text),
}
const common = {
  provider: Type.String({ pattern: '^[a-z0-9_]+$' }),
  email: text,
  // an unknown person is subscribed without it
  initial_status: Type.Literal('unsubscribed'),
  occurred_at: time,
  grand_total: amount,
  currency: Type.Optional(currency),
  items: Type.Array(Type.Object(item, { additionalProperties: false })),
}
const order = Type.Object(
  {
    ...common,
    action: Type.Enum(['placed', 'updated', 'paid', 'fulfilled', 'refunded', 'canceled']),
    order_id: text,
    order_public_id: Type.Optional(text),
    total_discounts: amount,
    total_taxes: amount,
    total_shipping: amount,
  },
  { additionalProperties: false },
)
const event = Type.Object(
  {
    email: text,
    action: text,
    occurred_at: time,
    properties: Type.Object({ value: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_646 })) }),
  },
  { additionalProperties: false },
)
const routes: Readonly<Record<string, (value: unknown) => string[]>> = {
  'v3/shopper_activity/order': insist(order),
  'v3/shopper_activity/order/batch': insist(Type.Object({ orders: Type.Array(order, { maxItems: 1_000 }) })),
  'v3/shopper_activity/cart': insist(
    Type.Object({ ...common, action: Type.Enum(['created', 'updated']), cart_id: text, cart_url: text }),
  ),
  'v3/shopper_activity/checkout': insist(Type.Object({ ...common, action: text, checkout_id: text })),
  'v2/subscribers': insist(
    Type.Object({
      subscribers: Type.Array(
        Type.Object(
          {
            email: text,
            initial_status: Type.Literal('unsubscribed'),
            first_name: Type.Optional(text),
            last_name: Type.Optional(text),
            phone: Type.Optional(text),
            city: Type.Optional(text),
            state: Type.Optional(text),
            zip: Type.Optional(text),
            country: Type.Optional(text),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 1 },
      ),
    }),
  ),
  'v2/events': insist(Type.Object({ events: Type.Array(event, { minItems: 1, maxItems: 1 }) })),
  'v2/events/batches': insist(
    Type.Object({ batches: Type.Array(Type.Object({ events: Type.Array(event, { maxItems: 1_000 }) })) }),
  ),
}
const routeOf = (path: string) => path.replace(/^\/(v\d)\/\d+\//, '$1/')
const error = (status: number, code: string) => (message: string) => ({ status, json: { errors: [{ code, message }] } })

/** https://developer.drip.com/#shopper-activity */
const events: MockVendor = {
  hosts: /^api\.getdrip\.com$/,
  check: (got) => ({
    key: keyProblem(basicOf(got)?.user),
    payload: [
      ...unless(got.method === 'POST', 'Send a POST.'),
      ...unless(Boolean(got.headers['user-agent']), 'The header User-Agent is required.'),
      ...(routes[routeOf(got.path)]?.(got.json) ?? ['The path is not there.']),
    ],
  }),
  good({ path }) {
    if (routeOf(path) === 'v2/events') return { status: 204 }
    if (path.endsWith('/subscribers')) return { status: 200, json: { subscribers: [{ id: 's-1' }] } }
    return path.endsWith('/batches') ? { status: 201, json: {} } : { status: 202, json: { request_id: 'r-1' } }
  },
  failures: {
    badKey: { reply: error(401, 'authentication_error'), means: 'keyRejected' },
    badPayload: { reply: error(422, 'invalid_error'), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, json: { message: says } }), means: 'throttled' },
  },
}

/** The subscription of a person. */
export const drip = withEndpoint(events, {
  method: 'POST',
  path: /^\/v2\/\d+\/campaigns\/\d+\/subscribers$/,
  json: Type.Object({
    subscribers: Type.Array(Type.Object({ email: text }, { additionalProperties: false }), {
      minItems: 1,
      maxItems: 1,
    }),
  }),
  good: { status: 201, json: {} },
})
