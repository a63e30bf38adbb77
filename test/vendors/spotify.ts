import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, currency, digest, type Got, only, text, time, unless } from './vendor.ts'

const names = ['VIEW', 'PRODUCT', 'CHECK_OUT', 'ADD_TO_CART', 'PURCHASE', 'LEAD', 'SIGN_UP', 'ALIAS'].concat(
  [1, 2, 3, 4, 5].map((n) => `CUSTOM_EVENT_${n}`),
)
const User = only({
  hashed_emails: Type.Array(digest, { minItems: 1 }),
  hashed_phone_number: digest,
  ip_address: text,
  device_id: text,
})
const Event = Type.Object(
  {
    event_id: text,
    event_name: Type.Enum(names),
    event_time: time,
    event_source_url: Type.Optional(Type.String({ pattern: '^https?://' })),
    action_source: Type.Enum(['WEB', 'APP', 'OFFLINE']),
    opt_out_targeting: Type.Boolean(),
    event_details: Type.Optional(only({ amount: Type.Number({ minimum: 0 }), currency, content_name: text })),
    user_data: User,
  },
  { additionalProperties: false },
)
const Body = Type.Object({
  conversion_events: Type.Object({ capi_connection_id: text, events: Type.Array(Event, { minItems: 1, maxItems: 1 }) }),
})

type Row = { user_data?: object }
const rowsOf = ({ json }: Got) =>
  ((json ?? {}) as { conversion_events?: { events?: Row[] } }).conversion_events?.events ?? []

const error = (status: number) => (message: string) => ({ status, json: { error: { status, message } } })

/** https://adshelp.spotify.com/s/article/Spotify-Conversions-API-US */
export const spotify = simpleVendor({
  hosts: /^capi\.spotify\.com$/,
  path: /^\/capi-direct\/events\/$/,
  key: bearerOf,
  json: Body,
  also: (got) =>
    unless(
      rowsOf(got).every(({ user_data = {} }) => Object.keys(user_data).length > 0),
      'An identifier in user_data is required.',
    ),
  badKey: error(401),
  badPayload: error(400),
  failures: {
    noAccess: { reply: error(403), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
})
