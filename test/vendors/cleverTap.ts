import { Type } from '#contract/schema.ts'
import { currency, insist, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const flat = Type.Union([Type.String({ maxLength: 512 }), Type.Number(), Type.Boolean()])
const key = Type.String({ maxLength: 120 })
const money = { Amount: Type.Optional(Type.Number()), Currency: Type.Optional(currency) }
const row = { identity: text, ts: Type.Integer({ minimum: 1_000_000_000, maximum: 9_999_999_999 }) }
const flatData = Type.Record(key, flat, { additionalProperties: false, maxProperties: 100 })
const insistEvent = insist(
  Type.Object(
    {
      ...row,
      type: Type.Literal('event'),
      evtName: Type.String({ minLength: 1, maxLength: 120 }),
      evtData: Type.Object(money, { maxProperties: 100 }),
    },
    { additionalProperties: false },
  ),
)
const insistProfile = insist(
  Type.Object(
    {
      ...row,
      type: Type.Literal('profile'),
      profileData: only({
        Name: text,
        Email: text,
        Phone: Type.String({ pattern: '^\\+\\d{8,15}$' }),
        Gender: Type.Enum(['M', 'F']),
      }),
    },
    { additionalProperties: false },
  ),
)
const insistFlat = insist(flatData)
const insistItems = insist(Type.Optional(Type.Array(flatData, { minItems: 1, maxItems: 50 })))
const insistBody = insist(Type.Object({ d: Type.Array(Type.Object({}), { minItems: 1, maxItems: 1_000 }) }))

type Row = { type?: string; evtName?: string; evtData?: Record<string, unknown> }

/** Only Charged has a list of items. */
function rowProblems(each: Row): string[] {
  if (each.type === 'profile') return insistProfile(each)
  const { Items, ...rest } = each.evtData ?? {}
  const isCharged = each.evtName === 'Charged'
  return [
    ...insistEvent(each),
    ...insistFlat(isCharged ? rest : (each.evtData ?? {})),
    ...(isCharged && Items !== undefined ? insistItems(Items) : []),
  ]
}
const error = (status: number) => (message: string) => ({ status, json: { status: 'fail', error: message, code: 1 } })

/** https://developer.clevertap.com/docs/upload-events-api */
export const cleverTap: MockVendor = {
  hosts: /^([a-z0-9]+\.)?api\.clevertap\.com$/,
  check({ method, path, headers, json }) {
    const { d = [] } = (json ?? {}) as { d?: Row[] }
    return {
      key: [
        ...keyProblem(headers['x-clevertap-passcode']),
        ...unless(Boolean(headers['x-clevertap-account-id']), 'The account is missing.'),
      ],
      payload: [
        ...unless(method === 'POST' && path === '/1/upload', 'The path is not there.'),
        ...unless(/^application\/json; charset=utf-8$/.test(headers['content-type'] ?? ''), 'Unsupported media type.'),
        ...insistBody(json),
        ...d.flatMap(rowProblems),
      ],
    }
  },
  good: ({ json }) => ({
    status: 200,
    json: { status: 'success', processed: (json as { d: Row[] }).d.length, unprocessed: [] },
  }),
  failures: {
    badKey: { reply: error(401), means: 'keyRejected' },
    badPayload: { reply: error(400), means: 'payloadRefused' },
    inside: { reply: error(200), means: 'payloadRefused' },
    unprocessed: {
      reply: (says, { json }) => ({
        status: 200,
        json: {
          status: 'partial',
          processed: 0,
          unprocessed: [{ status: 'fail', code: 509, error: says, record: (json as { d: Row[] }).d[0] }],
        },
      }),
      means: 'payloadRefused',
    },
    throttled: { reply: error(429), means: 'throttled' },
  },
}
