import { Type } from '#contract/schema.ts'
import { currency, digest, insist, keyProblem, type MockVendor, only, text, unless } from './vendor.ts'

const parameters = Type.Object({
  af_order_id: Type.Optional(text),
  af_content_id: Type.Optional(Type.Array(text, { minItems: 1 })),
  af_quantity: Type.Optional(Type.Array(Type.Number(), { minItems: 1 })),
  af_price: Type.Optional(Type.Array(Type.Number(), { minItems: 1 })),
  af_revenue: Type.Optional(Type.Number()),
  event_id: text,
})
const insistParameters = insist(parameters)
const web = {
  customerUserId: text,
  afUserId: text,
  webDevKey: text,
  eventType: Type.Literal('EVENT'),
  eventName: text,
  timestamp: Type.Integer({ minimum: 1_500_000_000_000 }),
  eventRevenue: Type.Number(),
  eventRevenueCurrency: currency,
  eventValue: parameters,
  referrer: Type.String(),
  UserAgent: text,
  ip: text,
}
const insistWeb = insist(only(web))
const insistApp = insist(
  only({
    ...Object.fromEntries(
      [
        'appsflyer_id',
        'advertising_id',
        'idfa',
        'idfv',
        'oaid',
        'amazon_aid',
        'customer_user_id',
        'ip',
        'bundleIdentifier',
        'app_version_name',
        'os',
      ].map((name) => [name, text]),
    ),
    email_hashed: digest,
    phone_number_e164_hashed: digest,
    eventName: text,
    eventValue: text,
    eventCurrency: currency,
    eventTime: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}$' }),
  }),
)

type Body = Record<string, unknown>
const bodyOf = (json: unknown): Body => (typeof json === 'object' && json !== null ? (json as Body) : {})

function webProblems(json: unknown): string[] {
  const body = bodyOf(json)
  return [
    ...insistWeb(json),
    ...unless(Boolean(body.customerUserId ?? body.afUserId), 'One of customerUserId and afUserId is required.'),
    ...unless(body.eventName !== undefined && body.timestamp !== undefined, 'eventName and timestamp are required.'),
    ...unless(
      (body.eventRevenue === undefined) === (body.eventRevenueCurrency === undefined),
      'Revenue needs a currency.',
    ),
  ]
}

function appProblems(json: unknown): string[] {
  const body = bodyOf(json)
  let parsed: unknown
  try {
    parsed = JSON.parse(String(body.eventValue))
  } catch {
    parsed = undefined
  }
  return [
    ...insistApp(json),
    ...unless(Boolean(body.appsflyer_id && body.eventName && body.eventValue), 'A required parameter is missing.'),
    ...insistParameters(parsed),
    ...unless(Buffer.byteLength(JSON.stringify(json ?? null)) <= 1_024, 'The payload has more than 1 KB.'),
  ]
}

/** https://dev.appsflyer.com/hc/reference/web-s2s-api-event-post and …/s2s-events-api3-overview */
export const appsFlyer: MockVendor = {
  hosts: /^(webs2s|api3)\.appsflyer\.com$/,
  check({ host, method, path, headers, json }) {
    const isWeb = host.startsWith('webs2s')
    const key = isWeb ? bodyOf(json).webDevKey : headers.authentication
    return {
      key: keyProblem(typeof key === 'string' ? key : undefined),
      payload: [
        ...unless(
          method === 'POST' && (isWeb ? /^\/v1\/[\w.-]+\/event$/ : /^\/inappevent\/[\w.-]+$/).test(path),
          'Not found.',
        ),
        // an iOS id without its prefix gets a 200 and is recorded nowhere
        ...unless(!/^\/inappevent\/\d+$/.test(path), 'The app id of iOS begins with id.'),
        ...(isWeb ? webProblems(json) : appProblems(json)),
      ],
    }
  },
  good: ({ host }) =>
    host.startsWith('webs2s') ? { status: 200, json: { status: 'OK' } } : { status: 200, text: 'ok' },
  failures: {
    badKey: { reply: (says) => ({ status: 401, json: { error: says } }), means: 'keyRejected' },
    badPayload: { reply: (says) => ({ status: 400, json: { error: says } }), means: 'payloadRefused' },
    unknownBundle: { reply: (says) => ({ status: 404, json: { error: says } }), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
}
