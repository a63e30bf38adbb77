import { Type } from '#contract/schema.ts'
import { currency, insist, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const userData = only({
  developer_identity: text,
  browser_fingerprint_id: Type.String({ pattern: '^\\d+$' }),
  user_agent: text,
  ip: text,
  idfa: text,
  idfv: text,
  aaid: text,
  android_id: text,
  os: Type.Enum(['iOS', 'Android']),
  environment: Type.Enum(['FULL_WEB', 'FULL_APP']),
  http_referrer: Type.String(),
  limit_ad_tracking: Type.Boolean(),
  app_version: text,
  os_version: text,
  brand: text,
  model: text,
})
const eventData = only({
  transaction_id: text,
  currency,
  revenue: Type.Number(),
  shipping: Type.Number(),
  tax: Type.Number(),
  coupon: text,
  search_query: Type.String(),
})
const item = only({
  ...Object.fromEntries(
    ['$sku', '$product_name', '$product_brand', '$product_variant', '$canonical_identifier', '$canonical_url'].map(
      (name) => [name, Type.String()],
    ),
  ),
  $price: Type.Number(),
  $quantity: Type.Number(),
  $currency: currency,
})
const common = { branch_key: text, user_data: userData, custom_data: Type.Record(Type.String(), Type.String()) }
const names = [
  'VIEW_ITEM',
  'ADD_TO_CART',
  'INITIATE_PURCHASE',
  'ADD_PAYMENT_INFO',
  'PURCHASE',
  'SUBSCRIBE',
  'SEARCH',
  'COMPLETE_REGISTRATION',
  ...['ADD_TO_WISHLIST', 'VIEW_CART', 'RESERVE', 'SPEND_CREDITS', 'VIEW_ITEMS', 'RATE', 'SHARE', 'COMPLETE_TUTORIAL'],
  ...['ACHIEVE_LEVEL', 'UNLOCK_ACHIEVEMENT', 'INVITE', 'LOGIN', 'START_TRIAL'],
]
const insistOf: Record<string, (json: unknown) => string[]> = {
  '/v2/event/standard': insist(
    Type.Object(
      {
        ...common,
        name: Type.Enum(names),
        customer_event_alias: text,
        event_data: Type.Optional(eventData),
        content_items: Type.Optional(Type.Array(item, { minItems: 1 })),
      },
      { additionalProperties: false },
    ),
  ),
  '/v2/event/custom': insist(Type.Object({ ...common, name: text }, { additionalProperties: false })),
}

type Body = { branch_key?: string; user_data?: Record<string, string> }

/** https://help.branch.io/apidocs/events-api */
export const branch: MockVendor = {
  hosts: /^api2\.branch\.io$/,
  check({ method, path, json }) {
    const { branch_key, user_data = {} } = (json ?? {}) as Body
    const { developer_identity, browser_fingerprint_id, os, idfa, idfv, aaid, android_id } = user_data
    const isDevice = os === 'iOS' ? idfa || idfv : os === 'Android' && (aaid || android_id)
    return {
      key: [],
      payload: [
        // a wrong key gets a 400, like a wrong body
        ...keyProblem(branch_key?.replace(/^key_(live|test)_/, '')),
        ...unless(method === 'POST', 'Only POST.'),
        ...(insistOf[path]?.(json) ?? ['Not found.']),
        ...unless(Boolean(developer_identity || browser_fingerprint_id || isDevice), 'user_data names nobody.'),
      ],
    }
  },
  good: () => ({ status: 200, json: { branch_view_enabled: false } }),
  failures: {
    badPayload: { reply: (says) => ({ status: 400, json: { error: { message: says } } }), means: 'payloadRefused' },
    throttled: {
      reply: () => ({ status: 429, json: { error: { message: 'Rate Limit Reached' } } }),
      means: 'throttled',
    },
  },
}
