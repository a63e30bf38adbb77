import { type TSchema, Type } from '#contract/schema.ts'
import { currency, insist, type MockVendor, text, unless } from './vendor.ts'

const uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' })
const millis = Type.String({ pattern: '^\\d{13}$' })
const insistBody = insist(
  Type.Object({
    schema: Type.String({ pattern: '^iglu:com\\.snowplowanalytics\\.snowplow/payload_data/jsonschema/1-0-\\d$' }),
    data: Type.Array(
      Type.Intersect([
        Type.Object({ e: Type.Enum(['pv', 'se', 'ue']), eid: uuid, aid: text, p: text, tv: text, dtm: millis }),
        Type.Record(Type.String(), Type.String()),
      ]),
      { minItems: 1 },
    ),
  }),
)

const closed = (members: Record<string, TSchema>, more: Record<string, TSchema>) =>
  insist(
    Type.Object(
      { ...members, ...Object.fromEntries(Object.entries(more).map(([name, each]) => [name, Type.Optional(each)])) },
      { additionalProperties: false },
    ),
  )
const cents = Type.Number({ multipleOf: 0.01 })
/** The entities of the ecommerce schemas, by name. Invalid ones go to the failed events later, without an error. */
const entities: Record<string, (value: unknown) => string[]> = {
  transaction: closed(
    { transaction_id: text, revenue: Type.Number(), currency, payment_method: text, total_quantity: Type.Integer() },
    { credit_order: Type.Boolean(), discount_amount: Type.Number(), discount_code: text, shipping: cents, tax: cents },
  ),
  refund: closed({ transaction_id: text, currency, refund_amount: Type.Number() }, { refund_reason: text }),
  checkout_step: closed({ step: Type.Integer({ minimum: 1 }) }, { payment_method: text, shipping_postcode: text }),
  product: closed(
    { id: text, category: text, price: Type.Number(), currency },
    { name: text, brand: text, quantity: Type.Integer(), variant: text, list_price: Type.Number(), size: text },
  ),
}

type Described = { schema?: string; data?: unknown }
function unwrapped(encoded: string | undefined): Described {
  try {
    return JSON.parse(Buffer.from(encoded ?? '', 'base64url').toString())
  } catch {
    return {}
  }
}

const isDescribed = ({ schema = '' }: Described) => /^iglu:[\w.-]+\/[\w-]+\/jsonschema\/\d+-\d+-\d+$/.test(schema)

function eventProblems({ e, ue_px, cx }: Record<string, string>): string[] {
  const ue = unwrapped(ue_px)
  const contexts = unwrapped(cx)
  const all = (contexts.data ?? []) as Described[]
  return [
    ...unless(
      e !== 'ue' || (isDescribed(ue) && isDescribed((ue.data ?? {}) as Described)),
      'ue_px is not self-describing.',
    ),
    ...unless(!cx || (isDescribed(contexts) && all.every(isDescribed)), 'cx is not self-describing.'),
    ...all.flatMap(({ schema = '', data }) => entities[schema.split('/')[1] ?? '']?.(data) ?? []),
  ]
}

/** https://docs.snowplow.io/docs/events/http-requests/: the collector answers ok to everything that it can read. */
export const snowplow: MockVendor = {
  hosts: /collector|snowplow|snplow/,
  check({ method, headers, json }) {
    const { data = [] } = (json ?? {}) as { data?: Record<string, string>[] }
    return {
      key: [],
      payload: [
        ...unless(method === 'POST' && /^application\/json/.test(headers['content-type'] ?? ''), 'Not found.'),
        ...insistBody(json),
        ...data.flatMap(eventProblems),
      ],
    }
  },
  good: () => ({ status: 200, text: 'ok' }),
  failures: { tooLarge: { reply: (says) => ({ status: 413, text: says }), means: 'payloadRefused' } },
}
