import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, only, text, unless } from './vendor.ts'

const deviceIds = ['idfa', 'idfv', 'aifa', 'asid', 'andi']

function isObject(json: string | undefined): boolean {
  try {
    return json === undefined || typeof JSON.parse(json) === 'object'
  } catch {
    return false
  }
}

/** https://support.singular.net/hc/en-us/articles/31496864868635: a refusal has the status 200. */
export const singular = simpleVendor({
  hosts: /^s2s\.singular\.net$/,
  method: 'GET',
  path: /^\/api\/v[12]\/evt$/,
  key: ({ query }) => query.a,
  query: only({
    ...Object.fromEntries(deviceIds.map((name) => [name, text])),
    a: text,
    p: Type.Enum(['Android', 'iOS', 'Web', 'PC', 'Xbox', 'Playstation', 'Nintendo', 'MetaQuest', 'CTV']),
    i: text,
    sdid: text,
    n: text,
    ip: Type.String({ pattern: '^\\d{1,3}(\\.\\d{1,3}){3}$' }),
    ua: text,
    utime: Type.String({ pattern: '^\\d{10}$' }),
    custom_user_id: text,
    is_revenue_event: Type.Literal('true'),
    amt: Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' }),
    cur: currency,
    purchase_product_id: text,
    purchase_transaction_id: text,
    data_sharing_options: Type.Enum(['{"limit_data_sharing":true}', '{"limit_data_sharing":false}']),
    e: text,
  }),
  also: ({ path, query }) => [
    ...unless(Boolean(query.a && query.p && query.i && query.n && query.ip), 'missing argument'),
    ...unless(path.includes('v2') ? Boolean(query.sdid) : deviceIds.some((id) => query[id]), 'no device ID supplied'),
    ...unless((query.amt === undefined) === (query.cur === undefined), 'amt and cur go together'),
    ...unless((query.amt === undefined) === (query.is_revenue_event === undefined), 'is_revenue_event goes with amt'),
    ...unless(isObject(query.e), 'e is no JSON object'),
  ],
  good: { status: 200, json: { status: 'ok' } },
  badKey: () => ({ status: 200, json: { status: 'error', reason: 'invalid SDK key' } }),
  badPayload: (reason) => ({ status: 200, json: { status: 'error', reason } }),
  failures: {
    closed: { reply: (says) => ({ status: 403, text: says }), means: 'vendorDown' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
  visit: { data: { sdid: '40009df0-d618-4d81-9da1-cbb3337b8dec' } },
})
