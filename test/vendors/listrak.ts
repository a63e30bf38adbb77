import { Type } from '#contract/schema.ts'
import { bearerOf, type Got, insist, keyProblem, type MockVendor, text, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const amount = Type.Optional(Type.Number())
const insistOrders = insist(
  Type.Array(
    Type.Object({
      orderNumber: Type.String({ minLength: 1, maxLength: 50 }),
      email: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 100 })),
      customerNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
      dateEntered: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$' }),
      status: Type.Literal('Completed'),
      itemTotal: amount,
      orderTotal: amount,
      shippingTotal: amount,
      taxTotal: amount,
      couponCode: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
      items: Type.Optional(
        Type.Array(
          Type.Object({
            orderNumber: text,
            sku: Type.String({ minLength: 1, maxLength: 100 }),
            price: amount,
            quantity: Type.Integer({ minimum: 1 }),
            itemTotal: amount,
          }),
        ),
      ),
    }),
    { minItems: 1 },
  ),
)
const Identifier = Type.Union([
  Type.Object({
    identifierType: Type.Literal('EmailAddress'),
    identifierValue: Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' }),
  }),
  Type.Object({
    identifierType: Type.Literal('PhoneNumber'),
    identifierValue: Type.String({ pattern: '^\\d{8,15}$' }),
  }),
])
const insistEvents = insist(
  Type.Object({
    events: Type.Array(
      Type.Object({
        identifiers: Type.Array(Identifier, { minItems: 1 }),
        dataFields: Type.Record(Type.String(), Type.String()),
      }),
      { minItems: 1 },
    ),
  }),
)

const isToken = ({ host }: Got) => host === 'auth.listrak.com'
const isOrders = ({ path }: Got) => path === '/data/v1/Order'
const refusal = (status: number, error: string, message: string) => ({ status, json: { status, error, message } })

/** https://api.listrak.com/data, https://api.listrak.com/crosschannel/v1/docs, and the token endpoint. */
const events: MockVendor = {
  hosts: /^(api|auth)\.listrak\.com$/,
  check(got) {
    if (isToken(got)) {
      const { grant_type, client_id, client_secret } = got.form
      const isGrant = got.path === '/OAuth2/Token' && grant_type === 'client_credentials'
      const key = [...unless(isGrant, 'unsupported_grant_type'), ...[client_id, client_secret].flatMap(keyProblem)]
      return { key, payload: [] }
    }
    const isPath = isOrders(got) || /^\/crosschannel\/v1\/eventConfigurations\/[\w-]+\/events$/.test(got.path)
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(got.method === 'POST' && isPath, 'The path is not there.'),
        ...(isOrders(got) ? insistOrders : insistEvents)(got.json),
      ],
    }
  },
  good(got) {
    if (isToken(got)) return { status: 200, json: { access_token: 'mock-token', expires_in: 3_600 } }
    if (isOrders(got)) return { status: 201, json: { status: 201, resourceId: '' } }
    const { events } = got.json as { events: { identifiers: object[] }[] }
    const data = events.map(({ identifiers }) => ({ identifiers, statusCode: 200, errors: [] }))
    return { status: 200, json: { data, meta: {} } }
  },
  failures: {
    badKey: { reply: (says) => refusal(401, 'ERROR_UNAUTHORIZED', says), means: 'keyRejected' },
    badPayload: { reply: (says) => refusal(400, 'ERROR_INVALID_PARAMETER', says), means: 'payloadRefused' },
    recipient: {
      reply: (says) => ({ status: 200, json: { data: [{ identifiers: [], statusCode: 400, errors: [says] }] } }),
      means: 'payloadRefused',
    },
    noOrders: { reply: (says) => refusal(404, 'ERROR_NOT_FOUND', says), means: 'payloadRefused' },
    throttled: { reply: (says) => refusal(429, 'ERROR_RATE_LIMIT', says), means: 'throttled' },
  },
}

/** The update of a person. */
export const listrak = withEndpoint(events, {
  method: 'POST',
  path: /^\/data\/v1\/Customer$/,
  json: Type.Array(
    Type.Object(
      {
        email: Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 100 }),
        customerNumber: Type.Optional(Type.String({ maxLength: 20 })),
        firstName: Type.Optional(Type.String({ maxLength: 50 })),
        lastName: Type.Optional(Type.String({ maxLength: 50 })),
        mobilePhone: Type.Optional(Type.String({ maxLength: 50 })),
        zipCode: Type.Optional(Type.String({ maxLength: 20 })),
        ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`meta${n}`, Type.Optional(Type.String({ maxLength: 250 }))])),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
  good: { status: 201, json: { status: 201, resourceId: '' } },
})
