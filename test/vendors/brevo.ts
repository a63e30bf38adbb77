import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { insist, only, text, time, unless } from './vendor.ts'

const key = '^[A-Za-z0-9_-]{1,255}$'
const identifiers = Type.Object(
  {
    email_id: Type.Optional(text),
    phone_id: Type.Optional(Type.String({ pattern: '^\\+\\d{8,15}$' })),
    ext_id: Type.Optional(text),
  },
  { additionalProperties: false, minProperties: 1 },
)
const values = Type.Record(Type.String({ pattern: key }), Type.Unknown(), { additionalProperties: false })
const event = Type.Object(
  {
    event_name: Type.String({ pattern: key }),
    event_date: Type.Optional(time),
    identifiers,
    contact_properties: Type.Optional(only({ FIRSTNAME: text, LASTNAME: text })),
    event_properties: Type.Optional(values),
  },
  { additionalProperties: false },
)
const second = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' })
const order = Type.Object({
  id: text,
  createdAt: second,
  updatedAt: second,
  status: text,
  amount: Type.Number(),
  products: Type.Array(
    Type.Object({
      productId: text,
      price: Type.Number(),
      quantity: Type.Optional(Type.Integer()),
      quantityFloat: Type.Optional(Type.Number()),
    }),
  ),
  identifiers: Type.Optional(identifiers),
  coupons: Type.Optional(Type.Array(text)),
})
const contact = Type.Object(
  {
    email: Type.Optional(text),
    ext_id: Type.Optional(text),
    attributes: Type.Optional(only({ FIRSTNAME: text, LASTNAME: text, SMS: text })),
    listIds: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1 })),
    updateEnabled: Type.Literal(true),
  },
  { additionalProperties: false },
)
const bodies: Readonly<Record<string, (value: unknown) => string[]>> = {
  '/v3/events': insist(event),
  '/v3/events/batch': insist(Type.Object({ events: Type.Array(event, { minItems: 1, maxItems: 100 }) })),
  '/v3/orders/status': insist(order),
  '/v3/contacts': insist(contact),
}
const sizes = (json: unknown) =>
  [json, (json as { events?: unknown[] } | undefined)?.events ?? []]
    .flat()
    .map((each) => JSON.stringify((each as { event_properties?: unknown } | null)?.event_properties ?? {}).length)

const error = (status: number, code: string) => (message: string) => ({ status, json: { code, message } })

/** https://developers.brevo.com/reference/create-event, /create-batch-events, /create-order */
export const brevo = simpleVendor({
  hosts: /^api\.brevo\.com$/,
  path: /^\/v3\/(events|events\/batch|orders\/status|contacts)$/,
  key: ({ headers }) => headers['api-key'],
  headers: { 'content-type': /^application\/json/ },
  also: ({ path, json }) => [
    ...(bodies[path]?.(json) ?? []),
    ...unless(
      sizes(json).every((size) => size <= 50_000),
      'The event properties have more than 50 kB.',
    ),
  ],
  good: { status: 204 },
  badKey: error(401, 'unauthorized'),
  badPayload: error(400, 'invalid_parameter'),
  failures: {
    noCredits: { reply: error(402, 'not_enough_credits'), means: 'payloadRefused' },
    throttled: { reply: error(429, 'too_many_requests'), means: 'throttled' },
  },
})
