import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, text, unless } from './vendor.ts'

// no text may contain a pipe
const word = Type.String({ pattern: '^[^|]+$' })
const row = Type.Object(
  {
    id: word,
    name: word,
    price: Type.Number(),
    quantity: Type.Integer({ minimum: 1 }),
    sku: Type.Optional(word),
    category: Type.Optional(Type.String({ pattern: '^[^|]*$' })),
    commissionGroupCode: word,
  },
  { additionalProperties: false },
)
const Order = Type.Object(
  {
    orderReference: Type.String({ minLength: 1, maxLength: 50 }),
    amount: Type.Number(),
    channel: Type.Enum(['aw', 'ppcgeneric', 'ppcbrand', 'display', 'social', 'Other', 'Organic', 'direct']),
    currency: Type.Optional(currency),
    awc: Type.Optional(text),
    voucher: Type.Optional(text),
    isTest: Type.Boolean(),
    transactionTime: Type.Integer({ minimum: 1_000_000_000, maximum: 9_999_999_999 }),
    customerAcquisition: Type.Optional(Type.Enum(['NEW', 'RETURNING'])),
    commissionGroups: Type.Array(Type.Object({ code: text, amount: Type.Number() }), { minItems: 1 }),
    basket: Type.Optional(Type.Array(row, { minItems: 1 })),
  },
  { additionalProperties: false },
)

type Body = {
  orders?: {
    orderReference: string
    amount: number
    awc?: string
    voucher?: string
    commissionGroups: { amount: number }[]
  }[]
}
const ordersOf = (json: unknown) => {
  const { orders } = (json ?? {}) as Body
  return Array.isArray(orders) ? orders : []
}

/** https://help.awin.com/apidocs/conversion-api */
export const awin = simpleVendor({
  hosts: /^api\.awin\.com$/,
  path: /^\/s2s\/advertiser\/\d+\/orders$/,
  key: ({ headers }) => headers['x-api-key'],
  headers: { 'content-type': /^application\/json/ },
  json: Type.Object({ orders: Type.Array(Order, { minItems: 1, maxItems: 1_000 }) }, { additionalProperties: false }),
  also: ({ json }) =>
    ordersOf(json).flatMap(({ amount, awc, voucher, commissionGroups = [] }) => [
      ...unless(Boolean(awc || voucher), 'An order needs awc or voucher.'),
      ...unless(
        Math.abs(commissionGroups.reduce((sum, group) => sum + group.amount, 0) - amount) < 0.005,
        'The commission groups do not add up.',
      ),
    ]),
  good: { status: 202, json: { batchId: 'b-1' } },
  badKey: (says) => ({ status: 401, json: { message: says } }),
  badPayload: (says) => ({ status: 400, json: { message: says } }),
  failures: {
    noRights: { reply: (says) => ({ status: 403, json: { message: says } }), means: 'keyRejected' },
    failedOrders: {
      reply: (message) => ({
        status: 206,
        json: {
          batchId: 'b-1',
          successfulOrders: [],
          failedOrders: [{ order: {}, errors: [{ field: 'awc', message }] }],
        },
      }),
      means: 'payloadRefused',
    },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
  visit: { query: { awc: '12345_1700000000_abc' } },
})
