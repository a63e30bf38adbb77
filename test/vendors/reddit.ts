import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, currency, digest, type Got, isRecent, only, text, unless } from './vendor.ts'

const types = ['PAGE_VISIT', 'VIEW_CONTENT', 'SEARCH', 'ADD_TO_CART', 'ADD_TO_WISHLIST', 'PURCHASE', 'LEAD'].concat(
  'SIGN_UP',
)
const EventType = Type.Union([
  Type.Object({ tracking_type: Type.Enum(types) }, { additionalProperties: false }),
  Type.Object({ tracking_type: Type.Literal('CUSTOM'), custom_event_name: text }, { additionalProperties: false }),
])
const User = only({
  email: digest,
  phone_number: digest,
  external_id: digest,
  ip_address: text,
  user_agent: text,
  uuid: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  data_processing_options: only({ modes: Type.Array(Type.Literal('LDU')), country: text, region: text }),
})
const amount = Type.Number({ minimum: 0 })
const Product = only({
  id: text,
  name: text,
  category: text,
  item_price: amount,
  quantity: Type.Integer({ minimum: 1 }),
})
const Metadata = only({
  conversion_id: text,
  currency,
  value: amount,
  item_count: Type.Integer(),
  products: Type.Array(Product, { minItems: 1 }),
})
const Event = Type.Object(
  {
    event_at: Type.Integer(),
    action_source: Type.Enum(['WEBSITE', 'APP', 'PHYSICAL_STORE', 'OTHER']),
    event_source_url: Type.Optional(text),
    click_id: Type.Optional(text),
    type: EventType,
    user: User,
    metadata: Metadata,
  },
  { additionalProperties: false },
)
const Body = Type.Object({
  data: Type.Object({
    test_id: Type.Optional(text),
    events: Type.Array(Event, { minItems: 1, maxItems: 1_000 }),
  }),
})

type Row = { event_at?: number; click_id?: string; user?: Record<string, unknown> }
const rowsOf = ({ json }: Got) => ((json ?? {}) as { data?: { events?: Row[] } }).data?.events ?? []

const error = (code: number) => (message: string) => ({ status: code, json: { error: { code, message } } })

/** https://ads-api.reddit.com/docs/v3/ */
export const reddit = simpleVendor({
  hosts: /^ads-api\.reddit\.com$/,
  path: /^\/api\/v3\/pixels\/\w+\/conversion_events$/,
  key: bearerOf,
  json: Body,
  also: (got, now) =>
    rowsOf(got).flatMap(({ event_at = 0, click_id, user = {} }) => [
      ...unless(isRecent(event_at / 1_000, 7, now), 'event_at is out of range.'),
      ...unless(Boolean(click_id ?? user.uuid ?? user.email ?? user.external_id), 'An identifier is required.'),
    ]),
  good: { status: 200, json: { message: 'Successfully processed the conversion events.', invalid_events: [] } },
  badKey: error(401),
  badPayload: error(400),
  failures: {
    invalidEvents: {
      reply: (message) => ({
        status: 200,
        json: { message: 'Some events are invalid.', invalid_events: [{ error_message: message }] },
      }),
      means: 'payloadRefused',
    },
    noAccess: { reply: error(403), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
})
