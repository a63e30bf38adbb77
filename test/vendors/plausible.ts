import { isIP } from 'node:net'
import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, text } from './vendor.ts'

const dropped = { status: 202, headers: { 'x-plausible-dropped': '1' }, text: 'ok' }

/**
 * https://plausible.io/docs/events-api: needs no key, and only a header reports a dropped event.
 */
export const plausible = simpleVendor({
  hosts: /plausible/,
  path: /^\/api\/event$/,
  headers: {
    'user-agent': /\S/,
    'content-type': /^application\/json/,
  },
  json: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 120 }),
      domain: text,
      url: Type.String({ pattern: '^\\w+://', maxLength: 2_000 }),
      referrer: Type.Optional(Type.String({ maxLength: 2_000 })),
      revenue: Type.Optional(
        Type.Object({ currency, amount: Type.Union([Type.Number(), Type.String()]) }, { additionalProperties: false }),
      ),
      props: Type.Optional(
        Type.Record(
          Type.String({ maxLength: 300 }),
          Type.Union([Type.String({ maxLength: 2_000 }), Type.Number(), Type.Boolean()]),
          { maxProperties: 30 },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  also: ({ headers }) => (isIP(headers['x-forwarded-for'] ?? '') ? [] : ['The header x-forwarded-for is no address.']),
  good: { status: 202, text: 'ok' },
  badPayload: (sentence) => ({ status: 400, json: { errors: { request: [sentence] }, message: sentence } }),
  failures: {
    dropped: { reply: () => dropped, means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
})
