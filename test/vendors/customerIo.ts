import { Type } from '#contract/schema.ts'
import { basicOf, type Got, insist, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const facts = {
  name: Type.String({ minLength: 1, pattern: '^\\S([\\s\\S]*\\S)?$' }),
  id: Type.String({ pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' }),
  timestamp: Type.Integer({ maximum: 9_999_999_999 }),
}
const Person = Type.Object({
  type: Type.Literal('person'),
  identifiers: only({ id: Type.String({ minLength: 1, maxLength: 150 }), email: text, cio_id: text }),
  attributes: Type.Object({}),
})
const insistEvent = insist(Type.Intersect([Person, Type.Object({ action: Type.Enum(['event', 'page']), ...facts })]))
const insistProfile = insist(Type.Intersect([Person, Type.Object({ action: Type.Literal('identify') })]))
const insistAnonymous = insist(
  Type.Object({ ...facts, type: Type.Optional(Type.Literal('page')), anonymous_id: text, data: Type.Object({}) }),
)
const sender = ['recipient', 'from_address', 'reply_to']

type Told = { action?: string; identifiers?: object; attributes?: object; data?: object }

function wrongWith(row: Told): string[] {
  const insistRow =
    row.identifiers === undefined ? insistAnonymous : row.action === 'identify' ? insistProfile : insistEvent
  const names = Object.keys(row.attributes ?? row.data ?? {})
  return [
    ...insistRow(row),
    ...unless(Object.keys(row.identifiers ?? { id: 1 }).length === 1, 'Exactly one identifier names the person.'),
    ...unless(!names.some((name) => sender.includes(name)), 'The attribute overrides the settings of a campaign.'),
    ...unless(Buffer.byteLength(JSON.stringify(row)) <= 32_000, 'An item has at most 32 kB.'),
  ]
}

const isBatch = ({ path }: Got) => path === '/api/v2/batch'
const rowsOf = (got: Got): Told[] =>
  isBatch(got) ? ((got.json as { batch?: Told[] } | undefined)?.batch ?? []) : [(got.json ?? {}) as Told]

const refusal = (status: number, reason: string, message: string, more: object = {}) => ({
  status,
  json: { errors: [{ reason, field: 'identifiers', message, ...more }] },
})

/** https://docs.customer.io/integrations/api/track/ */
export const customerIo: MockVendor = {
  hosts: /^track(-eu)?\.customer\.io$/,
  check(got) {
    const { user, password } = basicOf(got) ?? {}
    const isPath = /^\/api\/(v2\/(entity|batch)|v1\/events)$/.test(got.path)
    const isAnonymous = got.path === '/api/v1/events'
    return {
      key: [...keyProblem(user), ...keyProblem(password)],
      payload: [
        ...unless(got.method === 'POST' && isPath, 'The path is not there.'),
        ...unless(rowsOf(got).length > 0 && got.body.length <= 500_000, 'A batch has at most 500 kB.'),
        ...rowsOf(got).flatMap((row) => [
          ...unless(isAnonymous === (row.identifiers === undefined), 'The identifiers are missing.'),
          ...wrongWith(row),
        ]),
      ],
    }
  },
  good: () => ({ status: 200, json: {} }),
  failures: {
    badKey: { reply: (says) => ({ status: 401, json: { meta: { error: says } } }), means: 'keyRejected' },
    badPayload: { reply: (says) => refusal(400, 'invalid', says), means: 'payloadRefused' },
    rows: { reply: (says) => refusal(207, 'invalid', says, { batch_index: 0 }), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, json: { meta: { error: says } } }), means: 'throttled' },
  },
}
