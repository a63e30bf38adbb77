import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { currency, text } from './vendor.ts'

/**
 * https://www.outbrain.com/help/advertisers/server2server-integrations/: it does not report what is wrong with a
 * conversion.
 */
export const outbrain = simpleVendor({
  hosts: /^tr\.outbrain\.com$/,
  method: 'GET',
  path: /^\/unifiedPixel$/,
  visit: { query: { OutbrainClickId: 'v3-abc' } },
  query: Type.Object(
    {
      ob_click_id: text,
      name: text,
      orderValue: Type.Optional(Type.String({ pattern: '^-?\\d+(\\.\\d+)?(e[-+]?\\d+)?$' })),
      orderId: Type.Optional(text),
      currency: Type.Optional(currency),
      timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' }),
    },
    { additionalProperties: false },
  ),
  good: { status: 200, headers: { 'content-type': 'image/gif' }, text: '' },
  failures: { refused: { reply: (says) => ({ status: 400, text: says }), means: 'payloadRefused' } },
})
