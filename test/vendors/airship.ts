import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, currency, text, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

type Event = { occurred?: string }
const dayMs = 86_400_000

const error = (status: number) => (message: string) => ({ status, json: { ok: false, error: message, error_code: 1 } })

/** https://docs.airship.com/api/ua/#operation-api-custom-events-post */
const events = simpleVendor({
  hosts: /^go\.(urbanairship\.com|airship\.eu)$/,
  path: /^\/api\/custom-events$/,
  key: bearerOf,
  headers: {
    'content-type': /^application\/json/,
    accept: /^application\/vnd\.urbanairship\+json; version=3$/,
    'x-ua-appkey': /^\S+$/,
  },
  json: Type.Array(
    Type.Object(
      {
        occurred: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$' }),
        user: Type.Object({ named_user_id: text }, { additionalProperties: false }),
        body: Type.Object(
          {
            name: Type.String({ pattern: '^[^A-Z\\s]+$' }),
            value: Type.Optional(Type.Number()),
            transaction: Type.Optional(text),
            interaction_id: Type.Optional(text),
            interaction_type: Type.Optional(text),
            properties: Type.Object({ currency: Type.Optional(currency) }),
          },
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
    { minItems: 1, maxItems: 100 },
  ),
  also({ json }, now) {
    const times = (Array.isArray(json) ? (json as Event[]) : []).map(({ occurred }) => Date.parse(`${occurred}Z`))
    return unless(
      times.every((at) => at <= now && at >= now - 91 * dayMs),
      'An event is in the future, or older than 90 days.',
    )
  },
  good: { status: 200, json: { ok: true, operationId: 'o-1' } },
  badKey: error(401),
  badPayload: error(400),
  failures: {
    noRole: { reply: error(403), means: 'payloadRefused' },
    tooLarge: { reply: error(413), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
})

/** The update of a person. */
export const airship = withEndpoint(events, {
  method: 'POST',
  path: /^\/api\/named_users\/[^/]+\/attributes$/,
  json: Type.Object({
    attributes: Type.Array(
      Type.Object(
        {
          action: Type.Literal('set'),
          key: text,
          value: Type.Union([Type.String(), Type.Number()]),
          timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$' }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  }),
  good: { status: 200, json: { ok: true } },
})
