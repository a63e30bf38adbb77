import { Type } from '#contract/schema.ts'
import { bearerOf, currency, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'

const ids = {
  external_id: Type.Optional(text),
  email: Type.Optional(text),
  phone: Type.Optional(Type.String({ pattern: '^\\+\\d{7,15}$' })),
  user_alias: Type.Optional(Type.Object({ alias_name: text, alias_label: text })),
  braze_id: Type.Optional(text),
}
const product = Type.Object({
  product_id: text,
  product_name: text,
  variant_id: text,
  quantity: Type.Number(),
  price: Type.Number(),
})
const shared = { currency, source: text }
const order = { ...shared, products: Type.Array(product), total_value: Type.Number() }
/** A recommended event that lacks one of these is taken as a plain custom event, without a word. */
const recommended: Record<string, (value: unknown) => string[]> = {
  'ecommerce.product_viewed': insist(
    Type.Object({ ...shared, product_id: text, product_name: text, variant_id: text, price: Type.Number() }),
  ),
  'ecommerce.cart_updated': insist(Type.Object({ ...order, cart_id: text })),
  'ecommerce.checkout_started': insist(Type.Object({ ...order, checkout_id: text })),
  'ecommerce.order_placed': insist(Type.Object({ ...order, order_id: text })),
  'ecommerce.order_refunded': insist(Type.Object({ ...order, order_id: text })),
}
const insistBody = insist(
  Type.Object({
    attributes: Type.Optional(Type.Array(Type.Object(ids), { maxItems: 75 })),
    events: Type.Optional(
      Type.Array(Type.Object({ ...ids, name: text, time, properties: Type.Optional(Type.Object({})) }), {
        maxItems: 75,
      }),
    ),
    purchases: Type.Optional(
      Type.Array(
        Type.Object({
          ...ids,
          product_id: Type.String({ minLength: 1, maxLength: 255 }),
          currency,
          price: Type.Number(),
          quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
          time,
        }),
        { maxItems: 75 },
      ),
    ),
  }),
)
type Told = Record<string, unknown> & { name?: string; properties?: Record<string, unknown> }
type Body = { attributes?: Told[]; events?: Told[]; purchases?: Told[] }
const said = (message: string, more: object = {}) => ({ message, ...more })

/** https://www.braze.com/docs/api/endpoints/user_data/post_user_track */
export const braze: MockVendor = {
  hosts: /^rest\.[a-z]+-\d+\.braze\.(com|eu)$/,
  check(got) {
    const { attributes = [], events = [], purchases = [] } = (got.json ?? {}) as Body
    const all = [...attributes, ...events, ...purchases]
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(got.method === 'POST' && got.path === '/users/track', 'The path is not there.'),
        ...insistBody(got.json),
        ...unless(all.length > 0 && all.length <= 75, 'One to 75 objects are taken.'),
        ...unless(
          all.every((each) => Object.keys(ids).some((id) => each[id])),
          'Each object needs an identifier.',
        ),
        ...events.flatMap(({ name = '', properties = {} }) => [
          ...(recommended[name]?.(properties) ?? []),
          ...unless(!Object.keys(properties).some((key) => key.startsWith('$')), 'No property begins with $.'),
        ]),
      ],
    }
  },
  good: ({ json }) => ({
    status: 201,
    json: said('success', { events_processed: (json as Body).events?.length ?? 0 }),
  }),
  failures: {
    badKey: { reply: (says) => ({ status: 401, json: said(`Invalid API Key. ${says}`) }), means: 'keyRejected' },
    badPayload: { reply: (says) => ({ status: 400, json: said(says) }), means: 'payloadRefused' },
    dropped: {
      reply: (says) => ({
        status: 201,
        json: said('success', { errors: [{ type: says, input_array: 'events', index: 0 }] }),
      }),
      means: 'payloadRefused',
    },
    throttled: {
      reply: (says) => ({ status: 429, headers: { 'x-ratelimit-reset': '3' }, json: said(says) }),
      means: 'throttled',
    },
  },
}
