import { Type } from '#contract/schema.ts'
import { currency, type Got, insist, keyProblem, type MockVendor, text, time, unless } from './vendor.ts'
import { withEndpoint } from './withEndpoint.ts'

const insistEvent = insist(
  Type.Object({
    actid: text,
    key: text,
    event: Type.String({ minLength: 1, maxLength: 32 }),
    eventdata: Type.Optional(Type.String({ maxLength: 1_000 })),
    visit: Type.String({ pattern: '^\\{"email":"[^"\\s@]+@[^"\\s@]+"\\}$' }),
  }),
)
const cents = Type.Integer({ minimum: 0 })
const id = Type.String({ pattern: '^\\d+$' })
const insistOrder = insist(
  Type.Object({
    ecomOrder: Type.Object({
      externalid: text,
      source: Type.Enum(['0', '1']),
      email: text,
      orderProducts: Type.Array(
        Type.Object({ externalid: text, name: text, price: cents, quantity: Type.Integer({ minimum: 1 }) }),
      ),
      totalPrice: cents,
      currency: Type.Optional(currency),
      externalCreatedDate: time,
      connectionid: id,
      customerid: id,
    }),
  }),
)
const insistCustomer = insist(
  Type.Object({
    ecomCustomer: Type.Object({
      connectionid: id,
      externalid: text,
      email: text,
      acceptsMarketing: Type.Literal('0'),
    }),
  }),
)

const insistContact = insist(
  Type.Object({
    contact: Type.Object(
      {
        email: text,
        phone: Type.Optional(text),
        firstName: Type.Optional(text),
        lastName: Type.Optional(text),
      },
      { additionalProperties: false },
    ),
  }),
)

const isEvent = ({ host, path }: Got) => host === 'trackcmp.net' || path === '/event'
const nameOf = ({ method, path }: Got) => `${method} ${path}`

function wrongWith(got: Got): string[] {
  if (isEvent(got)) return [...unless(nameOf(got) === 'POST /event', 'Not found.'), ...insistEvent(got.form)]
  if (nameOf(got) === 'GET /api/3/ecomCustomers')
    return unless(
      Boolean(got.query['filters[email]'] && got.query['filters[connectionid]']),
      'The filters are missing.',
    )
  if (nameOf(got) === 'POST /api/3/ecomCustomers') return insistCustomer(got.json)
  if (nameOf(got) === 'POST /api/3/contact/sync') return insistContact(got.json)
  return [...unless(nameOf(got) === 'POST /api/3/ecomOrders', 'Not found.'), ...insistOrder(got.json)]
}

const notSpawned = (message: string) => ({ status: 200, json: { success: 0, message } })

/**
 * https://developers.activecampaign.com/reference/track-event,
 * https://developers.activecampaign.com/reference/create-order
 */
const events: MockVendor = {
  hosts: /^(trackcmp\.net|[\w-]+\.api-us1\.com)$/,
  // a wrong event key is answered like any other fault of an event
  check: (got) => ({
    key: isEvent(got) ? [] : keyProblem(got.headers['api-token']),
    payload: [...(isEvent(got) ? keyProblem(got.form.key) : []), ...wrongWith(got)],
  }),
  good(got) {
    if (isEvent(got)) return { status: 200, json: { success: 1, message: 'Event spawned' } }
    if (got.method === 'GET') return { status: 200, json: { ecomCustomers: [], meta: { total: '0' } } }
    if (got.path === '/api/3/contact/sync') return { status: 200, json: { contact: { id: '5' } } }
    if (got.path === '/api/3/ecomCustomers') return { status: 201, json: { ecomCustomer: { id: '13' } } }
    return { status: 201, json: { ecomOrder: { id: '1' } } }
  },
  failures: {
    badPayload: { reply: notSpawned, means: 'payloadRefused' },
    noSuccess: { reply: (says) => ({ status: 200, text: says }), means: 'payloadRefused' },
    forbidden: { reply: (says) => ({ status: 403, json: { message: says } }), means: 'payloadRefused' },
    throttled: { reply: (says) => ({ status: 429, json: { message: says } }), means: 'throttled' },
  },
}

/** The subscription of a person. */
export const activeCampaign = withEndpoint(events, {
  method: 'POST',
  path: /^\/api\/3\/contactLists$/,
  json: Type.Object({ contactList: Type.Object({ list: id, contact: id, status: Type.Literal(1) }) }),
  good: { status: 201, json: { contactList: { id: '7' } } },
})
