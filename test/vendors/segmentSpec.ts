import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import { Type } from '#contract/schema.ts'
import {
  basicOf,
  type Got,
  insist,
  keyProblem,
  type MockVendor,
  only,
  type Reply,
  text,
  time,
  unless,
} from './vendor.ts'

const product = only({
  product_id: text,
  sku: text,
  name: text,
  price: Type.Number(),
  quantity: Type.Number(),
  brand: text,
  category: text,
  variant: text,
  url: text,
  image_url: text,
})
const amounts = { value: Type.Number(), revenue: Type.Number(), total: Type.Number(), price: Type.Number() }
const optionalAmounts = Object.fromEntries(Object.entries(amounts).map(([name, each]) => [name, Type.Optional(each)]))
const shared = {
  messageId: Type.String({ minLength: 1, maxLength: 100 }),
  timestamp: time,
  userId: Type.Optional(text),
  anonymousId: Type.Optional(text),
  context: only({
    ip: text,
    userAgent: text,
    page: only({ url: text, title: text, referrer: text, search: Type.String({ pattern: '^\\?' }), path: text }),
    traits: only({ email: Type.String({ pattern: '@' }), phone: text }),
    campaign: only({ source: text, medium: text, name: text, term: text, content: text }),
    library: Type.Object({ name: text }),
  }),
}
const closed = { additionalProperties: false }
const insistPage = insist(Type.Object({ ...shared, properties: Type.Object({}) }, closed))
const insistTrack = insist(
  Type.Object(
    {
      ...shared,
      event: text,
      properties: Type.Object({
        ...optionalAmounts,
        order_id: Type.Optional(text),
        products: Type.Optional(Type.Array(product, { minItems: 1 })),
      }),
    },
    closed,
  ),
)
const insistBatch = insist(
  Type.Object({ batch: Type.Array(Type.Object({}), { minItems: 1, maxItems: 2_500 }) }, closed),
)

function callProblems(kind: string, call: unknown): string[] {
  const { userId, anonymousId } = (call ?? {}) as Record<string, unknown>
  return [
    ...(kind === 'page' ? insistPage : insistTrack)(call),
    ...unless(Boolean(userId || anonymousId), 'A call needs userId or anonymousId.'),
    ...unless(Buffer.byteLength(JSON.stringify(call ?? null)) <= 32_768, 'A call has more than 32 KB.'),
  ]
}

function payloadProblems({ method, path, headers, body, json }: Got, maxBytes: number): string[] {
  const [, kind] = /^\/v1\/(track|page|batch)$/.exec(path) ?? []
  const { batch } = (json ?? {}) as { batch?: { type?: string }[] }
  return [
    ...unless(method === 'POST' && kind !== undefined, 'The path is not there.'),
    ...unless(/^application\/json/.test(headers['content-type'] ?? ''), 'Unsupported media type.'),
    ...unless(Buffer.byteLength(body) <= maxBytes, 'The request is too large.'),
    ...(kind === 'batch'
      ? [
          ...insistBatch(json),
          ...(batch ?? []).flatMap(({ type, ...call }) => [
            ...unless(type === 'track' || type === 'page', 'A call of a batch needs its type.'),
            ...callProblems(type ?? '', call),
          ]),
        ]
      : callProblems(kind ?? '', json)),
  ]
}

/** A vendor that accepts Segment's calls. */
export const takingSegmentCalls = (
  hosts: RegExp,
  { maxBytes, good, badKey }: { maxBytes: number; good: Reply; badKey: (says: string) => Reply },
): MockVendor => ({
  hosts,
  check(got) {
    const { user, password } = basicOf(got) ?? {}
    return {
      key: [...keyProblem(user), ...unless(!password, 'The password is not empty.')],
      payload: payloadProblems(got, maxBytes),
    }
  },
  good: () => good,
  failures: {
    badKey: { reply: badKey, means: 'keyRejected' },
    badPayload: { reply: (message) => ({ status: 400, json: { success: false, message } }), means: 'payloadRefused' },
    throttled: {
      reply: (says) => ({ status: 429, headers: { 'retry-after': '1' }, text: says }),
      means: 'throttled' satisfies DeliveryReason,
    },
  },
})
