import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, makeCustomer, makeScript, sinkAt } from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'
import { chosen, corpus, few } from './corpus.ts'
import { encodedDoor, headerDoor, openWatched, rawDoor, send } from './house.ts'
import type { Door } from './measure.ts'
import { leavesOf } from './places.ts'

const sink = await openVendor(undefined, { remember: false })
const house = await openWatched('hostile-edge', {
  AGLET_TRUST_PROXY: '127.0.0.1/32,cloudflare',
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
})
const { aglet } = house
const customer = await makeCustomer(aglet, 'hostile')
const { tagUrl, tagId, token, teamId } = customer
await makeScript(customer, 'eventSink', 'sink', sinkAt(sink.url))
await makeScript(customer, 'validation', 'validation', [])
await makeScript(customer, 'autoFormFill', 'forms', [])
const code = 'async process({ request }) { return new Response(await request.text(), { headers: { "x-a": "b" } }) }'
const hook = await makeScript(customer, 'webhook', 'hook', [{ variable: 'WEBHOOK_CODE', type: 'TEXT', value: code }])
const allowed = { domain: 'localhost', gpc: true, allowedOrigins: ['https://shop.example'] }
assert.equal((await call(customer, 'PUT', `/tag/${tagId}`, allowed)).status, 200)

const trusted = { authorization: `Bearer ${token}`, 'team-id': teamId }
const json = { 'content-type': 'application/json' }
let count = 0
const anEvent = (more: object = {}) => ({
  eventName: 'Purchase',
  eventId: `hostile-${++count}`,
  timestamp: Date.now(),
  storage: { service: { consent: { all: true } } },
  ...more,
})

/** Resolves when what came before is planned: the stream is read in order. */
const settled = () =>
  send(`${tagUrl}/tag?sync=true`, {
    method: 'POST',
    headers: { ...trusted, ...json },
    body: JSON.stringify(anEvent({ providers: ['validation'] })),
  })

type Put = { query?: string; headers?: Record<string, string>; body?: unknown }

/** A call of the edge, with one thing put in another's place. */
function edgeCall(method: string, path: string, body?: () => object) {
  const name = `${method} ${path.replace(hook, '{scriptId}')}`
  const ask = async ({ query = '', headers = {}, body: sent = body?.() }: Put) => {
    const serviceuserid = `usr_hostile${++count}`
    await send(`${tagUrl}${path}${query && `?${query}`}`, {
      method,
      headers: { serviceuserid, ...(sent !== undefined && json), ...headers },
      ...(sent !== undefined && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
    })
  }
  return { name, ask, body }
}

const calls = [
  edgeCall('POST', '/tag', () => anEvent()),
  edgeCall('GET', '/init'),
  edgeCall('POST', '/user', () => ({ key: 'email', value: 'ada@example.com', userEmail: 'ada@example.com' })),
  edgeCall('POST', '/data', () => ({ data: { own: 'value', phone: '+4915112345678' } })),
  edgeCall('GET', '/data'),
  edgeCall('GET', '/keys'),
  edgeCall('POST', '/consent', () => ({ consentString: { all: true }, consentCategories: { own: true } })),
  edgeCall('GET', '/load'),
  edgeCall('POST', `/webhook/${hook}`, () => ({ a: 'b' })),
  edgeCall('OPTIONS', '/tag'),
]

/** Every header that the server reads, and some that proxies and browsers add. */
const headers = [
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cf-ipcountry', 'cf-region-code', 'cookie'],
  ...['content-encoding', 'content-type', 'host', 'if-none-match', 'last-event-id', 'origin', 'referer', 'sec-gpc'],
  ...['sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'serviceuserid', 'team-id', 'user-agent', 'x-aglet-hop'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-request-id', 'traceparent', 'tracestate', 'range'],
]
/** Of these node:http makes what it is given: they say how long a message is, and when it ends. */
const framing = ['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade']
/** What is kept with an event, and read again by the worker. */
const kept = ['user-agent', 'origin', 'x-forwarded-for', 'cf-ipcountry', 'cf-region-code', 'cookie']

const headerDoors = (): Door[] => [
  ...calls.flatMap(({ name, ask }) =>
    headers.map((header) => {
      const texts = name === 'POST /tag' || name === 'GET /load' ? chosen : few
      return headerDoor(`${name} header ${header}`, texts, (text) => ask({ headers: { [header]: text } }))
    }),
  ),
  ...kept.map((header) =>
    headerDoor(`event with header ${header}`, chosen, async (text) => {
      await calls[0]!.ask({ headers: { [header]: text } })
      await settled()
    }),
  ),
]

const queries = ['userId', 'consentDisabled', 'keys', 'userEmail', 'version', 'module', 'sync']
const queryDoors = (): Door[] =>
  calls.flatMap(({ name, ask }) => [
    ...queries.map((query) => encodedDoor(`${name} query.${query}`, few, (text) => ask({ query: `${query}=${text}` }))),
    rawDoor(`${name} query`, chosen, (text) => ask({ query: text })),
  ])

/** Of one event, or one call, as much as it may hold. */
const eventBytes = 60 * 1024
const bodyDoors = (): Door[] =>
  calls.flatMap(({ name, ask, body }) => {
    if (!body) return []
    const whole: Door[] = [
      { name: `${name} body as it is`, texts: corpus, knock: (text) => ask({ body: text }) },
      { name: `${name} body in a list`, texts: few, knock: (text) => ask({ body: [text] }) },
    ]
    const places = leavesOf(body()).map(
      ({ path, put }): Door => ({
        name: `${name} body${path}`,
        texts: few,
        most: eventBytes,
        knock: async (text) => {
          await ask({ body: put(text) })
          await settled()
        },
      }),
    )
    return [...whole, ...places]
  })

const pageDoors = (): Door[] => {
  const page = (path: string) => (text: string) => send(`${aglet.origin}${path}${text}`)
  const form = (path: string, name: string) => (text: string) =>
    send(`${aglet.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: aglet.origin },
      body: `${name}=${encodeURIComponent(text.toWellFormed())}`,
    })
  return [
    ...[
      '/ask?domain=',
      '/t/',
      '/v1/account/link/',
      '/v1/account/sign-in?next=',
      '/nothing/',
      '/v1/oauth/authorize?client_id=',
    ].map((path) => encodedDoor(`page ${path}`, few, page(path))),
    rawDoor('page /', few, page('/')),
    ...['email', 'password', 'next', 'csrf'].map(
      (name): Door => ({
        name: `form sign-in ${name}`,
        texts: few,
        most: eventBytes,
        knock: form('/v1/account/sign-in', name),
      }),
    ),
    ...['grant_type', 'client_id', 'client_secret', 'code', 'refresh_token', 'scope'].map(
      (name): Door => ({
        name: `form token ${name}`,
        texts: few,
        most: eventBytes,
        knock: form('/v1/oauth/token', name),
      }),
    ),
  ]
}

house.holds('headers of the edge', headerDoors)
house.holds('addresses of the edge', queryDoors)
house.holds('bodies of the edge', bodyDoors)
house.holds('pages', pageDoors)

test('every header that the server reads was sent as well', async () => {
  const { headers: read } = await house.probe.take()
  const known = new Set([...headers, ...framing])
  assert.deepEqual(
    read.filter((name) => !known.has(name)),
    [],
  )
  await sink.close()
})
