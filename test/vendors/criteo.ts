import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, digest, only, text, time, unless } from './vendor.ts'

const names = [
  ...['viewHome', 'viewPage', 'login', 'viewList', 'viewItem', 'viewSearch', 'addToCart', 'viewBasket'],
  ...['beginCheckout', 'addPaymentInfo', 'trackTransaction'],
]
const Item = Type.Object(
  { id: text, price: Type.Optional(Type.Number()), quantity: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
)
const Event = Type.Object(
  {
    event: Type.Enum(names),
    id: Type.Optional(text),
    timestamp: time,
    currency: Type.Optional(currency),
    item: Type.Optional(Type.Array(Item, { minItems: 1 })),
    deduplication_page_view_id: Type.Optional(text),
  },
  { additionalProperties: false },
)
const Ids = only({
  mapping_key: text,
  mapped_user_id: text,
  email: only({ md5: Type.String({ pattern: '^[0-9a-f]{32}$' }), sha256: digest, sha256_md5: digest }),
})
const twoLetters = Type.String({ pattern: '^[A-Za-z]{2}$' })
type Body = { id?: { mapping_key?: string; mapped_user_id?: string; email?: object }; events?: { timestamp: string }[] }

const error = (code: string) => (message: string) => ({ status: 200, json: { errors: [{ code, message }] } })

/** https://guides.criteotilt.com/events-api/: the status is always 200. */
export const criteo = simpleVendor({
  hosts: /^widget\.(eu\.|us\.|as\.)?criteo\.com$/,
  path: /^\/m\/event$/,
  query: Type.Object({ version: Type.Literal('s2s_v0') }, { additionalProperties: false }),
  json: Type.Object(
    {
      account: Type.String({ pattern: '^\\d+$' }),
      version: text,
      site_type: Type.Enum(['d', 'm', 't']),
      id: Ids,
      ...Object.fromEntries(
        ['ip', 'useragent', 'full_url', 'previous_url', 'retailer_visitor_id'].map((name) => [
          name,
          Type.Optional(text),
        ]),
      ),
      country: Type.Optional(twoLetters),
      language: Type.Optional(twoLetters),
      events: Type.Array(Event, { minItems: 1 }),
    },
    { additionalProperties: false },
  ),
  also({ json }, now) {
    const { id = {}, events = [] } = (json ?? {}) as Body
    const isNow = ({ timestamp }: { timestamp: string }) => Math.abs(now - Date.parse(timestamp)) <= 15 * 60_000
    return [
      ...unless(Boolean(id.mapped_user_id || id.email), 'UserIdentifierMissing: an identifier is required.'),
      ...unless(Boolean(id.mapping_key) === Boolean(id.mapped_user_id), 'mapping_key needs mapped_user_id.'),
      ...unless(events.every(isNow), 'The timestamp is too old.'),
    ]
  },
  good: { status: 200, json: { errors: [], warnings: [] } },
  badPayload: error('UserIdentifierMissing'),
  failures: { otherRegion: { reply: () => ({ status: 307, text: '' }), means: 'payloadRefused' } },
})
