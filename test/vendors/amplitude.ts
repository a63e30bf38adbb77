import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { only } from './vendor.ts'

const short = Type.String({ minLength: 1, maxLength: 1_024 })
const nobody = /^(anonymous|nil|none|null|n\/a|na|undefined|unknown|\{\}|lmy47d|0|-1|[0-]+)$/i
const members = {
  user_id: short,
  device_id: short,
  event_type: short,
  time: Type.Integer({ minimum: 1_000_000_000_000 }),
  insert_id: short,
  session_id: Type.Integer(),
  ip: short,
  user_agent: short,
  platform: short,
  revenue: Type.Number(),
  currency: short,
  revenueType: short,
  productId: short,
  event_properties: Type.Object({}),
  user_properties: Type.Object({}),
}

/** https://amplitude.com/docs/apis/analytics/http-v2 */
export const amplitude = simpleVendor({
  hosts: /^api(2|\.eu)\.amplitude\.com$/,
  path: /^\/2\/httpapi$/,
  key: ({ json }) => (json as { api_key?: string } | undefined)?.api_key,
  json: Type.Object(
    {
      api_key: short,
      events: Type.Array(
        Type.Intersect([only(members), Type.Object({ event_type: short, time: members.time, insert_id: short })]),
        { minItems: 1, maxItems: 2_000 },
      ),
      options: Type.Object({ min_id_length: Type.Integer({ minimum: 1 }) }),
    },
    { additionalProperties: false },
  ),
  also: ({ json }) => {
    const { events = [] } = (json ?? {}) as { events?: Record<string, unknown>[] }
    return events.flatMap(({ user_id, device_id, event_properties }) => [
      ...(user_id || device_id ? [] : ['An event needs user_id or device_id.']),
      ...[user_id, device_id].flatMap((id) => (typeof id === 'string' && nobody.test(id) ? [`${id} is no id.`] : [])),
      ...(/"[^"]{1025,}"/.test(JSON.stringify(event_properties)) ? ['A text has more than 1024 characters.'] : []),
    ])
  },
  good: { status: 200, json: { code: 200, events_ingested: 1, payload_size_bytes: 200 } },
  badKey: () => ({ status: 400, json: { code: 400, error: 'Invalid API key: (REDACTED)' } }),
  badPayload: (error) => ({ status: 400, json: { code: 400, error, events_with_invalid_fields: { time: [0] } } }),
  failures: {
    throttled: {
      reply: (error) => ({ status: 429, json: { code: 429, error, throttled_events: [0] } }),
      means: 'throttled',
    },
    tooLarge: { reply: (error) => ({ status: 413, json: { code: 413, error } }), means: 'payloadRefused' },
    slow: { reply: (says) => ({ status: 504, text: says }), means: 'vendorDown' },
  },
})
