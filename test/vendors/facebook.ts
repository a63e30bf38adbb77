import { Type } from '#contract/schema.ts'
import {
  bearerOf,
  currency,
  digest,
  insist,
  isRecent,
  keyProblem,
  type MockVendor,
  only,
  text,
  unless,
} from './vendor.ts'

const digests = Type.Array(digest, { minItems: 1 })
const hashedKeys = ['em', 'ph', 'fn', 'ln', 'ge', 'db', 'ct', 'st', 'zp', 'country', 'external_id']
const UserData = only({
  ...Object.fromEntries(hashedKeys.map((name) => [name, digests])),
  client_ip_address: text,
  client_user_agent: text,
  madid: text,
  fbc: Type.String({ pattern: '^fb\\.\\d\\.\\d{13}\\.\\S+$' }),
  fbp: Type.String({ pattern: '^fb\\.\\d\\.\\d{13}\\.\\d+$' }),
})
const Event = Type.Object({
  event_name: text,
  event_time: Type.Integer(),
  event_id: text,
  action_source: Type.Union([Type.Literal('website'), Type.Literal('system_generated'), Type.Literal('app')]),
  app_data: Type.Optional(
    only({
      advertiser_tracking_enabled: Type.Integer({ minimum: 0, maximum: 1 }),
      application_tracking_enabled: Type.Integer({ minimum: 0, maximum: 1 }),
      extinfo: Type.Array(Type.String(), { minItems: 16, maxItems: 16 }),
    }),
  ),
  event_source_url: Type.Optional(text),
  user_data: UserData,
  custom_data: Type.Optional(
    Type.Object({
      value: Type.Optional(Type.Number()),
      currency: Type.Optional(currency),
      contents: Type.Optional(Type.Array(Type.Object({ id: text, quantity: Type.Number() }))),
      content_ids: Type.Optional(Type.Array(text)),
    }),
  ),
})
const Body = Type.Object({
  data: Type.Array(Event, { minItems: 1, maxItems: 1_000 }),
  access_token: text,
  test_event_code: Type.Optional(text),
})
type Body = {
  access_token?: string
  data?: {
    event_name?: string
    event_time?: number
    action_source?: string
    event_source_url?: string
    user_data?: { client_user_agent?: string }
    app_data?: { extinfo?: string[] }
    custom_data?: { value?: number; currency?: string }
  }[]
}
const insistBody = insist(Body)

const error = (status: number, code: number, message: string, more: object = {}) => ({
  status,
  json: { error: { message, type: 'OAuthException', code, fbtrace_id: 'Atrace', ...more } },
})

/** https://developers.facebook.com/docs/marketing-api/conversions-api/dataset-quality-api */
const quality = {
  web: [
    { event_match_quality: { composite_score: 6.2 }, event_name: 'CompleteRegistration' },
    {
      event_match_quality: { composite_score: 7.2 },
      event_coverage: { percentage: 84.5 },
      event_name: 'Purchase',
    },
  ],
}

/** These keys alone do not identify a person. */
const broad = new Set(['client_user_agent', 'ct', 'st', 'zp', 'country', 'ge', 'db', 'fn', 'ln'])

/** https://developers.facebook.com/docs/marketing-api/conversions-api/using-the-api */
export const facebook: MockVendor = {
  hosts: /^graph\.facebook\.com$/,
  check({ method, path, json, ...got }, now) {
    if (/^\/v\d+\.0\/dataset_quality$/.test(path))
      return {
        key: keyProblem(bearerOf(got) ?? got.query.access_token),
        payload: [
          ...unless(method === 'GET', 'Unsupported request.'),
          ...unless(/^\d+$/.test(got.query.dataset_id ?? ''), 'The parameter dataset_id is required.'),
          ...unless(/^web\{/.test(got.query.fields ?? ''), 'Tried accessing nonexisting field.'),
        ],
      }
    const { access_token, data = [] } = (json ?? {}) as Body
    return {
      key: keyProblem(access_token),
      payload: [
        ...unless(method === 'POST' && /^\/v\d+\.0\/\d+\/events$/.test(path), 'Unsupported post request.'),
        ...insistBody(json),
        ...data.flatMap(({ event_name, event_time = 0, user_data = {}, custom_data = {}, ...event }) => [
          ...unless(
            event.action_source !== 'website' || Boolean(event.event_source_url && user_data.client_user_agent),
            'An event of the website needs event_source_url and client_user_agent.',
          ),
          ...unless(
            event.action_source !== 'app' || /^[ai]2$/.test(event.app_data?.extinfo?.[0] ?? ''),
            'An event of an app needs app_data with extinfo.',
          ),
          ...unless(isRecent(event_time, 7, now), 'event_time is more than 7 days ago or ahead.'),
          ...unless(
            Object.keys(user_data).some((name) => !broad.has(name)),
            'user_data does not tell enough.',
          ),
          ...unless(
            event_name !== 'Purchase' || (custom_data.value !== undefined && custom_data.currency !== undefined),
            'A Purchase needs value and currency.',
          ),
        ]),
      ],
    }
  },
  good: ({ json, path }) => ({
    status: 200,
    json: path.endsWith('/dataset_quality')
      ? quality
      : { events_received: (json as { data: [] }).data.length, messages: [], fbtrace_id: 'Atrace' },
  }),
  failures: {
    badKey: { reply: (says) => error(400, 190, `Invalid OAuth access token. ${says}`), means: 'keyRejected' },
    badPayload: {
      reply: (says) => error(400, 100, 'Invalid parameter', { error_user_msg: says, error_subcode: 2_804_050 }),
      means: 'payloadRefused',
    },
    throttled: { reply: (says) => error(400, 80_004, `There have been too many calls. ${says}`), means: 'throttled' },
    transient: { reply: (says) => error(500, 2, says, { is_transient: true }), means: 'vendorDown' },
    noRights: { reply: (says) => error(403, 200, `Permissions error. ${says}`), means: 'payloadRefused' },
  },
}
