import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'

const amount = Type.Optional(Type.String({ pattern: '^-?\\d+(\\.\\d+)?(e[-+]?\\d+)?$' }))

/** https://dev.kevel.com/docs/server-to-server-conversion-tracking2 */
export const kevel = simpleVendor({
  hosts: /^e-[a-z0-9-]+\.adzerk\.net$/,
  method: 'GET',
  path: /^\/conv\/[\w-]+$/,
  visit: { query: { conv: '0f8fad5b-d9cb-469f-a165-70867728950e' } },
  isAllInPath: true,
  query: Type.Object({ override: amount, additional: amount }, { additionalProperties: false }),
  badPayload: (text) => ({ status: 400, text }),
  failures: { unknownId: { reply: (text) => ({ status: 404, text }), means: 'payloadRefused' } },
})
