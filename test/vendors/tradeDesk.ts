import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, only, text, unless } from './vendor.ts'

const Items = Type.Array(
  only({ item_code: text, name: text, qty: Type.Integer({ minimum: 1 }), price: Type.Number(), cat: text }),
  { minItems: 1 },
)
const Privacy = Type.Object(
  { privacy_type: Type.Enum(['GDPR', 'GPP']), is_applicable: Type.Enum([0, 1]), consent_string: text },
  { additionalProperties: false },
)
const LimitedUse = Type.Object(
  { policies: Type.Array(Type.Enum(['LDU']), { minItems: 1 }), region: Type.String({ pattern: '^US-[A-Z]{2}$' }) },
  { additionalProperties: false },
)
const texts = ['adv', 'merchant_id', 'tracker_id', 'upixel_id', 'order_id', 'imp', 'client_ip', 'referrer_url', 'adid']
const Event = Type.Object(
  {
    event_name: text,
    ...Object.fromEntries(texts.map((name) => [name, Type.Optional(text)])),
    ...Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`td${n + 1}`, Type.Optional(Type.String())])),
    adid_type: Type.Optional(Type.Enum(['TDID', 'UID2', 'EUID', 'IDFA', 'AAID', 'DAID', 'NAID', 'IDL'])),
    value: Type.Optional(Type.Number()),
    currency: Type.Optional(currency),
    items: Type.Optional(Items),
    data_processing_option: Type.Optional(LimitedUse),
    privacy_settings: Type.Optional(Type.Array(Privacy, { minItems: 1 })),
  },
  { additionalProperties: false },
)
type Row = {
  adv?: string
  merchant_id?: string
  tracker_id?: string
  upixel_id?: string
  adid?: string
  adid_type?: string
}

/** https://partner.thetradedesk.com/v3/portal/data/doc/DataConversionEventsApi, by public implementations. */
export const tradeDesk = simpleVendor({
  hosts: /^insight\.adsrvr\.org$/,
  path: /^\/track\/realtimeconversion$/,
  json: Type.Object({ data: Type.Array(Event, { minItems: 1 }) }, { additionalProperties: false }),
  also: ({ json }) =>
    ((json as { data?: Row[] } | undefined)?.data ?? []).flatMap((row) => [
      ...unless(Boolean(row.adv) !== Boolean(row.merchant_id), 'Either adv or merchant_id.'),
      ...unless(Boolean(row.tracker_id || row.upixel_id), 'tracker_id or upixel_id is required.'),
      ...unless(Boolean(row.adid) === Boolean(row.adid_type), 'adid needs adid_type.'),
    ]),
  visit: { query: { ttdimp: 'imp-1' } },
  badPayload: (text) => ({ status: 400, text }),
  failures: {
    unknownTracker: { reply: (text) => ({ status: 402, text }), means: 'payloadRefused' },
    throttled: { reply: (text) => ({ status: 429, text }), means: 'throttled' },
  },
})
