import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, only, text, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const amount = Type.Optional(Type.Number())
const item = Type.Object(
  { sku: text, name: Type.Optional(Type.String()), price: Type.Number(), quantity: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
)

const key = /^(pub|sec)_/

/** https://refersion.dev/order-tracking/webhook */
const orders = simpleVendor({
  hosts: /^(inbound-webhooks|api)\.refersion\.com$/,
  path: /^\/tracker\/orders\/paid$/,
  key: ({ headers }) => headers['refersion-secret-key']?.replace(key, ''),
  headers: { 'refersion-public-key': /^pub_/, 'content-type': /^application\/json/ },
  json: Type.Object(
    {
      cart_id: Type.String({ minLength: 1, maxLength: 255 }),
      auto_credit_affiliate_id: Type.Optional(Type.String({ pattern: '^[^.]+$' })),
      order_id: text,
      currency_code: Type.Optional(currency),
      shipping: amount,
      tax: amount,
      discount: amount,
      discount_code: Type.Optional(text),
      customer: Type.Optional(
        only({
          first_name: text,
          last_name: text,
          email: Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' }),
          ip_address: text,
        }),
      ),
      items: Type.Array(item),
    },
    { additionalProperties: false },
  ),
  also: ({ json }) => {
    const { auto_credit_affiliate_id, discount_code } = (json ?? {}) as Record<string, string>
    return unless(Boolean(auto_credit_affiliate_id || discount_code), 'Nobody is credited.')
  },
  badKey: (says) => ({ status: 401, json: { error: says } }),
  badPayload: (says) => ({ status: 422, json: { error: says } }),
  failures: {
    missing: { reply: (says) => ({ status: 400, json: { error: says } }), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
  visit: { query: { rfsn: '101.abcdef' } },
})

/** https://www.refersion.dev/reference/cancel_conversion */
export const refersion = withEndpoint(orders, {
  method: 'POST',
  path: /^\/v2\/conversion\/cancel$/,
  json: only({
    order_id: text,
    items: Type.Array(
      Type.Object(
        { sku: text, price: amount, quantity: Type.Optional(Type.Integer({ minimum: 1 })) },
        { additionalProperties: false },
      ),
      { minItems: 1 },
    ),
  }),
  good: { status: 200, json: { conversion_id: '11900254' } },
})
