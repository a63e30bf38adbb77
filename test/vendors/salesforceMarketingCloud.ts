import { Type } from '#contract/schema.ts'
import { bearerOf, type Got, insist, keyProblem, type MockVendor, text, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const insistToken = insist(
  Type.Object(
    {
      grant_type: Type.Literal('client_credentials'),
      client_id: text,
      client_secret: text,
      account_id: Type.Optional(Type.String({ pattern: '^\\d+$' })),
    },
    { additionalProperties: false },
  ),
)
const insistEvent = insist(
  Type.Object(
    {
      ContactKey: text,
      EventDefinitionKey: Type.String({ pattern: '^[^.]+$' }),
      Data: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    },
    { additionalProperties: false },
  ),
)

const isToken = ({ host }: Got) => host.endsWith('.auth.marketingcloudapis.com')
const refusal = (status: number, message: string) => ({
  status,
  json: { documentation: 'https://developer.salesforce.com/docs', errorcode: 30_003, message },
})

/**
 * https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/how-to-fire-an-event.html, and the token
 * endpoint.
 */
const events: MockVendor = {
  hosts: /^[a-z0-9-]+\.(auth|rest)\.marketingcloudapis\.com$/,
  check(got) {
    const isPost = got.method === 'POST'
    if (isToken(got)) {
      const { client_secret } = Object(got.json) as { client_secret?: string }
      const isPath = isPost && got.path === '/v2/token'
      const key = [...insistToken(got.json), ...keyProblem(client_secret), ...unless(isPath, 'The path is not there.')]
      return { key, payload: [] }
    }
    const isPath = isPost && got.path === '/interaction/v1/events'
    return {
      key: keyProblem(bearerOf(got)),
      payload: [...unless(isPath, 'The path is not there.'), ...insistEvent(got.json)],
    }
  },
  good: (got) =>
    isToken(got)
      ? { status: 200, json: { access_token: 'mock-token', expires_in: 1_079, token_type: 'Bearer' } }
      : { status: 201, json: { eventInstanceId: '00000000-0000-4000-8000-000000000001' } },
  failures: {
    badKey: { reply: (says) => refusal(401, says), means: 'keyRejected' },
    badPayload: { reply: (says) => refusal(400, says), means: 'payloadRefused' },
    noRights: { reply: (says) => refusal(403, says), means: 'payloadRefused' },
    throttled: { reply: (says) => refusal(429, says), means: 'throttled' },
  },
}

/** The update of a person. */
export const salesforceMarketingCloud = withEndpoint(events, {
  method: 'POST',
  path: /^\/hub\/v1\/dataevents\/key:[^/]+\/rowset$/,
  json: Type.Array(
    Type.Object(
      {
        keys: Type.Record(Type.String(), Type.String(), { minProperties: 1 }),
        values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
          minProperties: 1,
        }),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
  good: { status: 200, json: [] },
})
