import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, only, text, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const error = (status: number, error_code: number) => (message: string) => ({
  status,
  json: { errors: [{ error_code, message }] },
})

/** https://developers.postscript.io/reference/create-custom-event */
const events = simpleVendor({
  hosts: /^api\.postscript\.io$/,
  path: /^\/api\/v2\/events$/,
  key: bearerOf,
  headers: { 'content-type': /^application\/json/ },
  json: Type.Object(
    {
      type: Type.String({ pattern: '^[A-Za-z0-9_]+$' }),
      email: Type.Optional(text),
      phone: Type.Optional(Type.String({ pattern: '^\\+\\d{8,15}$' })),
      subscriber_id: Type.Optional(text),
      occurred_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{6}$' }),
      external_id: Type.Optional(text),
      properties: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        additionalProperties: false,
      }),
    },
    { additionalProperties: false },
  ),
  also({ json }) {
    const { email, phone, subscriber_id } = (json ?? {}) as Record<string, unknown>
    return unless(Boolean(email || phone || subscriber_id), 'One of subscriber_id, phone and email is required.')
  },
  good: { status: 202, json: { event_ids: ['e-1'] } },
  badKey: error(401, 1001),
  badPayload: error(400, 2001),
  failures: {
    noSubscriber: { reply: error(404, 2004), means: 'payloadRefused' },
    throttled: { reply: error(429, 3002), means: 'throttled' },
  },
})

const search = {
  method: 'GET',
  path: /^\/api\/v2\/subscribers$/,
  query: only({ phone_number__eq: Type.String({ pattern: '^\\+\\d{8,15}$' }), email__eq: text }),
  good: { status: 200, json: { subscribers: [{ id: 'sub_1' }] } },
}

/** The update of a person: found, then changed. */
export const postscript = withEndpoint(withEndpoint(events, search), {
  method: 'PATCH',
  path: /^\/api\/v2\/subscribers\/[^/]+$/,
  json: Type.Object(
    {
      properties: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer(), Type.Boolean()]), {
        minProperties: 1,
        maxProperties: 50,
      }),
    },
    { additionalProperties: false },
  ),
  good: { status: 200, json: {} },
})
