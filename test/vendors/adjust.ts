import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, currency, type Got, only, text, unless } from './vendor.ts'

const deviceIds = ['web_uuid', 'idfa', 'idfv', 'gps_adid', 'android_id', 'fire_adid', 'oaid', 'adid']
const whole = Type.String({ pattern: '^\\d{10}$' })

/** A flat JSON object of texts. */
function isFlat(json: string | undefined): boolean {
  if (json === undefined) return true
  try {
    return Object.values(JSON.parse(json) as object).every((value) => typeof value === 'string' && value !== '')
  } catch {
    return false
  }
}

/** Authentication is off unless the request has a token. */
const keyOf = (got: Got) => ('authorization' in got.headers ? bearerOf(got) : 'none')

/** https://dev.adjust.com/en/api/s2s-api/events */
export const adjust = simpleVendor({
  hosts: /^s2s\.adjust\.com$/,
  path: /^\/event$/,
  headers: { 'content-type': /^application\/x-www-form-urlencoded/ },
  key: keyOf,
  form: only({
    ...Object.fromEntries(deviceIds.map((name) => [name, text])),
    s2s: Type.Literal('1'),
    app_token: Type.String({ pattern: '^[a-z0-9]{12}$' }),
    event_token: Type.String({ pattern: '^[a-z0-9]{6}$' }),
    created_at_unix: whole,
    revenue: Type.String({ pattern: '^\\d+(\\.\\d+)?$' }),
    currency,
    ip_address: Type.String({ pattern: '^\\d{1,3}(\\.\\d{1,3}){3}$' }),
    user_agent: text,
    environment: Type.Enum(['production', 'sandbox']),
    callback_params: text,
    partner_params: text,
  }),
  also: ({ form }) => [
    ...unless(
      Boolean(form.s2s && form.app_token && form.event_token && form.created_at_unix),
      'A parameter is missing.',
    ),
    ...unless(
      deviceIds.some((name) => form[name]),
      'Device id is missing.',
    ),
    ...unless((form.revenue === undefined) === (form.currency === undefined), 'revenue and currency go together.'),
    ...unless(form.revenue === undefined || Number(form.revenue) >= 0.001, 'Revenue is less than 0.001.'),
    ...unless(isFlat(form.callback_params) && isFlat(form.partner_params), 'Parameters are a flat object of texts.'),
  ],
  good: { status: 200, json: { status: 'OK' } },
  badKey: (says) => ({ status: 202, json: { error: says } }),
  badPayload: (says) => ({ status: 400, json: { error: says } }),
  failures: {
    unknownDevice: { reply: (says) => ({ status: 404, json: { error: says } }), means: 'payloadRefused' },
    optedOut: { reply: (says) => ({ status: 451, json: { error: says } }), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
  visit: { data: { web_uuid: '46c7b8a3-9c31-4f0c-8c7f-6d6d5a1f2e11' } },
})
