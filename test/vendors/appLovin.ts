import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, digest, only, text, unless } from './vendor.ts'

const Items = Type.Array(
  Type.Object(
    {
      item_id: text,
      item_name: Type.Optional(text),
      item_variant_id: Type.Optional(text),
      item_category_id: Type.Optional(Type.Integer()),
      image_url: Type.Optional(text),
      price: Type.Optional(Type.Number()),
      quantity: Type.Optional(Type.Number()),
    },
    { additionalProperties: false },
  ),
  { minItems: 1 },
)
const Data = only({
  currency,
  value: Type.Number(),
  transaction_id: text,
  shipping: Type.Number(),
  tax: Type.Number(),
  search_term: text,
  items: Items,
  results: Items,
})
const ids = { aleid: text, alart: text, axwrt: text, client_id: text, user_id: text, email: digest, phone: digest }
const User = Type.Object(
  {
    ...Object.fromEntries(Object.entries(ids).map(([name, schema]) => [name, Type.Optional(schema)])),
    client_ip_address: text,
    client_user_agent: text,
    esi: Type.Enum(['web', 'app']),
    country_code: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
    zip: Type.Optional(Type.String({ pattern: '^\\d{5}$' })),
  },
  { additionalProperties: false },
)
const names = [
  ...['page_view', 'view_item', 'add_to_cart', 'remove_from_cart', 'begin_checkout', 'add_payment_info', 'purchase'],
  ...['subscribe', 'search', 'generate_lead', 'sign_up', 'login'],
]
const Event = Type.Object(
  {
    name: Type.Enum(names),
    event_time: Type.Integer({ minimum: 1_000_000_000_000 }),
    event_source_url: text,
    dedupe_id: text,
    data: Type.Union([Data, Type.Null()]),
    user_data: User,
  },
  { additionalProperties: false },
)

/**
 * https://support.axon.ai/en/growth/promoting-your-websites/api/axon-conversion-api: one wrong event fails the batch.
 */
export const appLovin = simpleVendor({
  hosts: /^b\.applovin\.com$/,
  path: /^\/v1\/event$/,
  key: ({ headers }) => headers.authorization,
  query: Type.Object({ pixel_id: text }, { additionalProperties: false }),
  json: Type.Object({ events: Type.Array(Event, { minItems: 1, maxItems: 100 }) }, { additionalProperties: false }),
  also: ({ json }) =>
    ((json as { events?: { user_data?: object }[] } | undefined)?.events ?? []).flatMap(({ user_data = {} }) =>
      unless(
        Object.keys(ids).some((name) => Object.hasOwn(user_data, name)),
        'One of aleid, axwrt, alart, client_id, user_id, email, phone is required.',
      ),
    ),
  visit: { query: { aleid: 'click-1' } },
  badKey: (says) => ({ status: 401, text: says }),
  badPayload: (says) => ({ status: 400, text: says }),
})
