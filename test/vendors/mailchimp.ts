import { Type } from '#contract/schema.ts'
import { basicOf, currency, type Got, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const insistEvent = insist(
  Type.Object(
    {
      name: Type.String({ pattern: '^[\\w -]{2,30}$' }),
      properties: Type.Record(Type.String(), Type.String()),
      occurred_at: time,
      is_syncing: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
)
const insistOrder = insist(
  Type.Object({
    id: Type.String({ minLength: 1, maxLength: 50 }),
    customer: Type.Object({
      id: Type.String({ minLength: 1, maxLength: 50 }),
      email_address: text,
      // a purchase does not subscribe the buyer
      opt_in_status: Type.Literal(false),
    }),
    currency_code: currency,
    order_total: Type.Number(),
    processed_at_foreign: time,
    campaign_id: Type.Optional(Type.String({ pattern: '^[0-9a-f]{10}$' })),
    lines: Type.Array(
      Type.Object({
        id: text,
        product_id: text,
        product_variant_id: text,
        quantity: Type.Integer({ minimum: 1 }),
        price: Type.Number(),
      }),
      { minItems: 1 },
    ),
  }),
)

const insistProfile = insist(
  Type.Object(
    { merge_fields: Type.Record(Type.String({ pattern: '^[A-Z0-9_]{1,10}$' }), text, { minProperties: 1 }) },
    { additionalProperties: false },
  ),
)

const isProfile = ({ method, path }: Got) =>
  method === 'PATCH' && /^\/3\.0\/lists\/[\w-]+\/members\/[0-9a-f]{32}$/.test(path)
const isEvent = ({ method, path }: Got) =>
  method === 'POST' && /^\/3\.0\/lists\/[\w-]+\/members\/[0-9a-f]{32}\/events$/.test(path)
const isOrder = ({ method, path }: Got) =>
  method === 'PUT' && /^\/3\.0\/ecommerce\/stores\/[\w-]+\/orders\/[^/]+$/.test(path)

const problem = (status: number, title: string, detail: string) => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  json: { type: 'https://mailchimp.com/developer/marketing/docs/errors/', title, status, detail, instance: 'i-1' },
})

/**
 * https://mailchimp.com/developer/marketing/api/list-member-events/,
 * https://mailchimp.com/developer/marketing/api/ecommerce-orders/
 */
const events: MockVendor = {
  hosts: /^[a-z0-9-]+\.api\.mailchimp\.com$/,
  check: (got) => ({
    key: keyProblem(basicOf(got)?.password),
    payload: [
      ...unless(isEvent(got) || isOrder(got) || isProfile(got), 'The requested resource could not be found.'),
      ...(isProfile(got) ? insistProfile : isOrder(got) ? insistOrder : insistEvent)(got.json),
    ],
  }),
  good(got) {
    if (isProfile(got)) return { status: 200, json: { status: 'subscribed' } }
    return isOrder(got) ? { status: 200, json: { id: (got.json as { id: string }).id } } : { status: 204 }
  },
  failures: {
    badKey: { reply: (says) => problem(401, 'API Key Invalid', says), means: 'keyRejected' },
    badPayload: { reply: (says) => problem(400, 'Invalid Resource', says), means: 'payloadRefused' },
    wrongDataCenter: { reply: (says) => problem(403, 'Wrong Datacenter', says), means: 'keyRejected' },
    noMember: { reply: (says) => problem(404, 'Resource Not Found', says), means: 'payloadRefused' },
    disabled: { reply: (says) => problem(403, 'User Disabled', says), means: 'payloadRefused' },
    blocked: { reply: () => ({ status: 403, text: '<html>Access Denied</html>' }), means: 'throttled' },
    throttled: { reply: (says) => problem(429, 'Too Many Requests', says), means: 'throttled' },
  },
}

/** The subscription of a person. */
export const mailchimp = withEndpoint(events, {
  method: 'PUT',
  path: /^\/3\.0\/lists\/[\w-]+\/members\/[0-9a-f]{32}$/,
  json: Type.Object(
    { email_address: text, status_if_new: Type.Enum(['subscribed', 'pending']) },
    { additionalProperties: false },
  ),
  good: { status: 200, json: { status: 'pending' } },
})
