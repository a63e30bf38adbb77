import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, only, unless } from './vendor.ts'

const short = Type.String({ minLength: 1, maxLength: 1_024 })
const message = only({
  data: Type.String({ pattern: '^[A-Za-z0-9+/]+=*$' }),
  attributes: Type.Record(Type.String({ maxLength: 256 }), short, { maxProperties: 100 }),
})

const error = (code: number, status: string) => (message: string) => ({
  status: code,
  json: { error: { code, message, status } },
})

/**
 * https://docs.cloud.google.com/pubsub/docs/reference/rest/v1/projects.topics/publish; googleAdsClicks issues the
 * tokens.
 */
export const gcpPubSub = simpleVendor({
  hosts: /^pubsub\.googleapis\.com$/,
  path: /^\/v1\/projects\/[\w.:-]+\/topics\/[\w.~+%-]+:publish$/,
  key: bearerOf,
  headers: { 'content-type': /^application\/json/ },
  json: Type.Object(
    { messages: Type.Array(message, { minItems: 1, maxItems: 1_000 }) },
    { additionalProperties: false },
  ),
  also: ({ body, json }) => {
    const { messages = [] } = (json ?? {}) as { messages?: { data?: string; attributes?: object }[] }
    return [
      ...unless(Buffer.byteLength(body) <= 10_000_000, 'The request has more than 10 MB.'),
      ...messages.flatMap(({ data, attributes }) => [
        ...unless(Boolean(data ?? attributes), 'A message needs data or attributes.'),
        ...unless(
          Object.values(attributes ?? {}).every((value) => Buffer.byteLength(String(value)) <= 1_024),
          'An attribute has more than 1,024 bytes.',
        ),
      ]),
    ]
  },
  good: { status: 200, json: { messageIds: ['1'] } },
  badKey: error(401, 'UNAUTHENTICATED'),
  badPayload: error(400, 'INVALID_ARGUMENT'),
  failures: {
    noRights: { reply: error(403, 'PERMISSION_DENIED'), means: 'payloadRefused' },
    noTopic: { reply: error(404, 'NOT_FOUND'), means: 'payloadRefused' },
    throttled: { reply: error(429, 'RESOURCE_EXHAUSTED'), means: 'throttled' },
  },
})
