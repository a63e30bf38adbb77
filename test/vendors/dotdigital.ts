import { Type } from '#contract/schema.ts'
import { basicOf, currency, type Got, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const Identity = Type.Union([
  Type.Object({ identifier: Type.Literal('email'), value: Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' }) }),
  Type.Object({ identifier: Type.Literal('mobileNumber'), value: Type.String({ pattern: '^\\+\\d{8,15}$' }) }),
])
const insistEvents = insist(
  Type.Array(
    Type.Object({
      contactIdentity: Identity,
      type: Type.String({ minLength: 1, maxLength: 80 }),
      id: text,
      eventTimestamp: time,
      timelineDetails: Type.Object({ summary: Type.String({ minLength: 1, maxLength: 160 }) }),
      eventData: Type.Object({}),
    }),
    { minItems: 1, maxItems: 5_000 },
  ),
)
const insistOrder = insist(
  Type.Object({
    id: text,
    order_total: Type.Optional(Type.Number()),
    currency: Type.Optional(currency),
    purchase_date: time,
    products: Type.Array(
      Type.Object({
        name: Type.Optional(text),
        price: Type.Optional(Type.Number()),
        sku: Type.Optional(text),
        qty: Type.Integer({ minimum: 1 }),
      }),
    ),
  }),
)

const isOrder = ({ method, path }: Got) =>
  method === 'PUT' && /^\/insightData\/v3\/contacts\/email\/[^/]+\/[\w-]+\/[^/]+$/.test(path)
const refusal = (status: number, errorCode: string, description: string) => ({
  status,
  json: { errorCode, description },
})

/**
 * https://developer.dotdigital.com/reference/importevents,
 * https://developer.dotdigital.com/reference/putcontactinsightdatarecord
 */
const events: MockVendor = {
  hosts: /^r[123]-api\.dotdigital\.com$/,
  check(got) {
    const { user, password } = basicOf(got) ?? {}
    const isImport = got.method === 'POST' && got.path === '/events/v3/import'
    return {
      key: [...keyProblem(user), ...keyProblem(password)],
      payload: [
        ...unless(isImport || isOrder(got), 'The path is not there.'),
        ...(isOrder(got) ? insistOrder : insistEvents)(got.json),
      ],
    }
  },
  good: (got) => ({ status: isOrder(got) ? 201 : 202 }),
  failures: {
    badKey: { reply: (says) => refusal(401, 'auth:unauthorized', says), means: 'keyRejected' },
    badPayload: { reply: (says) => refusal(400, 'events:badJson', says), means: 'payloadRefused' },
    unknownContact: { reply: (says) => refusal(404, 'insightData:notFound', says), means: 'payloadRefused' },
    allowance: { reply: (says) => refusal(400, 'ERROR_APIUSAGE_EXCEEDED', says), means: 'throttled' },
    throttled: {
      reply: (says) => ({ ...refusal(429, 'rateLimit', says), headers: { 'x-ratelimit-reset': '20' } }),
      means: 'throttled',
    },
  },
}

const find = {
  method: 'GET',
  path: /^\/contacts\/v3\/(email|mobileNumber)\/[^/]+$/,
  good: { status: 200, json: { contactId: 12_345 } },
}

/** The update of an existing contact. */
const update = {
  method: 'PATCH',
  path: /^\/contacts\/v3\/contactId\/\d+$/,
  json: Type.Object(
    {
      dataFields: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        minProperties: 1,
      }),
    },
    { additionalProperties: false },
  ),
  good: { status: 200, json: {} },
}

/** Creates a contact if there is none. */
export const dotdigital = withEndpoint(withEndpoint(withEndpoint(events, find), update), {
  method: 'PATCH',
  path: /^\/contacts\/v3\/email\/[^/]+$/,
  json: Type.Object(
    {
      channelProperties: Type.Object({
        email: Type.Object({
          status: Type.Literal('subscribed'),
          emailType: Type.Enum(['html', 'plainText']),
          optInType: Type.Enum(['unknown', 'single', 'double', 'verifiedDouble']),
        }),
      }),
      lists: Type.Array(Type.Integer({ minimum: 1 })),
    },
    { additionalProperties: false },
  ),
  good: { status: 200, json: {} },
})
