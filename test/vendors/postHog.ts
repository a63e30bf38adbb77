import { Type } from '#contract/schema.ts'
import { type Got, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'

const uuid = Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })
const id = Type.String({ minLength: 1, maxLength: 200 })
const common = { event: text, timestamp: time, uuid: Type.Optional(uuid) }
const closed = { additionalProperties: false }
const known = { $insert_id: Type.Optional(text), $ip: Type.Optional(text), $set: Type.Optional(Type.Object({})) }
const insistEvent = insist(
  Type.Object({ api_key: text, ...common, distinct_id: id, properties: Type.Object(known) }, closed),
)
const insistBatch = insist(
  Type.Object(
    {
      api_key: text,
      batch: Type.Array(Type.Object({ ...common, properties: Type.Object({ ...known, distinct_id: id }) }, closed), {
        minItems: 1,
      }),
    },
    closed,
  ),
)
const generic = new Set(['anonymous', 'guest', 'distinctid', 'id', 'undefined', 'none', 'null', 'true', 'false', '0'])

type Body = { api_key?: string; distinct_id?: string; batch?: { properties?: { distinct_id?: string } }[] }
const bodyOf = ({ json }: Got): Body => (json ?? {}) as Body

/** https://posthog.com/docs/api/capture */
export const postHog: MockVendor = {
  hosts: /\.i\.posthog\.com$|posthog/,
  check(got) {
    const { api_key, distinct_id, batch = [] } = bodyOf(got)
    const isBatch = got.path === '/batch/'
    const ids = [distinct_id, ...batch.map(({ properties }) => properties?.distinct_id)]
    return {
      key: keyProblem(api_key),
      payload: [
        ...unless(got.method === 'POST' && (isBatch || got.path === '/i/v0/e/'), 'The path is not there.'),
        ...(isBatch ? insistBatch : insistEvent)(got.json),
        ...unless(!ids.some((each) => generic.has(`${each}`.toLowerCase()) && each), 'The distinct_id is generic.'),
      ],
    }
  },
  good: () => ({ status: 200, json: { status: 'Ok' } }),
  failures: {
    badKey: { reply: (says) => ({ status: 401, text: `API key invalid: ${says}` }), means: 'keyRejected' },
    badPayload: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' },
    tooLarge: { reply: (says) => ({ status: 413, text: says }), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
}
