import { Type } from '#contract/schema.ts'
import { currency, insist, type MockVendor, text, unless } from './vendor.ts'

const click = Type.String({ minLength: 1, maxLength: 2_000 })
const insistQuery = insist(
  Type.Object(
    {
      'click-id': click,
      name: text,
      revenue: Type.Optional(Type.String({ pattern: '^-?\\d+(\\.\\d+)?(e[-+]?\\d+)?$' })),
      currency: Type.Optional(currency),
      orderid: Type.Optional(text),
      quantity: Type.Optional(Type.String({ pattern: '^-?\\d' })),
    },
    { additionalProperties: false },
  ),
)
const insistBody = insist(
  Type.Object({
    actions: Type.Array(
      Type.Object(
        {
          'click-id': click,
          timestamp: Type.Integer({ minimum: 1_000_000_000_000 }),
          name: text,
          revenue: Type.Optional(Type.Number()),
          currency: Type.Optional(currency),
          orderid: Type.Optional(text),
          quantity: Type.Optional(Type.Number()),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 1_000 },
    ),
  }),
)
const bulkPath = /^\/\d+\/log\/3\/bulk-s2s-action$/

/** https://developers.taboola.com/pixel/docs/the-postback-url: it does not report what is wrong with a conversion. */
export const taboola: MockVendor = {
  hosts: /^trc\.taboola\.com$/,
  visit: { query: { tblci: 'GiAbC-_dE' } },
  check: ({ method, path, query, json }) => ({
    key: [],
    payload: bulkPath.test(path)
      ? [...unless(method === 'POST', 'The method is not allowed.'), ...insistBody(json)]
      : [
          ...unless(method === 'GET' && path === '/actions-handler/log/3/s2s-action', 'The path is not there.'),
          ...insistQuery(query),
        ],
  }),
  good: ({ path }) => ({ status: bulkPath.test(path) ? 204 : 200 }),
  failures: {
    refused: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' },
  },
}
