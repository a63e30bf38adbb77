import { Type } from '#contract/schema.ts'
import { currency, digest, insist, isRecent, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const digests = Type.Array(digest, { minItems: 1 })
const User = only({
  email: digests,
  phone: digests,
  external_id: digests,
  first_name: digest,
  last_name: digest,
  zip_code: digest,
  ...Object.fromEntries(
    ['city', 'state', 'country', 'locale', 'ip', 'user_agent', 'ttclid', 'ttp', 'idfa', 'idfv', 'gaid'].map((key) => [
      key,
      text,
    ]),
  ),
  att_status: Type.Union(
    ['AUTHORIZED', 'DENIED', 'NOT_DETERMINED', 'RESTRICTED', 'NOT_APPLICABLE'].map((each) => Type.Literal(each)),
  ),
})
const Event = Type.Object({
  event: text,
  event_time: Type.Integer(),
  event_id: text,
  user: User,
  app: Type.Optional(only({ app_id: text, app_name: text, app_version: text })),
  page: Type.Optional(only({ url: text, referrer: text })),
  properties: Type.Optional(
    Type.Object({
      value: Type.Optional(Type.Number()),
      currency: Type.Optional(currency),
      contents: Type.Optional(
        Type.Array(Type.Object({ price: Type.Optional(Type.Number()), quantity: Type.Optional(Type.Number()) })),
      ),
    }),
  ),
})
const insistBody = insist(
  Type.Object({
    event_source: Type.Union([Type.Literal('web'), Type.Literal('app')]),
    event_source_id: text,
    test_event_code: Type.Optional(text),
    data: Type.Array(Event, { minItems: 1, maxItems: 1_000 }),
  }),
)

/** The status is always 200. */
const answer = (code: number, message: string, data: object = {}) => ({
  status: 200,
  json: { code, message, request_id: '2023111422132001', data },
})

/** https://business-api.tiktok.com/portal/docs?id=1771100865818625 */
export const tiktok: MockVendor = {
  hosts: /^business-api\.tiktok\.com$/,
  check({ method, path, headers, json }, now) {
    const { data = [] } = (json ?? {}) as { data?: { event_time?: number; user?: object }[] }
    return {
      key: keyProblem(headers['access-token']),
      payload: [
        ...unless(method === 'POST' && path === '/open_api/v1.3/event/track/', 'The path is not there.'),
        ...insistBody(json),
        ...data.flatMap(({ event_time = 0, user = {} }) => [
          ...unless(isRecent(event_time, 7, now), 'event_time is out of range.'),
          ...unless(Object.keys(user).length > 0, 'user is empty.'),
        ]),
      ],
    }
  },
  good: () => answer(0, 'OK'),
  failures: {
    badKey: {
      reply: (says) => answer(40105, `Access token is incorrect or has been revoked. ${says}`),
      means: 'keyRejected',
    },
    badPayload: { reply: (says) => answer(40002, says), means: 'payloadRefused' },
    throttled: { reply: (says) => answer(40100, `Too many requests. ${says}`), means: 'throttled' },
    internal: { reply: (says) => answer(50000, `Internal error. ${says}`), means: 'vendorDown' },
    partial: { reply: (says) => answer(20001, says, { failed_events: [{ index: 0 }] }), means: 'payloadRefused' },
  },
}
