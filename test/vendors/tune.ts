import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { only, text, unless } from './vendor.ts'

const said = (sentence: string) => ({ status: 200, text: `success=false; err_msg=${sentence}` })

/** https://support.tune.com/hc/en-us/articles/4413247665431: the status is always 200; the text has the result. */
export const tune = simpleVendor({
  hosts: /^([a-z0-9-]+\.go2cloud\.org|tracking\.shop\.example)$/,
  method: 'GET',
  path: /^\/aff_lsr$/,
  query: only({
    transaction_id: text,
    offer_id: Type.String({ pattern: '^\\d+$' }),
    goal_id: text,
    amount: Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' }),
    adv_sub: text,
    adv_unique1: text,
    promo_code: text,
    conversion_unique_id: text,
    security_token: text,
  }),
  also: ({ query }) => unless(Boolean(query.transaction_id), 'Missing transaction_id.'),
  good: { status: 200, text: 'success=true;' },
  badPayload: said,
  failures: {
    noToken: { reply: () => said('Invalid security token.'), means: 'keyRejected' },
    unknownClick: { reply: () => said('Invalid transaction id.'), means: 'payloadRefused' },
  },
  visit: { query: { transaction_id: '1027c887059b47bc' } },
})
