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
import { basicTexts, minimalTexts } from './corpus.ts'
import type { EntryPoint } from './measure.ts'
import { positionsInValue } from './textPositions.ts'
import { openWatchedServer, send } from './watchedServer.ts'

/** A success for every provider, including those that request a token first. */
const good = () => ({ body: JSON.stringify({ access_token: 'token-1', token_type: 'Bearer', expires_in: 3_600 }) })
const vendor = await openVendor(good, { remember: false })
after(vendor.close)
const watched = await openWatchedServer('hostile-delivery', {
  AGLET_VENDORS_URL: vendor.url,
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
})
const catalogue = Object.entries(providers) as [ProviderId, Provider][]

/** The first example that has every required variable and sends a request. */
function exampleOf(id: ProviderId, { secrets }: Provider): ProviderExample | undefined {
  const required = Object.keys(secrets).filter((variable) => !secrets[variable]!.optional)
  return examplesOf(id).find(
    ({ sends, testMode: isTest, secrets: given }) =>
      !('skipped' in sends) && !isTest && required.every((variable) => given?.[variable]),
  )
}

/** Providers that send requests. Code providers are tested in code.test.ts. */
const called = catalogue.filter(([id, provider]) => !provider.code && exampleOf(id, provider))

/** The secrets of the example. The URL of the customer's server is replaced by the fake vendor's. */
function secretsOf(id: ProviderId, provider: Provider): Plain[] {
  const { secrets, host } = provider
  return Object.entries(exampleOf(id, provider)!.secrets).flatMap(([variable, value]) => {
    const address = host === 'customer' && URL.canParse(value ?? '') ? `${vendor.url}/in` : value
    return value ? [{ variable, type: secrets[variable]!.type, value: address! }] : []
  })
}

async function openCustomer(name: string, made: readonly [ProviderId, Provider][]): Promise<Customer> {
  const customer = await makeCustomer(watched.aglet, name)
  for (const [id, provider] of made) await makeScript(customer, id, id, secretsOf(id, provider))
  return customer
}

/** The providers are divided among this many customers, because an event to all of them takes too long. */
const customerCount = 8
const customers = await Promise.all(
  Array.from({ length: customerCount }, (_, shop) =>
    openCustomer(
      `providers ${shop + 1} of ${customerCount}`,
      called.filter((_entry, at) => at % customerCount === shop),
    ),
  ),
)

/** Rotates the texts among the customers, so that another part sends other texts to each provider. */
const turn = Number((process.env.HOSTILE_PART ?? '1').split('/')[0])

/** One event makes about ten deliveries here, so growth is only measured above a few milliseconds per delivery. */
const growthFromMs = 60

/** Sends each text of an entry point to one of the customers. */
const spread = (entryPointsOf: (customer: Customer) => readonly EntryPoint[]) => () =>
  customers.flatMap((customer, shop) =>
    entryPointsOf(customer).map((entryPoint) => ({
      ...entryPoint,
      growthFromMs,
      warmUpGroup: customer.tagId,
      name: `${entryPoint.name}, providers ${shop + 1} of ${customerCount}`,
      texts: entryPoint.texts.filter((_, at) => (at + turn) % customerCount === shop),
    })),
  )

const known: Record<StandardKey, string> = {
  email: 'ada@example.com',
  customerId: 'customer-4711',
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
/** Click ids and cookies of every provider, in the form of an event. */
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

/** Sends an event to every channel and waits for its deliveries. */
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
/** Members without which no delivery is planned. */
const isOfPlan = (path: string) => /^\.(eventId|\{|storage\.(\{|service|data\.\{))/.test(path)

function eventEntryPoints(customer: Customer, share: boolean): EntryPoint[] {
  const places = positionsInValue(anEvent(share)).filter(({ path }) => !isOfPlan(path))
  return places.map(({ path, put }) => ({
    name: `event${path}${share ? '' : ' of a person who shares nothing'}`,
    texts: share && !path.endsWith('}') ? basicTexts : minimalTexts,
    maxBytes: path === '.eventName' ? 200 : eventBytes,
    submit: (text) => deliver(customer, { ...(put(text) as object), eventId: `hostile-${++count}` }),
  }))
}

/** A body with the maximum number of events, which the worker leases together. */
function bodyEntryPoint(customer: Customer): EntryPoint {
  const events = (text: string) =>
    Array.from({ length: 15 }, () => ({
      ...anEvent(false),
      eventId: `hostile-${++count}`,
      own: text,
      pageUrl: text.slice(0, 100),
    }))
  const submit = async (text: string) => {
    await send(`${customer.tagUrl}/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(events(text)),
    })
    await deliver(customer, anEvent(true))
  }
  return { name: 'fifteen events in one body', texts: basicTexts, maxBytes: eventBytes, submit }
}

/** A vendor's response in JSON with the text in every member that the response rules read. */
const inJson = (text: string) => {
  const fields = { message: text, code: text, detail: text, type: text, description: text, path: text }
  return JSON.stringify({
    ...fields,
    error: fields,
    errors: [fields, text],
    Errors: [fields],
    status: text,
    results: [fields],
    response: fields,
    FailedRecordCount: 1,
    Records: [{ ErrorCode: text, ErrorMessage: text }],
  })
}

function answerEntryPoints(customer: Customer): EntryPoint[] {
  const answered = (
    name: string,
    reply: (text: string) => Awaited<ReturnType<typeof vendor.answer>>,
    maxBytes: number,
  ): EntryPoint => ({
    name: `vendors answer ${name}`,
    texts: basicTexts,
    maxBytes,
    async submit(text) {
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

watched.testEntryPoints(
  'events',
  spread((customer) => eventEntryPoints(customer, true)),
)
watched.testEntryPoints(
  'events without personal data',
  spread((customer) => [...eventEntryPoints(customer, false), bodyEntryPoint(customer)]),
)
watched.testEntryPoints('answers of vendors', spread(answerEntryPoints))
