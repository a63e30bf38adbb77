import { createHash } from 'node:crypto'
import { Type } from '#contract/schema.ts'
import { type Got, insist, keyProblem, type MockVendor, text, unless } from './vendor.ts'

/** Secrets by API key, whose signatures are recomputed here. For other keys only the format is checked. */
const known: Record<string, string> = { key: 'secret' }

const itemOf = Type.Object({
  id: text,
  title: text,
  price: Type.Integer(),
  qty: Type.Integer({ minimum: 1 }),
  url: Type.String({ pattern: '^https?://' }),
})
const insistOf: Record<string, (value: unknown) => string[]> = {
  '/purchase': insist(
    Type.Object({
      email: text,
      items: Type.Array(itemOf, { minItems: 1 }),
      incomplete: Type.Optional(Type.Enum([0, 1])),
      purchase_keys: Type.Optional(Type.Object({ extid: text })),
    }),
  ),
  '/return': insist(
    Type.Object({
      email: text,
      items: Type.Array(Type.Object({ id: text, price: Type.Integer(), qty: Type.Integer(), order_id: text }), {
        minItems: 1,
      }),
    }),
  ),
  '/event': insist(Type.Object({ id: text, event: text, vars: Type.Optional(Type.Object({})) })),
}

function payloadOf(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '')
  } catch {
    return undefined
  }
}

/** MD5 of the secret followed by the sorted values, before encoding. */
function keyProblems({ form }: Got): string[] {
  const { api_key = '', format = '', json = '', sig = '' } = form
  const secret = known[api_key]
  const due = createHash('md5')
    .update(`${secret}${[api_key, format, json].sort().join('')}`)
    .digest('hex')
  return [
    ...keyProblem(api_key),
    ...unless(
      /^[0-9a-f]{32}$/.test(sig) && (!secret || sig === due),
      'Authentication failed: signature hash is invalid.',
    ),
  ]
}

const failed = (status: number, error: number, errormsg: string) => ({ status, json: { error, errormsg } })

/** https://getstarted.meetmarigold.com/engagebysailthru/Content/developers/api/purchase.html */
export const sailthru: MockVendor = {
  hosts: /^api\.sailthru\.com$/,
  check: (got) => ({
    key: keyProblems(got),
    payload: [
      ...unless(got.method === 'POST' && got.form.format === 'json', 'Send format=json.'),
      ...(insistOf[got.path]?.(payloadOf(got.form.json)) ?? ['The path is not there.']),
    ],
  }),
  good: () => ({ status: 200, json: { ok: true } }),
  failures: {
    badKey: { reply: (says) => failed(401, 3, `Invalid API key: ${says}`), means: 'keyRejected' },
    badSignature: { reply: (says) => failed(200, 5, says), means: 'keyRejected' },
    badPayload: { reply: (says) => failed(400, 2, says), means: 'payloadRefused' },
    inside: { reply: (says) => failed(200, 11, `Invalid email: ${says}`), means: 'payloadRefused' },
    internal: { reply: (says) => failed(200, 9, says), means: 'vendorDown' },
    throttled: {
      reply: (says) => ({ ...failed(429, 43, says), headers: { 'x-rate-limit-reset': '60' } }),
      means: 'throttled',
    },
  },
}
