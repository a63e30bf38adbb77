import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, type Got, insist, only, text, unless } from './vendor.ts'

const amount = Type.Number({ minimum: 0 })
const insistDetails = insist(
  only({
    price_usd: amount,
    purchase_id: text,
    value: amount,
    currency,
    search: text,
    contents: Type.Array(only({ id: text, quantity: Type.Integer({ minimum: 1 }), price: amount })),
  }),
)

type Body = { ts?: number; em?: string; ip?: string; ed?: string }

function problemsOf({ json }: Got, now: number): string[] {
  const { ts = 0, em, ip, ed } = (json ?? {}) as Body
  return [
    ...unless(ts > now - 7 * 86_400_000 - 60_000 && ts < now + 600_000, 'ts is out of range.'),
    ...unless(Boolean(em ?? ip), 'One of ip, em is required.'),
    ...(ed === undefined ? [] : insistDetails(JSON.parse(ed))),
  ]
}

/** The endpoint, as the vendor's own sender for Segment calls it. It checks no key. */
export const vibe = simpleVendor({
  hosts: /^t\.vibe\.co$/,
  path: /^\/s2s-conversion\/events\/\w+$/,
  headers: { accept: /^application\/json$/ },
  json: Type.Object(
    {
      a: Type.Enum(['call', 'install', 'lead', 'page_view', 'purchase', 'signup']),
      eid: text,
      aid: text,
      ts: Type.Integer(),
      ip: Type.Optional(Type.String({ pattern: '^\\d{1,3}(?:\\.\\d{1,3}){3}$' })),
      em: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' })),
      ua: Type.Optional(text),
      ed: Type.Optional(text),
      url: Type.Optional(text),
      gid: Type.Optional(text),
    },
    { additionalProperties: false },
  ),
  also: problemsOf,
  good: { status: 202 },
  badPayload: (message) => ({ status: 400, json: { message } }),
  failures: {
    throttled: { reply: (message) => ({ status: 429, text: message }), means: 'throttled' },
  },
})
