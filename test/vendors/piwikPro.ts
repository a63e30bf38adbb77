import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { insist, text } from './vendor.ts'

const amount = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
const optionalFields = {
  _id: Type.String({ pattern: '^[0-9a-fA-F]{16}$' }),
  url: Type.String({ pattern: '^\\w+://' }),
  uid: text,
  uia: Type.Enum(['0', '1']),
  cip: Type.String({ pattern: '^[0-9a-fA-F.:]+$' }),
  e_t: Type.Enum(['product-detail-view', 'add-to-cart', 'remove-from-cart', 'order', 'cart-update']),
  e_c: text,
  e_a: text,
  e_n: text,
  e_v: Type.String({ pattern: '^\\d+(\\.\\d+)?$' }),
  search: text,
  search_count: Type.String({ pattern: '^\\d+$' }),
  revenue: amount,
  ec_id: text,
  ec_st: amount,
  ec_tx: amount,
  ec_sh: amount,
  ec_dt: amount,
}
const insistHit = insist(
  Type.Object({
    idsite: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    rec: Type.Literal('1'),
    cdt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' }),
    ...Object.fromEntries(Object.entries(optionalFields).map(([name, schema]) => [name, Type.Optional(schema)])),
  }),
)
const product = Type.Tuple(
  [text, Type.String(), Type.Array(text), Type.Number(), Type.Number(), Type.String(), Type.String(), Type.Object({})],
  { additionalItems: false },
)
const insistProducts = insist(Type.Array(product, { minItems: 1 }))

function hitProblems(query: string, now: number): string[] {
  if (!query.startsWith('?')) return ['A request begins with a question mark.']
  const hit = Object.fromEntries(new URLSearchParams(query))
  const isOld = Date.parse(`${hit.cdt}Z`) < now - 86_460_000
  return [
    ...insistHit(hit),
    ...(hit.ec_products ? insistProducts(JSON.parse(hit.ec_products)) : []),
    ...(hit.e_t === 'order' && !(hit.ec_id && hit.revenue) ? ['An order needs ec_id and revenue.'] : []),
    ...(isOld ? ['cdt is too old.'] : []),
  ]
}

/** https://developers.piwik.pro/en/latest/data_collection/api/http_api.html: needs no key. */
export const piwikPro = simpleVendor({
  hosts: /piwik/,
  path: /^\/ppms\.php$/,
  json: Type.Object({ requests: Type.Array(Type.String(), { minItems: 1 }) }, { additionalProperties: false }),
  also: ({ json }, now) => {
    const { requests = [] } = (json ?? {}) as { requests?: string[] }
    return requests.flatMap((query) => hitProblems(query, now))
  },
  good: { status: 202 },
  badPayload: (says) => ({ status: 400, text: says }),
})
