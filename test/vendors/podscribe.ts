import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, digest, only, text, time, unless } from './vendor.ts'

const amount = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
const yes = Type.Literal('true')

/** The fields of its public connector; the vendor answers 200 to everything, so nothing is refused here. */
export const podscribe = simpleVendor({
  hosts: /^verifi\.podscribe\.com$/,
  method: 'GET',
  path: /^\/tag$/,
  query: only({
    action: Type.Enum(['view', 'signup', 'lead', 'purchase', 'install', 'offline_purchase']),
    advertiser: text,
    user_id: text,
    timestamp: time,
    device_id: text,
    url: text,
    referrer: text,
    ip: text,
    user_agent: text,
    order_value: amount,
    order_number: text,
    currency,
    discount_code: text,
    hashed_email: digest,
    num_items_purchased: amount,
    is_new_customer: yes,
    is_subscription: yes,
    properties: text,
  }),
  also: ({ query }) => unless(Boolean(query.action && query.advertiser && query.ip), 'A parameter is missing.'),
  failures: { refused: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' } },
})
