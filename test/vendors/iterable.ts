import { Type } from '#contract/schema.ts'
import { insist, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const seconds = Type.Integer({ minimum: 1_000_000_000, maximum: 9_999_999_999 })
const item = Type.Object(
  {
    id: text,
    sku: Type.Optional(text),
    name: text,
    price: Type.Number(),
    quantity: Type.Integer({ minimum: 1 }),
    categories: Type.Optional(Type.Array(text)),
    url: Type.Optional(text),
    imageUrl: Type.Optional(text),
    dataFields: Type.Optional(Type.Object({})),
  },
  { additionalProperties: false },
)
const ids = { email: Type.Optional(text), userId: Type.Optional(text) }
const user = Type.Object(
  {
    ...ids,
    dataFields: Type.Optional(
      only({ phoneNumber: Type.String({ pattern: '^\\+\\d{8,15}$' }), firstName: text, lastName: text }),
    ),
    mergeNestedObjects: Type.Literal(true),
  },
  { additionalProperties: false },
)
const event = Type.Object(
  { ...ids, id: text, eventName: text, createdAt: seconds, dataFields: Type.Object({}) },
  { additionalProperties: false },
)
const purchase = Type.Object(
  {
    id: text,
    user,
    items: Type.Array(item),
    total: Type.Number(),
    createdAt: seconds,
    dataFields: Type.Optional(Type.Object({})),
  },
  { additionalProperties: false },
)
const routes: Readonly<Record<string, (value: unknown) => string[]>> = {
  '/api/events/track': insist(event),
  '/api/events/trackBulk': insist(Type.Object({ events: Type.Array(event, { minItems: 1, maxItems: 1_000 }) })),
  '/api/commerce/trackPurchase': insist(purchase),
  '/api/commerce/updateCart': insist(Type.Object({ user, items: Type.Array(item) }, { additionalProperties: false })),
  '/api/users/update': insist(user),
}

type Ids = { email?: string; userId?: string }
type Body = Ids & { user?: Ids; events?: Ids[] }
const peopleIn = (json: unknown): Ids[] => {
  const body = (json ?? {}) as Body
  return body.events ?? [body.user ?? body]
}
const error = (status: number, code: string) => (msg: string) => ({ status, json: { msg, code, params: null } })

/** https://api.iterable.com/api/docs#events_track */
const events: MockVendor = {
  hosts: /^api\.(eu\.)?iterable\.com$/,
  check: ({ method, path, headers, json }, now) => ({
    key: keyProblem(headers['api-key']),
    payload: [
      ...unless(method === 'POST', 'Send a POST.'),
      ...(routes[path]?.(json) ?? ['The path is not there.']),
      ...unless(
        peopleIn(json).every(({ email, userId }) => email || userId),
        'email or userId is required.',
      ),
      ...unless(
        ((json as { createdAt?: number } | undefined)?.createdAt ?? 0) * 1_000 <= now,
        'The time createdAt is in the future.',
      ),
    ],
  }),
  good: ({ path }) => ({
    status: 200,
    json: path.endsWith('Bulk')
      ? { successCount: 1, failCount: 0, invalidEmails: [], invalidUserIds: [], failedUpdates: {} }
      : { msg: '', code: 'Success', params: {} },
  }),
  failures: {
    badKey: { reply: error(401, 'BadApiKey'), means: 'keyRejected' },
    badPayload: { reply: error(400, 'BadParams'), means: 'payloadRefused' },
    inside: { reply: error(200, 'InvalidEmailAddressError'), means: 'payloadRefused' },
    tooLarge: { reply: error(413, 'RequestFieldsTooLarge'), means: 'payloadRefused' },
    throttled: { reply: error(429, 'RateLimitExceeded'), means: 'throttled' },
  },
}

/** The subscription of a person. */
export const iterable = withEndpoint(events, {
  method: 'POST',
  path: /^\/api\/lists\/subscribe$/,
  json: Type.Object({
    listId: Type.Integer(),
    subscribers: Type.Array(Type.Object(ids, { additionalProperties: false }), { minItems: 1 }),
  }),
  good: { status: 200, json: { successCount: 1, failCount: 0 } },
})
