import { after } from 'node:test'
import type { ProviderId } from '#contract/providerIds.ts'
import type { StandardKey } from '#contract/standardKeys.ts'
import type { ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'
import type { Provider } from '#provider/form/provider.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { type Customer, makeCustomer, makeScript, type Plain } from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'
import { few, fewest } from './corpus.ts'
import { openWatched, send } from './house.ts'
import type { Door } from './measure.ts'
import { leavesOf } from './places.ts'

/** Good for a provider that asks for a token first, and for every other. */
const good = () => ({ body: JSON.stringify({ access_token: 'token-1', token_type: 'Bearer', expires_in: 3_600 }) })
const vendor = await openVendor(good, { remember: false })
after(vendor.close)
const house = await openWatched('hostile-delivery', {
  AGLET_VENDORS_URL: vendor.url,
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
})
const catalogue = Object.entries(providers) as [ProviderId, Provider][]

/** The first example that sends something with every required variable. */
function exampleOf(id: ProviderId, { secrets }: Provider): ProviderExample | undefined {
  const required = Object.keys(secrets).filter((variable) => !secrets[variable]!.optional)
  return examplesOf(id).find(
    ({ sends, testMode: isTest, secrets: given }) =>
      !('skipped' in sends) && !isTest && required.every((variable) => given?.[variable]),
  )
}

/** Code is run elsewhere, and what only a page calls is not called here. */
const called = catalogue.filter(([id, provider]) => !provider.code && exampleOf(id, provider))

/** The secrets of the example; what leads to a server of the customer's leads to ours. */
function secretsOf(id: ProviderId, provider: Provider): Plain[] {
  const { secrets, host } = provider
  return Object.entries(exampleOf(id, provider)!.secrets).flatMap(([variable, value]) => {
    const address = host === 'customer' && URL.canParse(value ?? '') ? `${vendor.url}/in` : value
    return value ? [{ variable, type: secrets[variable]!.type, value: address! }] : []
  })
}

async function openShop(name: string, made: readonly [ProviderId, Provider][]): Promise<Customer> {
  const customer = await makeCustomer(house.aglet, name)
  for (const [id, provider] of made) await makeScript(customer, id, id, secretsOf(id, provider))
  return customer
}

/** The providers are spread over so many customers: an event to all of them at once takes too long to repeat a thousand times. */
const shopCount = 8
const shops = await Promise.all(
  Array.from({ length: shopCount }, (_, shop) =>
    openShop(
      `providers ${shop + 1} of ${shopCount}`,
      called.filter((_entry, at) => at % shopCount === shop),
    ),
  ),
)

/** Turns which customer gets which text, so that other runs send other texts to each provider. */
const turn = Number((process.env.HOSTILE_PART ?? '1').split('/')[0])

/** Each text of a door goes to one of the customers. */
const spread = (doorsOf: (customer: Customer) => readonly Door[]) => () =>
  shops.flatMap((customer, shop) =>
    doorsOf(customer).map((door) => ({
      ...door,
      name: `${door.name}, providers ${shop + 1} of ${shopCount}`,
      texts: door.texts.filter((_, at) => (at + turn) % shopCount === shop),
    })),
  )

const known: Record<StandardKey, string> = {
  email: 'ada@example.com',
  phone: '+4915112345678',
  firstName: 'Ada',
  lastName: 'Lovelace',
  gender: 'f',
  dateOfBirth: '1990-12-10',
  city: 'Bonn',
  state: 'NW',
  zip: '53111',
  country: 'DE',
}
const person = Object.fromEntries(
  Object.entries(known).map(([key, value]) => [`user${key[0]!.toUpperCase()}${key.slice(1)}`, value]),
)
/** Click ids and cookies of every provider, as an event brings them. */
const captured = Object.fromEntries(
  catalogue.map(([id, { captures = [] }]) => [
    id,
    Object.fromEntries(
      captures.flatMap(({ query, cookie }) => [query, cookie].flatMap((each) => (each ? [[each, 'GA1.1.1.2']] : []))),
    ),
  ]),
)
let count = 0
const anEvent = (share: boolean) => ({
  eventName: 'Purchase',
  eventId: `hostile-${++count}`,
  timestamp: Date.now(),
  pageUrl: 'https://shop.example/thanks?fbclid=1&click_id=2&irclickid=3',
  pageTitle: 'Thanks',
  referrer: 'https://search.example/',
  search: '?gclid=1',
  userAgent: 'Mozilla/5.0',
  ip: '192.0.2.1',
  ...person,
  data: {
    ...cart,
    orderId: 'order-1',
    search: 'mug',
    checkoutUrl: 'https://shop.example',
    discounts: [{ code: 'A', type: 'FLAT', value: 1 }],
  },
  own: { deep: ['text'] },
  storage: {
    kv: { email: 'ada@example.com', phone: '+4915112345678', own: 'text' },
    data: captured,
    service: { consent: { all: true }, ...(!share && { consentCategories: { all: true, share_pii: false } }) },
  },
})

/** An event goes to every channel, and its deliveries are done. */
const deliver = ({ tagUrl, token, teamId }: Customer, event: unknown) =>
  send(`${tagUrl}/tag?sync=true`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'team-id': teamId,
      'content-type': 'application/json',
      serviceuserid: `usr_${++count}`,
    },
    body: JSON.stringify(event),
  })

