import { createHmac } from 'node:crypto'
import { Type } from '#contract/schema.ts'
import {
  bearerOf,
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

const strict = { additionalProperties: false }
const digests = Type.Array(digest, { minItems: 1 })
const Event = Type.Object(
  {
    eventTs: Type.Integer({ minimum: 1_000_000_000 }),
    eventName: text,
    eventId: Type.Optional(text),
    actionSource: Type.Enum(['web', 'app', 'phone', 'email', 'physical_store']),
    actionSourceUrl: Type.Optional(text),
    country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
    userData: only({ email: digests, phone: digests, ip_address: text, userAgent: text }),
    eventData: Type.Optional(
      only({
        price: Type.Number(),
        products: Type.Array(only({ category: text, subCategory: text }), { minItems: 1 }),
        customKeyValues: only({ order_id: text, currency }),
      }),
    ),
    clickData: Type.Optional(Type.Object({ vmcid: text }, strict)),
    privacy: Type.Optional(
      Type.Object(
        {
          privacy_type: Type.Enum(['GPP', 'GDPR', 'OPTOUT']),
          consent_string: Type.Optional(text),
          gpp_sid: Type.Optional(Type.Array(Type.Integer())),
        },
        strict,
      ),
    ),
  },
  strict,
)
const insistBody = insist(Type.Array(Event, { minItems: 1 }))

const isToken = ({ host }: Got) => host === 'id.b2b.yahooincapis.com'
const audience = 'https://id.b2b.yahooincapis.com/zts/v1/oauth2/token?realm=dsp'

type Claims = { iss?: string; sub?: string; aud?: string; exp?: number; iat?: number; jti?: string }
function claimsOf(packed = ''): Claims {
  try {
    return JSON.parse(Buffer.from(packed, 'base64url').toString())
  } catch {
    return {}
  }
}

/** The secret of the fake vendor. A signature with another secret is refused. */
const secret = 'dsp-secret'

function grantProblems({ method, path, form }: Got): string[] {
  const [head, packed, signature] = (form.client_assertion ?? '').split('.')
  const { iss, sub, aud, exp = 0, iat = 0, jti } = claimsOf(packed)
  const signed = createHmac('sha256', secret).update(`${head}.${packed}`).digest('base64url')
  return [
    ...unless(method === 'POST' && path === '/zts/v1/oauth2/token', 'The path is not there.'),
    ...unless(form.grant_type === 'client_credentials', 'unsupported_grant_type'),
    ...unless(/client-assertion-type:jwt-bearer$/.test(form.client_assertion_type ?? ''), 'invalid_request'),
    ...unless(form.scope === 'dsp-api-access' && form.realm === 'dsp', 'invalid_scope'),
    ...unless(Boolean(iss && iss === sub && jti) && aud === audience, 'invalid_client: the claims are wrong.'),
    ...unless(exp > iat && exp - iat <= 3_600, 'invalid_client: the assertion lives too long.'),
    ...unless(signature === signed, 'invalid_client: the signature is wrong.'),
  ]
}

type Row = { userData?: object; clickData?: object }

/** https://help.yahooinc.com/dsp-api/docs/standard-yahoo-conversion-api */
export const yahooDsp: MockVendor = {
  hosts: /^(id\.b2b\.yahooincapis\.com|(batch|streaming)\.datax\.yahoo\.com)$/,
  check(got) {
    if (isToken(got)) return { key: grantProblems(got), payload: [] }
    const rows = Array.isArray(got.json) ? (got.json as Row[]) : []
    const hasKey = ({ userData = {}, clickData }: Row) => Boolean(clickData) || Object.keys(userData).length > 0
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(got.method === 'POST' && /^\/v1\/events\/\d+$/.test(got.path), 'The path is not there.'),
        ...insistBody(got.json),
        ...unless(rows.every(hasKey), 'One match key in userData, or clickData, is required.'),
      ],
    }
  },
  good: (got) =>
    isToken(got)
      ? { status: 200, json: { access_token: 'yahoo-mock', expires_in: 3_600, token_type: 'Bearer' } }
      : { status: 200, json: { success: 'COMPLETE' } },
  visit: { query: { vmcid: 'click-1' } },
  failures: {
    badKey: { reply: (error) => ({ status: 401, json: { error } }), means: 'keyRejected' },
    badPayload: { reply: (message) => ({ status: 400, json: { message } }), means: 'payloadRefused' },
    partial: { reply: (message) => ({ status: 200, json: { success: 'PARTIAL', message } }), means: 'payloadRefused' },
    forbidden: { reply: (message) => ({ status: 403, json: { message } }), means: 'payloadRefused' },
    throttled: { reply: (message) => ({ status: 429, json: { message } }), means: 'throttled' },
  },
}
