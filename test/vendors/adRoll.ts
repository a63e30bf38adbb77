import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, digest, only, text } from './vendor.ts'

const amount = Type.String({ pattern: '^-?\\d+(\\.\\d+)?(e[-+]?\\d+)?$' })
const products = Type.Array(
  only({ product_id: text, quantity: Type.Integer({ minimum: 1 }), price: amount, category: text }),
  { minItems: 1 },
)
const names = [
  ...['pageView', 'homeView', 'productSearch', 'addToCart', 'purchase', 'highValuePage', 'gatedContent'],
  ...['demoRequest', 'signupPlan', 'signupTrial', 'contactSales', 'liveChat', 'formFill'],
]
const ids = { email: text, email_sha256: digest, device_id: text, user_id: text }
const optionalIds = Object.fromEntries(Object.entries(ids).map(([name, schema]) => [name, Type.Optional(schema)]))
const identifiers = Type.Union([
  Type.Object({ ...optionalIds, adct: text, first_party_cookie: Type.Optional(text) }, { additionalProperties: false }),
  Type.Object({ ...optionalIds, first_party_cookie: text }, { additionalProperties: false }),
])
const Event = Type.Object(
  {
    advertisable_eid: text,
    pixel_eid: text,
    event_name: Type.Enum(names),
    event_attributes: Type.Optional(only({ order_id: text, products, keywords: text })),
    conversion_value: Type.Optional(amount),
    currency: Type.Optional(currency),
    page_location: text,
    timestamp: Type.Integer({ maximum: 10_000_000_000 }),
    ip: text,
    user_agent: Type.Optional(text),
    identifiers,
  },
  { additionalProperties: false },
)

/** https://apidocs.nextroll.com/server-to-server-api/events.html */
export const adRoll = simpleVendor({
  hosts: /^srv\.adroll\.com$/,
  path: /^\/api$/,
  key: ({ headers }) => /^Token (\S+)$/.exec(headers.authorization ?? '')?.[1],
  query: Type.Object(
    { advertisable: text, dry_run: Type.Optional(Type.Literal('true')) },
    { additionalProperties: false },
  ),
  json: Type.Array(Event, { minItems: 1, maxItems: 100 }),
  visit: { query: { adct: 'click-1' } },
  badKey: (error) => ({ status: 401, json: { error } }),
  badPayload: (error) => ({ status: 400, json: { error } }),
  failures: { throttled: { reply: (error) => ({ status: 429, json: { error } }), means: 'throttled' } },
})
