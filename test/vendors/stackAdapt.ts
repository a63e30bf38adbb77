import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { insist, only, text, unless } from './vendor.ts'

const insistArgs = insist(
  Type.Object(
    {
      action: text,
      revenue: Type.Optional(Type.Number()),
      products: Type.Optional(
        Type.Array(
          only({
            product_id: text,
            product_name: text,
            product_price: Type.Number(),
            product_quantity: Type.Number(),
            product_category: text,
          }),
          { minItems: 1 },
        ),
      ),
      ...Object.fromEntries(
        ['order_id', 'email', 'phone', 'first_name', 'last_name', 'user_id', 'utm_source'].map((name) => [
          name,
          Type.Optional(text),
        ]),
      ),
    },
    { additionalProperties: false },
  ),
)

function jsonOf(value = ''): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** The vendor's server tag, whose pixel reports nothing about its data. */
export const stackAdapt = simpleVendor({
  hosts: /^tags\.srv\.stackadapt\.com$/,
  method: 'GET',
  path: /^\/saq_pxl$/,
  headers: { 'user-agent': /\S/, 'x-forwarded-for': /^[\d.:a-f]+$/i },
  query: Type.Object(
    {
      uid: text,
      ip_fwd: text,
      ua_fwd: text,
      event_type: Type.Literal('track'),
      args: text,
      ...Object.fromEntries(
        ['url', 'title', 'ref', 'utm_source', 'user_id'].map((name) => [name, Type.Optional(Type.String())]),
      ),
    },
    { additionalProperties: false },
  ),
  also: ({ query, headers }) => [
    ...insistArgs(jsonOf(query.args)),
    ...unless(query.ip_fwd === headers['x-forwarded-for'], 'The address of the visitor differs.'),
  ],
  failures: { refused: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' } },
})
