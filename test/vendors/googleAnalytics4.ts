import { Type } from '#contract/schema.ts'
import { currency, digest, type Got, insist, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const param = Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean()])
const item = Type.Object({
  item_id: Type.Optional(text),
  item_name: Type.Optional(text),
  price: Type.Optional(Type.Number()),
})
const Params = Type.Intersect([
  Type.Object({
    currency: Type.Optional(currency),
    value: Type.Optional(Type.Number()),
    items: Type.Optional(Type.Array(item, { maxItems: 200 })),
  }),
  Type.Record(Type.String({ pattern: '^(?!items$)' }), param),
])
const address = only({
  sha256_first_name: digest,
  sha256_last_name: digest,
  city: text,
  region: text,
  postal_code: text,
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
})
const Body = Type.Object({
  client_id: Type.String({ pattern: '^\\d+\\.\\d+$' }),
  user_id: Type.Optional(text),
  timestamp_micros: Type.Integer(),
  ip_override: Type.Optional(text),
  user_data: Type.Optional(
    only({
      sha256_email_address: Type.Array(digest),
      sha256_phone_number: Type.Array(digest),
      address: Type.Array(address),
    }),
  ),
  events: Type.Array(Type.Object({ name: Type.String({ pattern: '^[A-Za-z]\\w{0,39}$' }), params: Params }), {
    minItems: 1,
    maxItems: 25,
  }),
})
type Body = { timestamp_micros?: number; events?: { name?: string; params?: Record<string, unknown> }[] }
const insistBody = insist(Body)

/** The order id identifies purchases and refunds, and a value needs its currency. */
function eventProblems({ name = '', params = {} }: NonNullable<Body['events']>[number]): string[] {
  return [
    ...unless(!/^(ga_|google_|firebase_)|^(session_start|first_visit|error)$/.test(name), `${name} is reserved.`),
    ...unless(Object.keys(params).length <= 25, 'There are more than 25 parameters.'),
    ...unless(!/^(purchase|refund)$/.test(name) || Boolean(params.transaction_id), `${name} needs transaction_id.`),
    ...unless(params.value === undefined || Boolean(params.currency), 'A value needs currency.'),
  ]
}

const isDebug = ({ path }: Got) => path === '/debug/mp/collect'
const messages = (says: string) => ({
  status: 200,
  json: { validationMessages: [{ fieldPath: 'events', description: says, validationCode: 'VALUE_INVALID' }] },
})

/**
 * https://developers.google.com/analytics/devguides/collection/protocol/ga4: only /debug reports errors.
 */
export const googleAnalytics4: MockVendor = {
  hosts: /^(www|region1)\.google-analytics\.com$/,
  check(got, now) {
    const { timestamp_micros = 0, events = [] } = (got.json ?? {}) as Body
    const ageMs = now - timestamp_micros / 1_000
    return {
      key: [
        ...keyProblem(got.query.api_secret),
        ...unless(/^G-\w+$/.test(got.query.measurement_id ?? ''), 'No stream.'),
      ],
      payload: [
        ...unless(got.method === 'POST' && /^(\/debug)?\/mp\/collect$/.test(got.path), 'Not found.'),
        ...unless(got.body.length < 130_000, 'The body is too large.'),
        ...insistBody(got.json),
        ...unless(ageMs < 72 * 3_600_000 + 60_000 && ageMs > -900_000, 'timestamp_micros is out of bounds.'),
        ...events.flatMap(eventProblems),
      ],
    }
  },
  good: (got) => (isDebug(got) ? { status: 200, json: { validationMessages: [] } } : { status: 204 }),
  failures: {
    invalid: { reply: messages, means: 'payloadRefused' },
    tooLarge: { reply: (says) => ({ status: 413, text: says }), means: 'payloadRefused' },
  },
}
