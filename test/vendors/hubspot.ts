import { Type } from '#contract/schema.ts'
import { bearerOf, type Got, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const Occurrence = Type.Object(
  {
    eventName: Type.String({ pattern: '^pe\\d+_\\S+$' }),
    email: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' })),
    utk: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })),
    objectId: Type.Optional(text),
    occurredAt: Type.Optional(time),
    uuid: Type.Optional(text),
    properties: Type.Record(Type.String(), Type.String({ maxLength: 1_024 })),
  },
  { additionalProperties: false },
)
const insistOne = insist(Occurrence)
const insistMany = insist(Type.Object({ inputs: Type.Array(Occurrence, { minItems: 1, maxItems: 500 }) }))

const isMany = ({ path }: Got) => path === '/events/2026-03/send/batch'

/** One of these must identify the record. */
const isNamed = (occurrence: object) => ['email', 'utk', 'objectId'].some((name) => Object.hasOwn(occurrence, name))

const error = (status: number, category: string, message: string) => ({
  status,
  json: { status: 'error', message, category, correlationId: 'c-1' },
})

/** https://developers.hubspot.com/docs/api-reference/latest/events/send-event-data/send-event-occurrence */
const events: MockVendor = {
  hosts: /^api\.hubapi\.com$/,
  check(got) {
    const { inputs = [got.json ?? {}] } = (got.json ?? {}) as { inputs?: object[] }
    return {
      key: keyProblem(bearerOf(got)),
      payload: [
        ...unless(
          got.method === 'POST' && /^\/events\/2026-03\/send(\/batch)?$/.test(got.path),
          'The path is not there.',
        ),
        ...(isMany(got) ? insistMany : insistOne)(got.json),
        ...unless(inputs.every(isNamed), 'One of email, utk, objectId is required.'),
      ],
    }
  },
  good: () => ({ status: 204 }),
  failures: {
    badKey: { reply: (says) => error(401, 'INVALID_AUTHENTICATION', says), means: 'keyRejected' },
    badPayload: { reply: (says) => error(400, 'VALIDATION_ERROR', says), means: 'payloadRefused' },
    noScope: { reply: (says) => error(403, 'MISSING_SCOPES', says), means: 'payloadRefused' },
    throttled: { reply: (says) => error(429, 'RATE_LIMITS', says), means: 'throttled' },
  },
}

/** The update of a person. */
export const hubspot = withEndpoint(events, {
  method: 'POST',
  path: /^\/crm\/v3\/objects\/contacts\/batch\/upsert$/,
  json: Type.Object({
    inputs: Type.Array(
      Type.Object(
        {
          idProperty: Type.Literal('email'),
          id: Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' }),
          properties: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
            minProperties: 1,
          }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  }),
  good: { status: 200, json: { status: 'COMPLETE', results: [] } },
})
