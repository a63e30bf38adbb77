import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, text, unless } from './vendor.ts'

const minute = Type.String({ pattern: '^\\d{8}_\\d{4}$' })

const xml = (inner: string) => ({
  status: 200,
  headers: { 'content-type': 'text/xml' },
  text: `<?xml version="1.0" encoding="UTF-8"?><response><unique_id>1</unique_id>${inner}</response>`,
})
const summary = (good: number, bad: number) =>
  `<summary><transactions><good>${good}</good><bad>${bad}</bad></transactions></summary>`

/** The address used by several public shop integrations: a refusal has the status 200. */
export const rakuten = simpleVendor({
  hosts: /^track\.linksynergy\.com$/,
  method: 'GET',
  path: /^\/ep$/,
  headers: { accept: /^text\/xml$/ },
  query: Type.Object(
    {
      mid: Type.String({ pattern: '^\\d+$' }),
      ord: text,
      tr: text,
      land: minute,
      date: minute,
      cur: Type.Optional(currency),
      skulist: text,
      namelist: Type.String(),
      qlist: Type.String({ pattern: '^\\d+(\\.\\d+)?(\\|\\d+(\\.\\d+)?)*$' }),
      amtlist: Type.String({ pattern: '^-?\\d+(\\|-?\\d+)*$' }),
      coupon: Type.Optional(text),
      custid: Type.Optional(Type.String({ pattern: '^[^@]+$' })),
      custstatus: Type.Optional(Type.Enum(['New', 'Existing'])),
      xml: Type.Literal('1'),
    },
    { additionalProperties: false },
  ),
  also: ({ query }) => {
    const lengths = ['skulist', 'namelist', 'qlist', 'amtlist'].map((name) => query[name]?.split('|').length)
    return unless(new Set(lengths).size === 1, 'The lists have different lengths.')
  },
  good: xml(summary(1, 0)),
  badPayload: (says) => xml(`<error>${says.replaceAll(/[<&]/g, ' ')}</error>`),
  failures: {
    notEnabled: { reply: () => xml('<error>Access denied</error>'), means: 'keyRejected' },
    bad: { reply: () => xml(summary(0, 1)), means: 'payloadRefused' },
    wrongMid: { reply: (says) => ({ status: 400, text: says }), means: 'keyRejected' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
  visit: { query: { ranSiteID: 'site-1' } },
})
