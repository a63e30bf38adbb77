import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, insist, only, text, unless } from './vendor.ts'

const userId = Type.String({ minLength: 1, maxLength: 100 })
const data = Type.Record(
  Type.String({ pattern: '^(?!we_).{1,50}$' }),
  Type.Union([
    Type.String({ maxLength: 1_000 }),
    Type.Number(),
    Type.Boolean(),
    Type.Array(Type.Unknown()),
    Type.Object({}),
  ]),
  { additionalProperties: false },
)
const event = Type.Object(
  {
    userId: Type.Optional(userId),
    anonymousId: Type.Optional(userId),
    eventName: Type.String({ pattern: '^(?!we_)[^]{1,50}$' }),
    eventTime: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[+-]\\d{4}$' }),
    eventData: data,
  },
  { additionalProperties: false },
)
const profile = only({
  userId,
  email: text,
  phone: Type.String({ pattern: '^\\+\\d{8,15}$' }),
  firstName: text,
  lastName: text,
  gender: Type.Enum(['male', 'female', 'other']),
  city: text,
  region: text,
  country: text,
  postalCode: text,
})
const bodies: Readonly<Record<string, (value: unknown) => string[]>> = {
  events: insist(event),
  'bulk-events': insist(Type.Object({ events: Type.Array(event, { minItems: 1, maxItems: 25 }) })),
  users: insist(profile),
}

/** An event has at most 25 attributes of each type. */
function typeProblems({ eventData = {} }: { eventData?: object }): string[] {
  const types = Object.values(Object.groupBy(Object.values(eventData), (value) => typeof value))
  return unless(
    types.every((same) => same!.length <= 25),
    'An event has at most 25 attributes of a type.',
  )
}
const error = (status: number) => (message: string) => ({ status, json: { response: { status: 'error', message } } })

/** https://docs.webengage.com/docs/rest-api-tracking-events */
export const webEngage = simpleVendor({
  hosts: /^api\.((in|ksa)\.)?webengage\.com$/,
  path: /^\/v1\/accounts\/[^/]+\/(events|bulk-events|users)$/,
  key: bearerOf,
  headers: { 'content-type': /^application\/json/ },
  also({ path, json }) {
    const body = (json ?? {}) as { events?: object[] }
    return [...(bodies[path.split('/').at(-1)!]?.(json) ?? []), ...(body.events ?? [body]).flatMap(typeProblems)]
  },
  good: { status: 201, json: { response: { status: 'queued' } } },
  badKey: error(401),
  badPayload: error(400),
  failures: {
    noAccount: { reply: error(404), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
})
