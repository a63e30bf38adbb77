import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { insist, only, text, time } from './vendor.ts'

const short = Type.String({ minLength: 1, maxLength: 1_024 })
const flat = Type.Union([Type.String({ maxLength: 1_024 }), Type.Number(), Type.Boolean(), Type.Array(short)])
const row = {
  identity: Type.String({ minLength: 1, maxLength: 255 }),
  user_id: Type.String({ pattern: '^\\d{1,16}$' }),
  session_id: text,
  event: short,
  timestamp: time,
  idempotency_key: text,
  properties: Type.Record(Type.String(), flat),
}
const insistRow = insist(only({ ...row, app_id: text }))
const insistBatch = insist(
  Type.Object(
    { app_id: text, events: Type.Array(only(row), { minItems: 1, maxItems: 1_000 }) },
    { additionalProperties: false },
  ),
)

type Row = { identity?: string; user_id?: string; event?: string }

/** https://developers.heap.io/reference/track-1: there is no secret, only the environment ID. */
export const heap = simpleVendor({
  hosts: /^(heapanalytics\.com|c\.eu\.heap-api\.com)$/,
  path: /^\/api\/track$/,
  also: ({ json }) => {
    const { events, ...body } = (json ?? {}) as Row & { app_id?: string; events?: Row[] }
    return [
      ...(events ? insistBatch(json) : insistRow(json)),
      ...(body.app_id ? [] : ['app_id is required.']),
      ...(events ?? [body]).flatMap(({ identity, user_id, event }) => [
        ...(Boolean(identity) === Boolean(user_id) ? ['An event needs exactly one of identity and user_id.'] : []),
        ...(event ? [] : ['event is required.']),
      ]),
    ]
  },
  good: { status: 200, json: {} },
  badPayload: (error) => ({ status: 400, json: { error } }),
  failures: { throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' } },
})
