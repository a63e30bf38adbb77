import { Type } from '#contract/schema.ts'
import { bearerOf, digest, insist, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const strict = { additionalProperties: false }
const whole = Type.String({ pattern: '^\\d+$' })
const flag = Type.Boolean()
const Variable = Type.Object(
  {
    type: Type.String({ pattern: '^U([1-9]\\d?|100)$' }),
    value: text,
    kind: Type.Literal('dfareporting#customFloodlightVariable'),
  },
  strict,
)
const Identifier = only({
  hashedEmail: digest,
  hashedPhoneNumber: digest,
  addressInfo: only({ hashedFirstName: digest, hashedLastName: digest }),
})
const ids = ['gclid', 'dclid', 'matchId', 'mobileDeviceId', 'impressionId', 'encryptedUserId']
const Conversion = Type.Object(
  {
    kind: Type.Literal('dfareporting#conversion'),
    floodlightConfigurationId: whole,
    floodlightActivityId: whole,
    ordinal: text,
    timestampMicros: Type.String({ pattern: '^\\d{16}$' }),
    quantity: Type.String({ pattern: '^[1-9]\\d*$' }),
    value: Type.Optional(Type.Number()),
    ...Object.fromEntries(ids.map((name) => [name, Type.Optional(text)])),
    customVariables: Type.Optional(Type.Array(Variable, { minItems: 1, maxItems: 100 })),
    userIdentifiers: Type.Optional(Type.Array(Identifier, { minItems: 1, maxItems: 5 })),
    adUserDataConsent: Type.Optional(Type.Enum(['GRANTED', 'DENIED', 'UNKNOWN'])),
    limitAdTracking: flag,
    nonPersonalizedAd: flag,
    childDirectedTreatment: flag,
    treatmentForUnderage: flag,
  },
  strict,
)
const insistBody = insist(
  Type.Object(
    {
      kind: Type.Literal('dfareporting#conversionsBatchInsertRequest'),
      conversions: Type.Array(Conversion, { minItems: 1, maxItems: 1_000 }),
    },
    strict,
  ),
)
const rowsOf = (json: unknown) => {
  const { conversions } = (json ?? {}) as { conversions?: object[] }
  return Array.isArray(conversions) ? conversions : []
}

const error = (code: number, reason: string, message: string) => ({
  status: code,
  json: { error: { code, message, errors: [{ domain: 'global', reason, message }] } },
})

/** A 200 in which the first conversion was refused. */
const failed = (code: string) => (message: string) => ({
  status: 200,
  json: { hasFailures: true, status: [{ errors: [{ kind: 'dfareporting#conversionError', code, message }] }] },
})

/**
 * https://developers.google.com/doubleclick-advertisers/rest/v5/conversions/batchinsert; Google's endpoint issues the
 * tokens.
 */
export const floodlight: MockVendor = {
  hosts: /^dfareporting\.googleapis\.com$/,
  check(got) {
    const isPath = /^\/dfareporting\/v5\/userprofiles\/\d+\/conversions\/batchinsert$/.test(got.path)
    const hasOneId = (row: object) => ids.filter((name) => Object.hasOwn(row, name)).length === 1
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(got.method === 'POST' && isPath, 'The path is not there.'),
        ...insistBody(got.json),
        ...unless(rowsOf(got.json).every(hasOneId), 'Exactly one user id is allowed.'),
      ],
    }
  },
  good: ({ json }) => ({ status: 200, json: { hasFailures: false, status: rowsOf(json).map(() => ({})) } }),
  visit: { query: { dclid: 'CJ-dclid' } },
  failures: {
    badKey: { reply: (says) => error(401, 'authError', says), means: 'keyRejected' },
    badPayload: { reply: (says) => error(400, 'badRequest', says), means: 'payloadRefused' },
    noRights: { reply: (says) => error(403, 'forbidden', says), means: 'payloadRefused' },
    quota: { reply: (says) => error(403, 'rateLimitExceeded', says), means: 'throttled' },
    unknownActivity: { reply: failed('NOT_FOUND'), means: 'payloadRefused' },
    internal: { reply: failed('INTERNAL'), means: 'vendorDown' },
    throttled: { reply: (says) => error(429, 'rateLimitExceeded', says), means: 'throttled' },
  },
}