const eventBytes = 50 * 1024
/** Names of the plan, which must stay for the event to go anywhere. */
const isOfPlan = (path: string) => /^\.(eventId|\{|storage\.(\{|service|data\.\{))/.test(path)

function eventDoors(customer: Customer, share: boolean): Door[] {
  const places = leavesOf(anEvent(share)).filter(({ path }) => !isOfPlan(path))
  return places.map(({ path, put }) => ({
    name: `event${path}${share ? '' : ' of a person who shares nothing'}`,
    texts: share && !path.endsWith('}') ? few : fewest,
    most: path === '.eventName' ? 200 : eventBytes,
    knock: (text) => deliver(customer, { ...(put(text) as object), eventId: `hostile-${++count}` }),
  }))
}

/** Events in one body, as many as it may hold: the worker takes them from the stream together. */
function bodyDoor(customer: Customer): Door {
  const events = (text: string) =>
    Array.from({ length: 15 }, () => ({
      ...anEvent(false),
      eventId: `hostile-${++count}`,
      own: text,
      pageUrl: text.slice(0, 100),
    }))
  const knock = async (text: string) => {
    await send(`${customer.tagUrl}/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(events(text)),
    })
    await deliver(customer, anEvent(true))
  }
  return { name: 'fifteen events in one body', texts: few, most: eventBytes, knock }
}

/** What a vendor may say in JSON, under every name that vendors use. */
const inJson = (text: string) => {
  const told = { message: text, code: text, detail: text, type: text, description: text, path: text }
  return JSON.stringify({
    ...told,
    error: told,
    errors: [told, text],
    Errors: [told],
    status: text,
    results: [told],
    response: told,
    FailedRecordCount: 1,
    Records: [{ ErrorCode: text, ErrorMessage: text }],
  })
}

function answerDoors(customer: Customer): Door[] {
  const answered = (
    name: string,
    reply: (text: string) => Awaited<ReturnType<typeof vendor.answer>>,
    most: number,
  ): Door => ({
    name: `vendors answer ${name}`,
    texts: few,
    most,
    async knock(text) {
      vendor.answer = () => reply(text)
      await deliver(customer, anEvent(true))
      vendor.answer = good
    },
  })
  const header = (text: string) => text.replace(/[^\x20-\x7e]/g, '!')
  return [
    answered('by text', (body) => ({ body, headers: { 'content-type': 'text/plain' } }), 1024 * 1024),
    answered('by no JSON', (body) => ({ body }), 1024 * 1024),
    answered(
      'an error by text',
      (body) => ({ status: 400, body, headers: { 'content-type': 'text/html' } }),
      1024 * 1024,
    ),
    answered('by JSON', (text) => ({ body: inJson(text) }), 40 * 1024),
    answered('an error by JSON', (text) => ({ status: 400, body: inJson(text) }), 40 * 1024),
    answered(
      'by a header',
      (text) => ({
        status: 400,
        headers: { 'retry-after': header(text), 'x-request-id': header(text), 'content-type': header(text) },
      }),
      4 * 1024,
    ),
  ]
}

house.holds(
  'events',
  spread((customer) => eventDoors(customer, true)),
)
house.holds(
  'events without personal data',
  spread((customer) => [...eventDoors(customer, false), bodyDoor(customer)]),
)
house.holds('answers of vendors', spread(answerDoors))
