import { Type } from '#contract/schema.ts'
import { bearerOf, currency, type Got, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'

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
/** A recommended event without one of these fields is silently accepted as a custom event. */
const recommended: Record<string, (value: unknown) => string[]> = {
  'ecommerce.product_viewed': insist(
    Type.Object({ ...shared, product_id: text, product_name: text, variant_id: text, price: Type.Number() }),
  ),
  'ecommerce.cart_updated': insist(Type.Object({ ...order, cart_id: text })),
  'ecommerce.checkout_started': insist(Type.Object({ ...order, checkout_id: text })),
  'ecommerce.order_placed': insist(Type.Object({ ...order, order_id: text })),
  'ecommerce.order_refunded': insist(Type.Object({ ...order, order_id: text })),
}
const lists = ['attributes', 'events', 'purchases'] as const
const insistOn = {
  attributes: insist(Type.Object(ids)),
  events: insist(Type.Object({ ...ids, name: text, time, properties: Type.Optional(Type.Object({})) })),
  purchases: insist(
    Type.Object({
      ...ids,
      product_id: Type.String({ minLength: 1, maxLength: 255 }),
      currency,
      price: Type.Number(),
      quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      time,
    }),
  ),
}
const Identify = Type.Object({
  emails_to_identify: Type.Array(
    Type.Object({ external_id: text, email: text, prioritization: Type.Array(text, { minItems: 1 }) }),
    { minItems: 1, maxItems: 50 },
  ),
  merge_behavior: Type.Union([Type.Literal('none'), Type.Literal('merge')]),
})
const insistOnIdentify = insist(Identify)

type Told = Record<string, unknown> & { name?: string; properties?: Record<string, unknown> }
type Body = Partial<Record<(typeof lists)[number], Told[]>>
const bodyOf = ({ json }: Got) => (json ?? {}) as Body

const wrongWith = (list: (typeof lists)[number], row: Told): string[] => [
  ...insistOn[list](row),
  ...unless(
    Object.keys(ids).some((id) => row[id]),
    "'external_id', 'braze_id', 'user_alias', 'email' or 'phone' is required",
  ),
  ...(recommended[row.name ?? '']?.(row.properties ?? {}) ?? []),
  ...unless(!Object.keys(row.properties ?? {}).some((key) => key.startsWith('$')), 'No property begins with $.'),
]
/** The first error of each row, as an answer names it. */
const errorsIn = (got: Got) =>
  lists.flatMap((input_array) =>
    (bodyOf(got)[input_array] ?? []).flatMap((row, index) => {
      const [type] = wrongWith(input_array, row)
      return type === undefined ? [] : [{ type, input_array, index }]
    }),
  )
const countIn = (got: Got) => lists.reduce((sum, list) => sum + (bodyOf(got)[list]?.length ?? 0), 0)

const said = (message: string, more: object = {}) => ({ message, ...more })

/** https://www.braze.com/docs/api/endpoints/user_data/post_user_track */
export const braze: MockVendor = {
  hosts: /^rest\.[a-z]+-\d+\.braze\.(com|eu)$/,
  check: (got) => ({
    key: keyProblem(bearerOf(got)),
    payload:
      got.path === '/users/identify'
        ? insistOnIdentify(got.json)
        : [
            ...unless(got.method === 'POST' && got.path === '/users/track', 'The path is not there.'),
            ...unless(countIn(got) > 0 && countIn(got) <= 75, 'One to 75 objects are taken.'),
            ...errorsIn(got).map(({ type, input_array, index }) => `${input_array}/${index}: ${type}`),
          ],
  }),
  good: ({ json }) => ({
    status: 201,
    json: said('success', { events_processed: (json as Body).events?.length ?? 0 }),
  }),
  failures: {
    badKey: { reply: (says) => ({ status: 401, json: said(`Invalid API Key. ${says}`) }), means: 'keyRejected' },
    // the valid rows of a request are accepted and the others named; a request without valid rows is refused
    badPayload: {
      reply(says, got) {
        const errors = errorsIn(got)
        const isSome = errors.length > 0 && errors.length < countIn(got)
        return isSome
          ? { status: 201, json: said('success', { errors }) }
          : { status: 400, json: said(says, { errors }) }
      },
      means: 'payloadRefused',
    },
    dropped: {
      reply: (type, got) => ({
        status: 201,
        json: said('success', {
          errors: [{ type, input_array: lists.find((list) => bodyOf(got)[list]?.length), index: 0 }],
        }),
      }),
      means: 'payloadRefused',
    },
    throttled: {
      reply: (says) => ({ status: 429, headers: { 'x-ratelimit-reset': '3' }, json: said(says) }),
      means: 'throttled',
    },
  },
}
