import { Type } from '#contract/schema.ts'
import { basicOf, bearerOf, type Got, insist, keyProblem, type MockVendor, text, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const key = { key_id: Type.String({ pattern: '^\\w+$' }) }
const contact = { external_id: text, data: Type.Optional(Type.Object({})) }
const insistOne = insist(Type.Object({ ...key, ...contact }, { additionalProperties: false }))
const insistMany = insist(
  Type.Object(
    { ...key, contacts: Type.Array(Type.Object(contact), { minItems: 1, maxItems: 1_000 }) },
    { additionalProperties: false },
  ),
)

const isToken = ({ host }: Got) => host === 'auth.emarsys.net'
const reply = (status: number, replyCode: number, replyText: string, data: unknown = '') => ({
  status,
  json: { replyCode, replyText, data },
})

function tokenProblems(got: Got) {
  const { user, password } = basicOf(got) ?? {}
  return [
    ...unless(got.path === '/oauth2/token' && got.form.grant_type === 'client_credentials', 'unsupported_grant_type'),
    ...keyProblem(user),
    ...keyProblem(password),
  ]
}

/** https://dev.emarsys.com/docs/core-api-reference/fl0xx6rwfbwqb-trigger-an-external-event, and the token endpoint. */
const events: MockVendor = {
  hosts: /^(api|auth)\.emarsys\.net$/,
  check(got) {
    if (isToken(got)) return { key: tokenProblems(got), payload: [] }
    const isMany = Object.hasOwn(Object(got.json), 'contacts')
    const isPath = /^\/api\/v[23]\/event\/\d+\/trigger$/.test(got.path)
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(got.method === 'POST' && isPath, 'The path is not there.'),
        ...(isMany ? insistMany : insistOne)(got.json),
      ],
    }
  },
  good: (got) =>
    isToken(got)
      ? { status: 200, json: { access_token: 'mock-token', expires_in: 3_600, token_type: 'bearer' } }
      : reply(200, 0, 'OK'),
  failures: {
    badKey: { reply: (says) => reply(401, 1, says), means: 'keyRejected' },
    badPayload: { reply: (says) => reply(400, 10_001, says), means: 'payloadRefused' },
    unknownContact: {
      reply: (says) => reply(200, 0, 'OK', { ids: [], errors: { 'ada@example.com': { '2008': says } } }),
      means: 'payloadRefused',
    },
    noPermission: { reply: (says) => reply(403, 1, says), means: 'payloadRefused' },
    throttled: {
      reply: (says) => ({ ...reply(429, 1, says), headers: { 'x-ratelimit-reset': '30' } }),
      means: 'throttled',
    },
  },
}

/** The update of a person. */
export const emarsys = withEndpoint(events, {
  method: 'PUT',
  path: /^\/api\/v[23]\/contact$/,
  json: Type.Object(
    {
      ...key,
      contacts: Type.Array(
        Type.Record(
          Type.String({ pattern: '^(?!31$)\\d+$' }),
          Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
          {
            additionalProperties: false,
            minProperties: 2,
          },
        ),
        { minItems: 1, maxItems: 1_000 },
      ),
    },
    { additionalProperties: false },
  ),
  good: reply(200, 0, 'OK', { ids: ['1'] }),
})
