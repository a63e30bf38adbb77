import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { basicOf, currency, insist, only, text, time, unless } from './vendor.ts'

const attributes = Type.Object({
  value: Type.Optional(Type.Number()),
  currency: Type.Optional(currency),
  order_id: Type.Optional(text),
  products: Type.Optional(Type.Array(Type.Object({}), { minItems: 1 })),
})
const bodies: Readonly<Record<string, (value: unknown) => string[]>> = {
  event: insist(
    Type.Object(
      {
        type: Type.Literal('event'),
        customer_id: text,
        device_id: Type.Optional(text),
        actions: Type.Array(
          Type.Object(
            {
              action: Type.String({ pattern: '^(?!moe_)' }),
              attributes,
              platform: Type.Enum(['web', 'ANDROID', 'iOS']),
              user_time: time,
              current_time: time,
            },
            { additionalProperties: false },
          ),
          { minItems: 1 },
        ),
      },
      { additionalProperties: false },
    ),
  ),
  customer: insist(
    Type.Object(
      {
        type: Type.Literal('customer'),
        customer_id: text,
        attributes: only({
          email: text,
          mobile: Type.String({ pattern: '^\\+\\d{8,15}$' }),
          first_name: text,
          last_name: text,
        }),
      },
      { additionalProperties: false },
    ),
  ),
}
type Action = { user_time?: string; attributes?: object }
const actionsOf = (json: unknown): Action[] => (json as { actions?: Action[] } | undefined)?.actions ?? []
const error = (status: number) => (message: string) => ({
  status,
  json: { status: 'fail', error: { message, type: 'Error', request_id: 'r-1' } },
})

/** https://www.moengage.com/docs/api/event/track-event */
export const moEngage = simpleVendor({
  hosts: /^api-\d{2,3}\.moengage\.com$/,
  path: /^\/v1\/(event|customer)\/[^/]+$/,
  key: (got) => basicOf(got)?.password,
  headers: { 'content-type': /^application\/json/, 'moe-appkey': /./ },
  also(got, now) {
    const [, , kind, workspace] = got.path.split('/')
    const actions = actionsOf(got.json)
    return [
      ...(bodies[kind ?? '']?.(got.json) ?? []),
      ...unless(
        workspace === basicOf(got)?.user && workspace === got.headers['moe-appkey'],
        'The workspace differs from that of the key.',
      ),
      ...unless(
        actions.every(({ user_time }) => Date.parse(user_time ?? '') <= now),
        'An event is in the future.',
      ),
      ...unless(
        actions.every((action) => Object.keys(action.attributes ?? {}).every((name) => !/^moe_/i.test(name))),
        'A name begins with moe_.',
      ),
      ...unless(Buffer.byteLength(got.body) <= 128_000, 'The request is larger than 128 kB.'),
    ]
  },
  good: { status: 200, json: { status: 'success', message: 'Your request has been accepted.' } },
  badKey: error(401),
  badPayload: error(400),
  failures: {
    blocked: { reply: error(403), means: 'payloadRefused' },
    tooLarge: { reply: error(413), means: 'payloadRefused' },
    throttled: { reply: error(429), means: 'throttled' },
  },
})
