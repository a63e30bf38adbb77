import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { text, time } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' })
const Event = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128 }),
  external_id: text,
  timestamp: time,
  idempotency_key: uuid,
  properties: Type.Object({}),
})
const errors = (status: number, ...sentences: string[]) => ({ status, json: { errors: sentences } })

/** https://documentation.onesignal.com/reference/create-custom-events */
const events = simpleVendor({
  hosts: /^api\.onesignal\.com$/,
  path: /^\/apps\/[0-9a-f-]{36}\/custom_events$/,
  key: ({ headers }) => /^Key (\S+)$/.exec(headers.authorization ?? '')?.[1],
  json: Type.Object({ events: Type.Array(Event, { minItems: 1 }) }),
  also: ({ json, body }) => {
    const { events = [] } = (json ?? {}) as { events?: object[] }
    const isSmall = body.length <= 1_000_000 && events.every((row) => Buffer.byteLength(JSON.stringify(row)) <= 2_024)
    return isSmall ? [] : ['An event has at most 2024 bytes, a request 1 MB.']
  },
  good: { status: 202, json: {} },
  badKey: (says) => errors(401, says),
  badPayload: (says) => errors(400, says),
  failures: {
    unknownUser: {
      reply: (title) => ({
        status: 202,
        json: { errors: [{ event_user_id: 'customer-1', event_id: 'x', error: { code: 'not found', title } }] },
      }),
      means: 'payloadRefused',
    },
    noPlan: { reply: (says) => errors(403, says), means: 'payloadRefused' },
    noApp: { reply: (says) => errors(404, says), means: 'payloadRefused' },
    throttled: { reply: (says) => errors(429, says), means: 'throttled' },
  },
})

/** The update of a person. */
export const oneSignal = withEndpoint(events, {
  method: 'PATCH',
  path: /^\/apps\/[0-9a-f-]{36}\/users\/by\/external_id\/[^/]+$/,
  json: Type.Object({
    properties: Type.Object(
      { tags: Type.Record(Type.String(), Type.String(), { minProperties: 1 }) },
      { additionalProperties: false },
    ),
  }),
  good: { status: 202, json: {} },
})
