import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { text } from './vendor.ts'

const closed = { additionalProperties: false }
const User = Type.Object(
  {
    userID: Type.Optional(text),
    email: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' })),
    ip: Type.Optional(text),
    userAgent: Type.Optional(text),
    country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
    customIDs: Type.Optional(Type.Record(Type.String(), text)),
    statsigEnvironment: Type.Object({ tier: Type.Enum(['production', 'staging', 'development']) }),
  },
  closed,
)

/** https://docs.statsig.com/http-api */
export const statsig = simpleVendor({
  hosts: /^events\.statsigapi\.net$/,
  path: /^\/v1\/log_event$/,
  key: ({ headers }) => headers['statsig-api-key'],
  headers: { 'statsig-client-time': /^\d{13}$/, 'content-type': /^application\/json/ },
  json: Type.Object(
    {
      events: Type.Array(
        Type.Object(
          {
            eventName: text,
            value: Type.Optional(Type.Union([Type.Number(), Type.String()])),
            time: Type.Integer({ minimum: 1_000_000_000_000 }),
            user: User,
            metadata: Type.Record(Type.String(), Type.String()),
          },
          closed,
        ),
        { minItems: 1 },
      ),
    },
    closed,
  ),
  also: ({ json }) => {
    const { events = [] } = (json ?? {}) as { events?: { user?: { userID?: string; customIDs?: object } }[] }
    const isKnown = events.every(({ user }) => user?.userID || user?.customIDs)
    return isKnown ? [] : ['An event needs userID or one of customIDs.']
  },
  good: { status: 202, json: { success: true } },
  badKey: (message) => ({ status: 401, json: { success: false, message } }),
  badPayload: (message) => ({ status: 400, json: { success: false, message } }),
  failures: {
    forbidden: { reply: (message) => ({ status: 403, json: { message } }), means: 'keyRejected' },
    unavailable: { reply: () => ({ status: 503, json: { success: false } }), means: 'vendorDown' },
    throttled: { reply: (message) => ({ status: 429, json: { message } }), means: 'throttled' },
  },
})
