import { Type } from '#contract/schema.ts'
import {
  basicOf,
  currency,
  digest,
  type Got,
  insist,
  keyProblem,
  type MockVendor,
  only,
  text,
  unless,
} from './vendor.ts'

const Conversion = Type.Object(
  {
    event_name: Type.Literal('conversion'),
    custom_event_type: Type.Literal('transaction'),
    source_message_id: text,
    timestamp_unixtime_ms: Type.Integer({ minimum: 1_000_000_000_000, maximum: 9_999_999_999_999 }),
    custom_attributes: only({
      conversiontype: text,
      confirmationref: text,
      amount: Type.Number({ minimum: 0 }),
      currency,
    }),
  },
  { additionalProperties: false },
)
const Batch = Type.Object(
  {
    environment: Type.Enum(['production', 'development']),
    ip: Type.Optional(text),
    device_info: Type.Optional(only({ http_header_user_agent: text })),
    user_identities: only({ email: text, other: digest, customerid: text, other2: text }),
    user_attributes: Type.Optional(
      only({
        ...Object.fromEntries(['firstname', 'lastname', 'mobile', 'billingzip'].map((key) => [`${key}sha256`, digest])),
        dob: Type.String({ pattern: '^\\d{8}$' }),
        gender: Type.Enum(['m', 'f']),
      }),
    ),
    integration_attributes: Type.Optional(only({ 1277: only({ passbackconversiontrackingid: text }) })),
    events: Type.Array(Type.Object({ event_type: Type.Literal('custom_event'), data: Conversion }), { minItems: 1 }),
  },
  { additionalProperties: false },
)
const insistOne = insist(Batch)
const insistMany = insist(Type.Array(Batch, { minItems: 1, maxItems: 100 }))

const keyOf = (got: Got) => {
  const { user, password } = basicOf(got) ?? {}
  return /^bad/i.test(password ?? '') ? password : user
}
const error = (status: number) => (message: string) => ({ status, json: { errors: [{ code: 'ERROR', message }] } })

/** https://docs.mparticle.com/developers/apis/http/ with the fields of Rokt. Wrong credentials are a 403. */
export const rokt: MockVendor = {
  hosts: /^(inbound|s2s\.(us1|us2|eu1|au1))\.mparticle\.com$/,
  check(got) {
    const isBulk = got.path === '/s2s/v2/bulkevents'
    return {
      key: keyProblem(keyOf(got)),
      payload: [
        ...unless(got.method === 'POST' && (isBulk || got.path === '/s2s/v2/events'), 'The path is not there.'),
        ...(isBulk ? insistMany : insistOne)(got.json),
        ...unless(Buffer.byteLength(got.body) <= 256_000, 'The request is too large.'),
      ],
    }
  },
  good: () => ({ status: 202 }),
  failures: {
    badKey: { reply: error(403), means: 'keyRejected' },
    badPayload: { reply: error(400), means: 'payloadRefused' },
    noCredentials: { reply: error(401), means: 'keyRejected' },
    throttled: { reply: error(429), means: 'throttled' },
  },
}
