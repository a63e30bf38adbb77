import { Type } from '#contract/schema.ts'
import { bearerOf, currency, digest, insist, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const userId = (idType: string, idValue: typeof digest) =>
  Type.Object({ idType: Type.Literal(idType), idValue }, { additionalProperties: false })
const uuid = Type.String({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
const Conversion = Type.Object(
  {
    conversion: Type.String({ pattern: '^urn:lla:llaPartnerConversion:\\d+$' }),
    conversionHappenedAt: Type.Integer(),
    eventId: Type.Optional(text),
    conversionValue: Type.Optional(
      Type.Object({ currencyCode: currency, amount: Type.String({ pattern: '^\\d+(\\.\\d+)?$' }) }),
    ),
    user: Type.Object(
      {
        userIds: Type.Array(
          Type.Union([
            userId('SHA256_EMAIL', digest),
            userId('LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID', uuid),
            userId('PLAINTEXT_IP_ADDRESS', Type.String({ pattern: '^\\d{1,3}(?:\\.\\d{1,3}){3}$' })),
          ]),
        ),
        userInfo: Type.Optional(
          Type.Object({
            firstName: text,
            lastName: text,
            countryCode: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
          }),
        ),
        externalIds: Type.Optional(Type.Array(text, { minItems: 1, maxItems: 1 })),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)
const insistOne = insist(Conversion)
const insistMany = insist(only({ elements: Type.Array(Conversion, { minItems: 1, maxItems: 5_000 }) }))

type Row = { conversionHappenedAt?: number; user?: { userIds?: object[]; userInfo?: object } }

const error = (status: number) => (message: string) => ({ status, json: { status, message } })

/** https://learn.microsoft.com/en-us/linkedin/marketing/integrations/ads-reporting/conversions-api */
export const linkedIn: MockVendor = {
  hosts: /^api\.linkedin\.com$/,
  check(got, now) {
    const { method, path, headers, json } = got
    const isBatch = headers['x-restli-method'] === 'BATCH_CREATE'
    const rows = isBatch ? ((json as { elements?: Row[] }).elements ?? []) : [(json ?? {}) as Row]
    const isYoung = ({ conversionHappenedAt: at = 0 }: Row) => at > now - 90 * 86_400_000 - 60_000 && at < now + 600_000
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(method === 'POST' && path === '/rest/conversionEvents', 'The path is not there.'),
        ...unless(/^20\d{4}$/.test(headers['linkedin-version'] ?? ''), 'A version must be present.'),
        ...unless(headers['x-restli-protocol-version'] === '2.0.0', 'The protocol version must be 2.0.0.'),
        ...(isBatch ? insistMany : insistOne)(json),
        ...unless(rows.every(isYoung), 'conversionHappenedAt is out of range.'),
        ...unless(
          rows.every(({ user }) => (user?.userIds?.length ?? 0) > 0 || user?.userInfo),
          'One of userIds, userInfo is required.',
        ),
      ],
    }
  },
  good: ({ headers, json }) =>
    headers['x-restli-method'] === 'BATCH_CREATE'
      ? { status: 200, json: { elements: (json as { elements: object[] }).elements.map(() => ({ status: 201 })) } }
      : { status: 201 },
  failures: {
    badKey: { reply: error(401), means: 'keyRejected' },
    badPayload: { reply: error(422), means: 'payloadRefused' },
    noPermission: { reply: error(403), means: 'payloadRefused' },
    locked: { reply: error(423), means: 'vendorDown' },
    throttled: { reply: error(429), means: 'throttled' },
  },
}
