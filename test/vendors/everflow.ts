import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, only, text, unless } from './vendor.ts'

const whole = Type.String({ pattern: '^\\d+$' })

/**
 * https://helpdesk.everflow.io/customer/accessing-editing-s2s-postback-urls: a rejected conversion also gets a 200.
 */
export const everflow = simpleVendor({
  hosts: /^www\.trk\.example$/,
  method: 'GET',
  path: /^\/$/,
  query: only({
    nid: whole,
    transaction_id: text,
    oid: whole,
    affid: whole,
    event_id: text,
    amount: Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' }),
    currency,
    order_id: text,
    coupon_code: text,
    user_id: Type.String({ pattern: '^[^@]+$' }),
    timestamp: Type.String({ pattern: '^\\d{10}$' }),
    verification_token: text,
  }),
  also: ({ query }) => [
    ...unless(Boolean(query.nid), 'nid is required.'),
    ...unless(
      Boolean(query.transaction_id || query.coupon_code || (query.oid && query.affid)),
      'transaction_id, coupon_code, or oid and affid are required.',
    ),
  ],
  failures: { refused: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' } },
  visit: { query: { _ef_transaction_id: '0123456789abcdef0123456789abcdef' } },
})
