import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, currency, digest, type Got, isRecent, only, text, unless } from './vendor.ts'

const digests = Type.Array(digest, { minItems: 1 })
const amount = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })
const names = ['add_payment_info', 'add_to_cart', 'add_to_wishlist', 'app_install', 'checkout', 'custom'].concat(
  ['initiate_checkout', 'lead', 'page_visit', 'search', 'signup', 'subscribe', 'view_category', 'view_content'],
  ['watch_video', 'start_trial', 'contact', 'schedule', 'submit_application', 'find_location', 'customize_product'],
)
const lists = ['em', 'ph', 'fn', 'ln', 'ge', 'db', 'ct', 'st', 'zp', 'country', 'external_id', 'hashed_maids']
const User = only({
  ...Object.fromEntries(lists.map((key) => [key, digests])),
  ...Object.fromEntries(['client_ip_address', 'client_user_agent', 'click_id'].map((key) => [key, text])),
})
const Content = only({
  id: text,
  item_price: amount,
  quantity: Type.Integer(),
  item_name: text,
  item_brand: text,
  item_category: text,
})
const Custom = only({
  currency,
  value: amount,
  content_ids: Type.Array(text, { minItems: 1 }),
  contents: Type.Array(Content, { minItems: 1 }),
  num_items: Type.Integer(),
  order_id: text,
  search_string: text,
})
const Event = Type.Object(
  {
    event_name: Type.Enum(names),
    action_source: Type.Literal('web'),
    event_time: Type.Integer(),
    event_id: text,
    event_source_url: Type.Optional(text),
    opt_out: Type.Optional(Type.Boolean()),
    user_data: User,
    custom_data: Type.Optional(Custom),
  },
  { additionalProperties: false },
)

type Row = { event_time?: number; user_data?: Record<string, unknown> }
const rowsOf = ({ json }: Got) => ((json ?? {}) as { data?: Row[] }).data ?? []

const error = (status: number, code: number) => (message: string) => ({ status, json: { code, message } })
const processed = (status: number, events: object[], count: number) => ({
  status,
  json: { num_events_received: events.length, num_events_processed: count, events },
})

/** https://developers.pinterest.com/docs/api/v5/events-create */
export const pinterest = simpleVendor({
  hosts: /^api\.pinterest\.com$/,
  path: /^\/v5\/ad_accounts\/\d+\/events$/,
  key: bearerOf,
  json: Type.Object({ data: Type.Array(Event, { minItems: 1, maxItems: 1_000 }) }),
  query: only({ test: Type.Literal('true') }),
  also: (got, now) =>
    rowsOf(got).flatMap(({ event_time = 0, user_data: user = {} }) => [
      ...unless(isRecent(event_time, 7, now), 'event_time is out of range.'),
      ...unless(
        Boolean(user.em ?? user.hashed_maids ?? (user.client_ip_address && user.client_user_agent)),
        'One of em, hashed_maids, client_ip_address with client_user_agent is required.',
      ),
    ]),
  good: processed(200, [{ status: 'processed' }], 1),
  badKey: error(401, 2),
  badPayload: (message) => processed(422, [{ status: 'failed', error_message: message }], 0),
  failures: {
    invalid: { reply: error(400, 4196), means: 'payloadRefused' },
    noneProcessed: {
      reply: (message) => processed(200, [{ status: 'failed', error_message: message }], 0),
      means: 'payloadRefused',
    },
    noAccess: { reply: error(403, 29), means: 'payloadRefused' },
    throttled: { reply: error(429, 8), means: 'throttled' },
    switchedOff: { reply: error(503, 4197), means: 'vendorDown' },
  },
})
