import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, only, text } from './vendor.ts'

const ids = ['idfa', 'idfv', 'adid', 'android_id', 'custom']
const flat = Type.Union([text, Type.Number(), Type.Boolean()])

/** https://support.kochava.com/server-to-server-integration/post-install-event-setup/ */
export const kochava = simpleVendor({
  hosts: /^control\.kochava\.com$/,
  path: /^\/track\/json$/,
  headers: { 'content-type': /^application\/json/ },
  json: Type.Object(
    {
      action: Type.Literal('event'),
      kochava_app_id: text,
      kochava_device_id: Type.String(),
      data: Type.Object(
        {
          event_name: text,
          usertime: Type.Integer({ minimum: 1_500_000_000, maximum: 9_999_999_999 }),
          origination_ip: text,
          // percent-encoded: no spaces or semicolons
          device_ua: Type.String({ pattern: "^[\\w.!~*'()%-]+$" }),
          device_ver: Type.Literal(''),
          app_version: Type.Optional(text),
          currency: Type.Optional(currency),
          device_ids: Type.Intersect([
            only(Object.fromEntries(ids.map((name) => [name, text]))),
            Type.Object({}, { minProperties: 1 }),
          ]),
          event_data: Type.Record(Type.String(), flat),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
  good: { status: 200, json: { success: '1' } },
  badPayload: (says) => ({ status: 200, json: { success: '0', error: says } }),
  failures: {
    refused: { reply: (says) => ({ status: 400, json: { error: says } }), means: 'payloadRefused' },
  },
  visit: { data: { idfa: '07F5A855-1375-4E51-9F15-0EFD4E5C84F4' } },
})
