import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, digest, type Got, only, text, unless } from './vendor.ts'

const names = ['page_view', 'view_content', 'add_to_cart', 'initiate_checkout', 'purchase', 'subscribe'].concat(
  ['search', 'lead', 'sign_up', 'add_to_wishlist'],
  Array.from({ length: 10 }, (_, n) => `custom_conversion_${n + 1}`),
)
const hashes = ['email', 'phone_number', 'first_name', 'last_name', 'date_of_birth', 'street_address', 'city'].concat([
  'state',
  'zip_code',
  'country',
])
const Customer = only({
  ...Object.fromEntries(hashes.map((key) => [key, digest])),
  click_id: text,
  client_ip_address: text,
})
const Product = only({ id: text, quantity: Type.Integer({ minimum: 1 }), item_price: Type.Number({ minimum: 0 }) })
const Custom = only({
  order_value: Type.String({ pattern: '^[A-Z]{3}\\d+(\\.\\d+)?$' }),
  order_id: text,
  product_context: Type.Array(Product, { minItems: 1 }),
})

const error = (status: number) => (message: string) => ({ status, json: { message } })

/** Epoch seconds, not milliseconds: at least of this century and at most ten minutes ahead. */
const isInSeconds = ({ json }: Got, now: number) => {
  const { event_time_epoch: at = 0 } = (json ?? {}) as { event_time_epoch?: number }
  return at > 946_684_800 && at * 1_000 < now + 600_000
}

/** https://developer.nextdoor.com/reference/conversion-api */
export const nextdoor = simpleVendor({
  hosts: /^ads\.nextdoor\.com$/,
  path: /^\/v2\/api\/conversions\/track$/,
  key: bearerOf,
  headers: { accept: /^application\/json$/ },
  json: Type.Object(
    {
      event_name: Type.Enum(names),
      event_id: text,
      event_time_epoch: Type.Integer(),
      action_source: Type.Enum(['email', 'website', 'app', 'phone_call', 'chat', 'physical_store', 'other']),
      action_source_url: Type.Optional(text),
      client_id: Type.Optional(text),
      data_source_id: text,
      delivery_optimization: Type.Boolean(),
      partner_id: Type.Optional(text),
      test_event: Type.Enum(['true', 'false']),
      customer: Customer,
      custom: Type.Optional(Custom),
    },
    { additionalProperties: false },
  ),
  also: (got, now) => [
    ...unless(isInSeconds(got, now), 'event_time_epoch is out of range.'),
    ...unless(
      Object.keys((got.json as { customer?: object })?.customer ?? {}).length > 0,
      'A key of customer is required.',
    ),
  ],
  badKey: error(401),
  badPayload: error(400),
  failures: {
    noAccess: { reply: error(403), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
})
