import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, digest, type Got, isRecent, only, text, unless } from './vendor.ts'

const digests = Type.Array(digest, { minItems: 1 })
const names = [
  'PAGE_VIEW',
  'VIEW_CONTENT',
  'ADD_CART',
  'START_CHECKOUT',
  'ADD_BILLING',
  'PURCHASE',
  'SUBSCRIBE',
].concat(
  ['SEARCH', 'SIGN_UP', 'LOGIN', 'ADD_TO_WISHLIST', 'LIST_VIEW', 'START_TRIAL', 'SHARE', 'INVITE', 'RATE', 'RESERVE'],
  ['SPENT_CREDITS', 'LEVEL_COMPLETE', 'ACHIEVEMENT_UNLOCKED', 'COMPLETE_TUTORIAL'],
  [1, 2, 3, 4, 5].map((n) => `CUSTOM_EVENT_${n}`),
)
const User = only({
  ...Object.fromEntries(['em', 'ph', 'external_id'].map((key) => [key, digests])),
  ...Object.fromEntries(['fn', 'ln', 'ge', 'ct', 'st', 'zp', 'country'].map((key) => [key, digest])),
  ...Object.fromEntries(
    ['sc_click_id', 'sc_cookie1', 'client_ip_address', 'client_user_agent', 'madid'].map((key) => [key, text]),
  ),
})
const amount = Type.Number({ minimum: 0 })
const Custom = only({
  currency,
  value: amount,
  content_ids: Type.Array(text, { minItems: 1 }),
  contents: Type.Array(only({ id: text, quantity: Type.Integer({ minimum: 1 }), item_price: amount })),
  num_items: Type.Integer(),
  order_id: text,
  search_string: text,
})
const Event = Type.Object({
  event_name: Type.Enum(names),
  action_source: Type.Enum(['WEB', 'MOBILE_APP', 'OFFLINE']),
  event_time: Type.Integer(),
  event_id: text,
  event_source_url: Type.Optional(text),
  data_processing_options: Type.Optional(Type.Array(Type.Literal('LDU'))),
  user_data: User,
  custom_data: Type.Optional(Custom),
})

type Row = { event_time?: number; user_data?: Record<string, unknown> }
const rowsOf = ({ json }: Got) => ((json ?? {}) as { data?: Row[] }).data ?? []

const invalid = (status: number) => (reason: string) => ({
  status,
  json: { status: 'INVALID', reason, errors: { codes: ['E-1'], error_msgs: [reason] } },
})

/** https://developers.snap.com/api/marketing-api/Conversions-API/UsingTheAPI */
export const snapchat = simpleVendor({
  hosts: /^tr\.snapchat\.com$/,
  path: /^\/v3\/[\w-]+\/events(?:\/validate)?$/,
  key: ({ query }) => query.access_token,
  json: Type.Object({ data: Type.Array(Event, { minItems: 1, maxItems: 2_000 }) }),
  also: (got, now) =>
    rowsOf(got).flatMap(({ event_time = 0, user_data: user = {} }) => [
      ...unless(isRecent(event_time, 37, now), 'event_time is out of range.'),
      ...unless(
        Boolean(user.em ?? user.ph ?? user.madid ?? (user.client_ip_address && user.client_user_agent)),
        'One of em, ph, madid, client_ip_address with client_user_agent is required.',
      ),
    ]),
  good: { status: 200, json: { status: 'VALID' } },
  badKey: invalid(401),
  badPayload: invalid(400),
  failures: {
    invalid: { reply: invalid(200), means: 'payloadRefused' },
    forbidden: { reply: invalid(403), means: 'payloadRefused' },
    throttled: { reply: (text) => ({ status: 429, text }), means: 'throttled' },
  },
})
