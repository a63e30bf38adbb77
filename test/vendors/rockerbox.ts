import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, text, unless } from './vendor.ts'

/** https://help.rockerbox.com/article/5t050dmcxv-webhooks: it answers 200 and {} to everything. */
export const rockerbox = simpleVendor({
  hosts: /^webhooks\.getrockerbox\.com$/,
  path: /^\/webhook\/data$/,
  headers: { 'content-type': /^application\/json/ },
  query: Type.Object({ advertiser: text }, { additionalProperties: false }),
  json: Type.Object({
    action: text,
    timestamp: Type.String({ pattern: '^\\d{10}$' }),
    email: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$' })),
    phone: Type.Optional(text),
    customer_id: Type.Optional(text),
    anonymous_id: Type.Optional(text),
    order_id: Type.Optional(text),
    revenue: Type.Optional(Type.Number()),
    currency: Type.Optional(currency),
    conversion_source: text,
  }),
  also: ({ json }) => {
    const { email, customer_id } = (json ?? {}) as { email?: string; customer_id?: string }
    return unless(Boolean(email ?? customer_id), 'email or customer_id is required.')
  },
  good: { status: 200, json: {} },
  failures: {
    refused: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, text: says }), means: 'throttled' },
  },
})
