import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, currency, digest, type Got, only, text, unless } from './vendor.ts'

const digests = Type.Array(digest, { minItems: 1 })
const texts = Type.Array(text, { minItems: 1 })
const amount = Type.Integer({ minimum: 0 })
const User = only({
  obref: text,
  ...Object.fromEntries(
    ['emails', 'phone_numbers', 'external_ids', 'first_names', 'last_names'].map((key) => [`${key}_sha256`, digests]),
  ),
  regions: texts,
  postal_codes: Type.Array(Type.String({ pattern: '^[A-Za-z0-9 -]+$' })),
  cities: texts,
  countries: Type.Array(Type.String({ pattern: '^[A-Z]{2}$' })),
  ip_address: text,
  user_agent: text,
})
const Content = only({
  id: text,
  name: text,
  quantity: Type.Integer({ minimum: 1 }),
  amount,
  currency,
  content_type: Type.Literal('product'),
})
const dataOf = (type: string, more = {}) =>
  Type.Object(
    {
      type: Type.Literal(type),
      amount: Type.Optional(amount),
      currency: Type.Optional(currency),
      ...more,
    },
    { additionalProperties: false },
  )
const contents = dataOf('contents', { contents: Type.Optional(Type.Array(Content, { minItems: 1 })) })
const eventOf = (types: string[], data: typeof contents, more = {}) =>
  Type.Object(
    {
      id: text,
      type: Type.Enum(types),
      timestamp_ms: Type.Integer(),
      action_source: Type.Enum(['web', 'mobile_app', 'offline', 'physical_store', 'phone_call', 'email', 'other']),
      source_url: Type.Optional(text),
      oppref: Type.Optional(text),
      opt_out: Type.Optional(Type.Boolean()),
      user: Type.Optional(User),
      data,
      ...more,
    },
    { additionalProperties: false },
  )
const Event = Type.Union([
  eventOf(['page_viewed', 'contents_viewed', 'items_added', 'checkout_started', 'order_created'], contents),
  eventOf(['lead_created', 'registration_completed', 'appointment_scheduled'], dataOf('customer_action') as never),
  eventOf(['subscription_created', 'trial_started'], dataOf('plan_enrollment') as never),
  eventOf(['custom'], dataOf('custom') as never, {
    custom_event_name: Type.String({ pattern: '^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$' }),
  }),
])

type Row = { timestamp_ms?: number; action_source?: string; source_url?: string; data?: Record<string, unknown> }
const rowsOf = ({ json }: Got) => ((json ?? {}) as { events?: Row[] }).events ?? []

const error = (status: number) => (message: string) => ({ status, json: { error: { message } } })

/** https://developers.openai.com/ads/conversions-api */
export const openAiAds = simpleVendor({
  hosts: /^bzr\.openai\.com$/,
  path: /^\/v1\/events$/,
  key: bearerOf,
  query: Type.Object({ pid: text }),
  json: Type.Object({
    validate_only: Type.Optional(Type.Boolean()),
    events: Type.Array(Event, { minItems: 1, maxItems: 1_000 }),
  }),
  also: (got, now) =>
    rowsOf(got).flatMap(({ timestamp_ms: at = 0, action_source, source_url, data = {} }) => [
      ...unless(at > now - 7 * 86_400_000 - 60_000 && at < now + 600_000, 'timestamp_ms is out of range.'),
      ...unless(action_source !== 'web' || Boolean(source_url), 'source_url must be there where the source is web.'),
      ...unless(data.amount === undefined || data.currency !== undefined, 'An amount must have a currency.'),
    ]),
  badKey: error(401),
  badPayload: error(400),
  failures: {
    noAccess: { reply: error(403), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
})
