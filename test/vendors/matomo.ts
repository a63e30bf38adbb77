import { Type } from '#contract/schema.ts'
import { type Got, insist, type MockVendor, text, unless } from './vendor.ts'

const amount = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
const whole = Type.String({ pattern: '^\\d+$' })
const fields = {
  idsite: text,
  rec: Type.Literal('1'),
  cdt: Type.String({ pattern: '^\\d{10}$' }),
  ...Object.fromEntries(
    Object.entries({
      apiv: Type.Literal('1'),
      send_image: Type.Literal('0'),
      ca: Type.Literal('1'),
      _id: Type.String({ pattern: '^[0-9a-fA-F]{16}$' }),
      idgoal: whole,
      search_count: whole,
      url: Type.String({ pattern: '^\\w+://' }),
      e_c: text,
      e_a: text,
      e_v: amount,
      revenue: amount,
      ec_id: text,
      ec_st: amount,
      ec_tx: amount,
      ec_sh: amount,
      ec_dt: amount,
      _pkp: amount,
    }).map(([name, schema]) => [name, Type.Optional(schema)]),
  ),
}
const insistHit = insist(Type.Object(fields))
const insistItems = insist(
  Type.Array(
    Type.Tuple([text, Type.String(), Type.String(), Type.Number(), Type.Number()], { additionalItems: false }),
    { minItems: 1 },
  ),
)

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function hitProblems(hit: Record<string, string>, token: string | undefined, now: number): string[] {
  const isOrder = hit.idgoal === '0'
  return [
    ...insistHit(hit),
    ...(hit.ec_items ? insistItems(parsed(hit.ec_items)) : []),
    ...unless(!isOrder || Boolean(hit.ec_id && hit.revenue), 'An order needs ec_id and revenue.'),
    ...unless(Boolean(token) || !hit.cip, 'cip is not allowed without token_auth.'),
    ...unless(Boolean(token) || Number(hit.cdt) * 1_000 > now - 86_460_000, 'cdt is too old without token_auth.'),
    ...unless(!hit.e_a === !hit.e_c, 'An event needs e_c and e_a.'),
  ]
}

type Bulk = { requests?: string[]; token_auth?: string }

/** The hits of a request, and its token: from a form, or from the bulk interface. */
function readHits({ json, form }: Got) {
  if (!json) return { hits: [form], token: form.token_auth }
  const { requests = [], token_auth: token } = json as Bulk
  return { hits: requests.map((query) => Object.fromEntries(new URLSearchParams(query))), token }
}

/** https://developer.matomo.org/api-reference/tracking-api */
export const matomo: MockVendor = {
  hosts: /matomo/,
  check(got, now) {
    const { hits, token } = readHits(got)
    return {
      key: unless(!token || !/^bad/.test(token), 'The token is not known.'),
      payload: [
        ...unless(got.method === 'POST' && got.path.endsWith('/matomo.php'), 'The path is not there.'),
        ...unless(Object.keys(got.query).length === 0, 'token_auth and the hit stand in the body.'),
        ...unless(hits.length > 0, 'No hit is there.'),
        ...hits.flatMap((hit) => hitProblems(hit, token, now)),
      ],
    }
  },
  good: (got) =>
    got.json
      ? { status: 200, json: { status: 'success', tracked: readHits(got).hits.length, invalid: 0 } }
      : { status: 204 },
  failures: {
    badKey: { reply: (says) => ({ status: 401, text: says }), means: 'keyRejected' },
    badPayload: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' },
    forbidden: { reply: (says) => ({ status: 403, text: says }), means: 'keyRejected' },
    failed: {
      reply: (message) => ({ status: 200, json: { status: 'error', tracked: 0, message } }),
      means: 'payloadRefused',
    },
  },
}
