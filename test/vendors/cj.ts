import { Type } from '#contract/schema.ts'
import { currency, insist, type MockVendor, text, time, unless } from './vendor.ts'

const whole = Type.String({ pattern: '^\\d+$' })
const amount = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })
const insistQuery = insist(
  Type.Object({
    CID: whole,
    TYPE: whole,
    METHOD: Type.Literal('S2S'),
    CJEVENT: Type.String({ minLength: 1, maxLength: 64 }),
    EVENTTIME: time,
    OID: text,
    CURRENCY: Type.Optional(currency),
    AMOUNT: Type.Optional(amount),
    DISCOUNT: Type.Optional(amount),
    CUST_STATUS: Type.Optional(Type.Enum(['New', 'Return', 'Lapsed'])),
  }),
)

/**
 * https://docs.cj.com/docs/s2s-implementation: CJ does not report what is wrong with an order, so nothing is refused here.
 */
export const cj: MockVendor = {
  hosts: /^www\.emjcd\.com$/,
  check({ method, path, query }) {
    const items = Object.keys(query).filter((name) => /^ITEM\d+$/.test(name))
    const isWhole = items.every((_, i) => query[`ITEM${i + 1}`] && query[`AMT${i + 1}`] && query[`QTY${i + 1}`])
    return {
      key: [],
      payload: [
        ...unless(method === 'GET' && path === '/u', 'Not found.'),
        ...insistQuery(query),
        ...unless(isWhole, 'An item needs ITEM, AMT and QTY, numbered from 1.'),
        ...unless(items.length > 0 !== (query.AMOUNT !== undefined), 'Either items or AMOUNT.'),
      ],
    }
  },
  good: () => ({ status: 200, headers: { 'content-type': 'image/gif' }, text: '' }),
  failures: {
    refused: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
}
