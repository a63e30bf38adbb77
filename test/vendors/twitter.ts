import { createHmac } from 'node:crypto'
import { Type } from '#contract/schema.ts'
import { currency, digest, type Got, insist, keyProblem, type MockVendor, only, text, time, unless } from './vendor.ts'

/** Secrets by consumer key, whose signatures are recomputed here. For other keys only the format is checked. */
const known: Record<string, { consumerSecret: string; tokenSecret: string }> = {
  consumer: { consumerSecret: 'consumer-secret', tokenSecret: 'access-secret' },
}

const quoted = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** RFC 5849, 3.4: method, address and the sorted parameters, signed with both secrets. A JSON body is not a parameter. */
function signatureOf({ method, host, path, query }: Got, oauth: Record<string, string>, key: string): string {
  const { oauth_signature: _, realm: __, ...signed } = oauth
  const pairs = Object.entries({ ...query, ...signed }).map(([name, value]) => `${quoted(name)}=${quoted(value)}`)
  const base = [method, `https://${host}${path}`, pairs.sort().join('&')].map(quoted).join('&')
  return createHmac('sha1', key).update(base).digest('base64')
}

function oauthProblems(got: Got, now: number): string[] {
  const header = got.headers.authorization ?? ''
  const oauth = Object.fromEntries(
    [...header.matchAll(/(?<!\w)(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, decodeURIComponent(value!)]),
  )
  const { oauth_consumer_key: consumer = '', oauth_timestamp, oauth_nonce, oauth_signature, oauth_token } = oauth
  const secrets = known[consumer]
  const key = secrets && `${quoted(secrets.consumerSecret)}&${quoted(secrets.tokenSecret)}`
  return [
    ...keyProblem(consumer),
    ...keyProblem(oauth_token),
    ...unless(header.startsWith('OAuth ') && Boolean(oauth_nonce), 'Could not authenticate you.'),
    ...unless(Math.abs(Number(oauth_timestamp) * 1_000 - now) < 300_000, 'Timestamp out of bounds.'),
    ...unless(!key || signatureOf(got, oauth, key) === oauth_signature, 'The signature does not match.'),
  ]
}

const decimal = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })
const identifier = only({
  hashed_email: digest,
  hashed_phone_number: digest,
  twclid: text,
  ip_address: text,
  user_agent: text,
})
const insistBody = insist(
  Type.Object({
    conversions: Type.Array(
      Type.Object({
        conversion_time: time,
        event_id: text,
        conversion_id: text,
        identifiers: Type.Array(identifier, { minItems: 1 }),
        value: Type.Optional(decimal),
        price_currency: Type.Optional(currency),
        number_items: Type.Optional(Type.Integer()),
        contents: Type.Optional(Type.Array(Type.Object({ content_price: Type.Optional(decimal) }))),
      }),
      { minItems: 1, maxItems: 500 },
    ),
  }),
)
const error = (status: number, code: string, message: string) => ({ status, json: { errors: [{ code, message }] } })

/** https://docs.x.com/x-ads-api/measurement/web-conversions */
export const twitter: MockVendor = {
  hosts: /^ads-api\.x\.com$/,
  check: (got, now) => ({
    key: got.headers['x-pixel-token'] ? keyProblem(got.headers['x-pixel-token']) : oauthProblems(got, now),
    payload: [
      ...unless(got.method === 'POST' && /^\/12\/measurement\/conversions\/\w+$/.test(got.path), 'Not found.'),
      ...insistBody(got.json),
    ],
  }),
  good: ({ json }) => ({
    status: 200,
    json: { data: { conversions_processed: (json as { conversions: [] }).conversions.length, debug_id: 'd-1' } },
  }),
  failures: {
    badKey: { reply: (says) => error(401, 'UNAUTHORIZED_ACCESS', says), means: 'keyRejected' },
    badPayload: { reply: (says) => error(400, 'INVALID_PARAMETER', says), means: 'payloadRefused' },
    noPixel: { reply: (says) => error(404, 'NOT_FOUND', says), means: 'payloadRefused' },
    throttled: { reply: (says) => error(429, 'TOO_MANY_REQUESTS', says), means: 'throttled' },
    unprocessed: {
      reply: () => ({ status: 200, json: { data: { conversions_processed: 0, debug_id: 'd-1' } } }),
      means: 'payloadRefused',
    },
  },
}
