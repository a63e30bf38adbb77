import { Type } from '#contract/schema.ts'
import { currency, insist, keyProblem, type MockVendor, only, text, time, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const location = only(Object.fromEntries(['city', 'region', 'country', 'zip', 'ip'].map((key) => [key, text])))
const Profile = only({
  email: Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' }),
  phone_number: Type.String({ pattern: '^\\+\\d{8,15}$' }),
  external_id: Type.String({ minLength: 1, maxLength: 255 }),
  anonymous_id: text,
  _kx: text,
  first_name: text,
  last_name: text,
  location,
  properties: Type.Object({}),
})
const profile = Type.Object({ data: Type.Object({ type: Type.Literal('profile'), attributes: Profile }) })
const metric = Type.Object({
  data: Type.Object({
    type: Type.Literal('metric'),
    attributes: Type.Object({ name: Type.String({ minLength: 1, maxLength: 128 }) }),
  }),
})
const attributes = {
  properties: Type.Object({}, { maxProperties: 400 }),
  time,
  value: Type.Optional(Type.Number()),
  value_currency: Type.Optional(currency),
  unique_id: text,
  metric,
}
const one = (name: string, members: Record<string, typeof profile | (typeof attributes)[keyof typeof attributes]>) =>
  Type.Object({ type: Type.Literal(name), attributes: Type.Object(members, { additionalProperties: false }) })

const insistEvent = insist(Type.Object({ data: one('event', { ...attributes, profile }) }))
const Events = Type.Object({ data: Type.Array(one('event', attributes), { minItems: 1 }) })
const Entry = Type.Object({
  type: Type.Literal('event-bulk-create'),
  attributes: Type.Object({ profile, events: Events }),
})
const insistJob = insist(
  Type.Object({
    data: Type.Object({
      type: Type.Literal('event-bulk-create-job'),
      attributes: Type.Object({
        'events-bulk-create': Type.Object({ data: Type.Array(Entry, { minItems: 1, maxItems: 1_000 }) }),
      }),
    }),
  }),
)

const anId = /"(?:email|phone_number|external_id|anonymous_id|_kx)":"[^"]/
const isTold = (json: unknown) => anId.test(JSON.stringify(json ?? null))

const error = (status: number, code: string, detail: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'content-type': 'application/vnd.api+json', ...headers },
  json: { errors: [{ id: 'e-1', status, code, title: code, detail, source: { pointer: '/data/' } }] },
})

/** https://developers.klaviyo.com/en/reference/create_event */
const events: MockVendor = {
  hosts: /^a\.klaviyo\.com$/,
  check({ method, path, headers, json }) {
    const [, key] = /^Klaviyo-API-Key (\S+)$/.exec(headers.authorization ?? '') ?? []
    const isJob = path === '/api/event-bulk-create-jobs'
    return {
      key: keyProblem(key),
      payload: [
        ...unless(method === 'POST' && (isJob || path === '/api/events'), 'The path is not there.'),
        ...unless(/^\d{4}-\d\d-\d\d$/.test(headers.revision ?? ''), 'The header revision is missing.'),
        ...unless(/^application\/vnd\.api\+json/.test(headers['content-type'] ?? ''), 'Unsupported media type.'),
        ...(isJob ? insistJob : insistEvent)(json),
        ...unless(isTold(json), 'One of email, phone_number, external_id, anonymous_id, _kx is required.'),
      ],
    }
  },
  good: () => ({ status: 202 }),
  failures: {
    badKey: { reply: (says) => error(401, 'authentication_failed', says), means: 'keyRejected' },
    badPayload: { reply: (says) => error(400, 'invalid', says), means: 'payloadRefused' },
    noScope: { reply: (says) => error(403, 'permission_denied', says), means: 'payloadRefused' },
    throttled: { reply: (says) => error(429, 'throttled', says, { 'retry-after': '1' }), means: 'throttled' },
  },
}

/** The update of a person. */
const updates = withEndpoint(events, {
  method: 'POST',
  path: /^\/api\/profile-import$/,
  json: Type.Object({ data: Type.Object({ type: Type.Literal('profile'), attributes: Profile }) }),
  good: { status: 200, json: { data: { type: 'profile', id: 'p-1' } } },
})

/** The subscription of a person. */
export const klaviyo = withEndpoint(updates, {
  method: 'POST',
  path: /^\/api\/profile-subscription-bulk-create-jobs$/,
  json: Type.Object({
    data: Type.Object({
      type: Type.Literal('profile-subscription-bulk-create-job'),
      attributes: Type.Object({
        profiles: Type.Object({
          data: Type.Array(
            Type.Object({
              type: Type.Literal('profile'),
              attributes: Type.Object(
                {
                  email: text,
                  subscriptions: Type.Object({
                    email: Type.Object({ marketing: Type.Object({ consent: Type.Literal('SUBSCRIBED') }) }),
                  }),
                },
                { additionalProperties: false },
              ),
            }),
            { minItems: 1, maxItems: 1_000 },
          ),
        }),
      }),
      relationships: Type.Object({
        list: Type.Object({ data: Type.Object({ type: Type.Literal('list'), id: text }) }),
      }),
    }),
  }),
  good: { status: 202 },
})
