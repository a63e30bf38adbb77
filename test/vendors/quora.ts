import { Type } from '#contract/schema.ts'
import { bearerOf, insist, isRecent, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const names = ['Generic', 'AppInstall', 'Purchase', 'GenerateLead', 'CompleteRegistration', 'AddPaymentInfo'].concat([
  'AddToCart',
  'AddToWishlist',
  'InitiateCheckout',
  'Search',
])
const conversion = {
  user: Type.Optional(
    only({
      email: Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' }),
      phone_number: Type.String({ pattern: '^\\+\\d{8,15}$' }),
      date_of_birth: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
      country: Type.String({ pattern: '^[A-Z]{2}$' }),
      ...Object.fromEntries(['name', 'ip', 'region', 'city', 'postal_code'].map((key) => [key, text])),
    }),
  ),
  device: Type.Optional(only({ user_agent: text, language: text, referer: text })),
  conversion: Type.Object(
    {
      event_name: Type.Enum(names),
      timestamp: Type.Integer(),
      click_id: Type.Optional(text),
      value: Type.Optional(Type.Number({ minimum: 0 })),
      event_id: Type.Optional(text),
    },
    { additionalProperties: false },
  ),
}
const account_id = Type.Integer()
const insistOne = insist(Type.Object({ account_id, ...conversion }, { additionalProperties: false }))
const insistMany = insist(
  Type.Object({
    account_id,
    data: Type.Array(Type.Object(conversion, { additionalProperties: false }), { minItems: 1, maxItems: 1_000 }),
  }),
)

type Row = { user?: { email?: string }; conversion?: { timestamp?: number; click_id?: string } }
type Body = Row & { data?: Row[] }

const listed = (rows: readonly (string | undefined)[]) => {
  const events = rows.map((error_message, index) => ({ index, status: error_message ? 'ERROR' : 'OK', error_message }))
  return { status: 200, json: { events_errored: rows.filter(Boolean).length, events } }
}
const error = (status: number) => (message: string) => ({ status, json: { error: message } })

/** https://www.quora.com/ads/conversion_api_doc, as public senders implement it. A refused event has a 200. */
export const quora: MockVendor = {
  hosts: /^api\.quora\.com$/,
  check(got, now) {
    const { data, ...one } = (got.json ?? {}) as Body
    const isBatch = got.path === '/ads/v0/conversions'
    const problemsOf = ({ user, conversion: { timestamp = 0, click_id } = {} }: Row) => [
      ...unless(isRecent(timestamp / 1_000_000, 7, now), 'timestamp is out of range.'),
      ...unless(Boolean(click_id ?? user?.email), 'One of click_id, email is required.'),
    ]
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(got.method === 'POST' && (isBatch || got.path === '/ads/v0/conversion'), 'The path is not there.'),
        ...(isBatch ? insistMany : insistOne)(got.json),
        ...(isBatch ? (data ?? []) : [one]).flatMap(problemsOf),
      ],
    }
  },
  good: ({ json }) => listed(((json as Body).data ?? [json]).map(() => undefined)),
  failures: {
    badKey: { reply: error(401), means: 'keyRejected' },
    badPayload: { reply: (message) => listed([message]), means: 'payloadRefused' },
    malformed: { reply: error(400), means: 'payloadRefused' },
    locked: { reply: error(423), means: 'vendorDown' },
    throttled: { reply: error(429), means: 'throttled' },
  },
}
