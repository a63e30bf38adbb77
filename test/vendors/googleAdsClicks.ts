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
  time,
  unless,
} from './vendor.ts'

const account = Type.Object({
  accountType: Type.Literal('GOOGLE_ADS'),
  accountId: Type.String({ pattern: '^\\d{10}$' }),
})
const Address = Type.Object({
  givenName: digest,
  familyName: digest,
  regionCode: Type.String({ pattern: '^[A-Z]{2}$' }),
  postalCode: text,
})
const consent = Type.Enum(['CONSENT_GRANTED', 'CONSENT_DENIED'])
const Event = Type.Object({
  transactionId: text,
  eventTimestamp: time,
  eventSource: Type.Literal('WEB'),
  conversionValue: Type.Optional(Type.Number()),
  currency: Type.Optional(currency),
  adIdentifiers: Type.Optional(only({ gclid: text, gbraid: text, wbraid: text })),
  userData: Type.Optional(
    Type.Object({
      userIdentifiers: Type.Array(only({ emailAddress: digest, phoneNumber: digest, address: Address }), {
        minItems: 1,
      }),
    }),
  ),
  cartData: Type.Optional(
    Type.Object({
      items: Type.Array(Type.Object({ merchantProductId: text, unitPrice: Type.Optional(Type.Number()) })),
    }),
  ),
})
const insistBody = insist(
  Type.Object({
    destinations: Type.Array(
      Type.Object({
        operatingAccount: account,
        loginAccount: Type.Optional(account),
        productDestinationId: Type.String({ pattern: '^\\d+$' }),
      }),
      { minItems: 1, maxItems: 10 },
    ),
    encoding: Type.Literal('HEX'),
    consent: Type.Object({ adUserData: consent, adPersonalization: consent }),
    events: Type.Array(Event, { minItems: 1, maxItems: 2_000 }),
    validateOnly: Type.Optional(Type.Boolean()),
  }),
)

const isToken = ({ host }: Got) => host === 'oauth2.googleapis.com'

/** The claims of a service account, read but not verified: only Google knows its public key. */
function claimsOf(assertion = ''): { iss?: string; scope?: string; iat?: number; exp?: number } {
  try {
    return JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return {}
  }
}

function grantProblems({ method, path, form }: Got): string[] {
  const isGrant = unless(method === 'POST' && path === '/token', 'The path is not there.')
  if (form.grant_type === 'refresh_token')
    return [...isGrant, ...[form.client_id, form.client_secret, form.refresh_token].flatMap(keyProblem)]
  const { iss, scope, iat = 0, exp = 0 } = claimsOf(form.assertion)
  return [
    ...isGrant,
    ...unless(/:jwt-bearer$/.test(form.grant_type ?? ''), 'unsupported_grant_type'),
    ...unless(/@/.test(iss ?? '') && /\/auth\/(datamanager|ddmconversions|pubsub)$/.test(scope ?? ''), 'invalid_scope'),
    ...unless(exp > iat && exp - iat <= 3_600, 'exp is more than an hour after iat.'),
  ]
}

const error = (code: number, status: string, message: string) => ({
  status: code,
  json: { error: { code, message, status } },
})

/**
 * https://developers.google.com/data-manager/api/devguides/events/google-ads/offline/send-events, and Google's token
 * endpoint, which other Google vendors also use.
 */
export const googleAdsClicks: MockVendor = {
  hosts: /^(oauth2|datamanager)\.googleapis\.com$/,
  check(got) {
    if (isToken(got)) return { key: grantProblems(got), payload: [] }
    const { events = [] } = (got.json ?? {}) as { events?: { adIdentifiers?: object; userData?: object }[] }
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(got.method === 'POST' && got.path === '/v1/events:ingest', 'The path is not there.'),
        ...insistBody(got.json),
        ...events.flatMap(({ adIdentifiers = {}, userData }) => [
          ...unless(
            Boolean(userData) || Object.keys(adIdentifiers).length > 0,
            'A click id or a user identifier is needed.',
          ),
          ...unless(Object.keys(adIdentifiers).length <= 1, 'One click id alone.'),
        ]),
      ],
    }
  },
  good: (got) =>
    isToken(got)
      ? { status: 200, json: { access_token: 'ya29.mock', expires_in: 3_599, token_type: 'Bearer' } }
      : { status: 200, json: { requestId: 'req-1' } },
  failures: {
    badKey: { reply: (says) => error(401, 'UNAUTHENTICATED', says), means: 'keyRejected' },
    badPayload: { reply: (says) => error(400, 'INVALID_ARGUMENT', says), means: 'payloadRefused' },
    noRights: { reply: (says) => error(403, 'PERMISSION_DENIED', says), means: 'payloadRefused' },
    throttled: { reply: (says) => error(429, 'RESOURCE_EXHAUSTED', says), means: 'throttled' },
  },
}
