import { Type } from '#contract/schema.ts'
import { bearerOf, type Got, insist, keyProblem, type MockVendor, text, unless } from './vendor.ts'

const Flat = Type.Union([Type.String({ maxLength: 255 }), Type.Number(), Type.Boolean()])
const Key = Type.String({ pattern: '^[^.$~`!@#%^&*\'{}|\\\\"]+$' })
const Price = Type.Object(
  { amount: Type.Integer(), currency: Type.String({ pattern: '^[a-z]{3}$' }) },
  { additionalProperties: false },
)
const insistEvent = insist(
  Type.Object(
    {
      event_name: text,
      created_at: Type.Integer({ maximum: 9_999_999_999 }),
      user_id: Type.Optional(text),
      email: Type.Optional(text),
      metadata: Type.Optional(Type.Record(Key, Type.Union([Flat, Price]), { maxProperties: 10 })),
    },
    { additionalProperties: false },
  ),
)
const insistSearch = insist(
  Type.Object({
    query: Type.Object({ field: Type.Enum(['external_id', 'email']), operator: Type.Literal('='), value: text }),
  }),
)
const insistUpdate = insist(
  Type.Object(
    { name: Type.Optional(text), phone: Type.Optional(Type.String({ pattern: '^\\+\\d{8,15}$' })) },
    { additionalProperties: false, minProperties: 1 },
  ),
)
const insistContact = insist(
  Type.Object({
    role: Type.Literal('user'),
    external_id: Type.Optional(text),
    email: Type.Optional(text),
    // a contact created by an event has subscribed to nothing
    unsubscribed_from_emails: Type.Literal(true),
  }),
)

type Told = { user_id?: string; email?: string; metadata?: Readonly<Record<string, unknown>> }

const isUpdate = ({ method, path }: Got) => method === 'PUT' && /^\/contacts\/[\w-]+$/.test(path)

function wrongWith(got: Got): string[] {
  const { path, json } = got
  if (isUpdate(got)) return insistUpdate(json)
  if (path === '/contacts/search') return insistSearch(json)
  if (path === '/contacts') return insistContact(json)
  const { user_id, email, metadata = {} } = Object(json) as Told
  const dates = Object.entries(metadata).filter(([name]) => name.endsWith('_date'))
  return [
    ...unless(path === '/events', 'The path is not there.'),
    ...insistEvent(json),
    ...unless(Boolean(user_id ?? email), 'One of id, user_id, email is required.'),
    ...unless(
      dates.every(([, value]) => Number.isInteger(value)),
      'A key that ends in _date is a time in seconds.',
    ),
  ]
}

const refusal = (status: number, code: string, message: string) => ({
  status,
  json: { type: 'error.list', request_id: 'r-1', errors: [{ code, message }] },
})

/** https://developers.intercom.com/docs/references/rest-api/api.intercom.io/data-events/createdataevent */
export const intercom: MockVendor = {
  hosts: /^api\.((eu|au)\.)?intercom\.io$/,
  check: (got) => ({
    key: keyProblem(bearerOf(got)),
    payload: [
      ...unless(got.method === 'POST' || isUpdate(got), 'The method is not allowed.'),
      ...unless(got.headers['intercom-version'] === '2.15', 'The version is not known.'),
      ...wrongWith(got),
    ],
  }),
  good(got) {
    const contact = { type: 'contact', id: 'c-1' }
    if (got.path === '/contacts/search') return { status: 200, json: { type: 'list', data: [contact] } }
    return got.path === '/events' ? { status: 202 } : { status: 200, json: contact }
  },
  failures: {
    badKey: { reply: (says) => refusal(401, 'unauthorized', says), means: 'keyRejected' },
    badPayload: { reply: (says) => refusal(422, 'parameter_invalid', says), means: 'payloadRefused' },
    unknownContact: { reply: (says) => refusal(404, 'not_found', says), means: 'payloadRefused' },
    noRights: { reply: (says) => refusal(403, 'token_unauthorized', says), means: 'payloadRefused' },
    throttled: {
      reply: (says) => ({ ...refusal(429, 'rate_limit_exceeded', says), headers: { 'x-ratelimit-reset': '10' } }),
      means: 'throttled',
    },
  },
}
