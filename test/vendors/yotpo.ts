import { Type } from '#contract/schema.ts'
import { currency, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'

const amount = Type.Optional(Type.Number())
const insistOrder = insist(
  Type.Object(
    {
      order: Type.Object(
        {
          external_id: text,
          order_date: time,
          total_price: amount,
          subtotal_price: amount,
          currency: Type.Optional(currency),
          payment_status: Type.Enum([
            'pending',
            'authorized',
            'partially_paid',
            'paid',
            'partially_refunded',
            'refunded',
            'voided',
          ]),
          customer: Type.Object(
            {
              external_id: text,
              email: text,
              phone_number: Type.Optional(Type.String({ pattern: '^\\+\\d{8,15}$' })),
              first_name: Type.Optional(text),
              last_name: Type.Optional(text),
              accepts_sms_marketing: Type.Optional(Type.Literal(false)),
            },
            { additionalProperties: false },
          ),
          line_items: Type.Array(
            Type.Object(
              {
                external_product_id: text,
                quantity: Type.Integer({ minimum: 1 }),
                total_price: amount,
                subtotal_price: amount,
                coupon_code: Type.Optional(text),
              },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
)
const insistSecret = insist(Type.Object({ secret: text }, { additionalProperties: false }))
const isToken = (path: string) => path.endsWith('/access_tokens')
const error = (status: number) => (message: string) => ({ status, json: { errors: [{ message }] } })

/** https://core-api.yotpo.com/reference/create-order */
export const yotpo: MockVendor = {
  hosts: /^api\.yotpo\.com$/,
  check({ method, path, headers, json }) {
    const { secret } = (json ?? {}) as { secret?: string }
    return {
      key: keyProblem(isToken(path) ? secret : headers['x-yotpo-token']),
      payload: [
        ...unless(method === 'POST' && /^\/core\/v3\/stores\/[\w-]+\/(access_tokens|orders)$/.test(path), 'Not found.'),
        ...(isToken(path) ? insistSecret : insistOrder)(json),
      ],
    }
  },
  good: ({ path }) =>
    isToken(path)
      ? { status: 200, json: { access_token: 'a-token' } }
      : { status: 201, json: { order: { yotpo_id: 1 } } },
  failures: {
    badKey: { reply: error(401), means: 'keyRejected' },
    badPayload: { reply: error(422), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
}
