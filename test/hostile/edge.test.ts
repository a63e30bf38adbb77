import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sourceNames } from '#contract/sourceNames.ts'
import { call, makeCustomer, makeScript, sinkAt } from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'
import { allTexts, basicTexts, mainTexts, minimalTexts } from './corpus.ts'
import { manyHits, manyMessages } from './manyMessages.ts'
import type { EntryPoint } from './measure.ts'
import { positionsInValue } from './textPositions.ts'
import { encodedEntryPoint, headerEntryPoint, openWatchedServer, rawEntryPoint, send } from './watchedServer.ts'

const sink = await openVendor(undefined, { remember: false })
after(sink.close)
const watched = await openWatchedServer('hostile-edge', {
  AGLET_TRUST_PROXY: '127.0.0.1/32,cloudflare',
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
})
const { aglet } = watched
const customer = await makeCustomer(aglet, 'hostile')
const { tagUrl, tagId, token, teamId } = customer
await makeScript(customer, 'eventSink', 'sink', sinkAt(sink.url))
await makeScript(customer, 'validation', 'validation', [])
await makeScript(customer, 'autoFormFill', 'forms', [])
const code = 'async process({ request }) { return new Response(await request.text(), { headers: { "x-a": "b" } }) }'
const hook = await makeScript(customer, 'webhook', 'hook', [{ variable: 'WEBHOOK_CODE', type: 'TEXT', value: code }])
const allowed = { domain: 'localhost', gpc: true, allowedOrigins: ['https://shop.example'], sources: sourceNames }
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

/** Resolves when all earlier events are planned, because the stream is read in order. */
const settled = () =>
  send(`${tagUrl}/tag?sync=true`, {
    method: 'POST',
    headers: { ...trusted, ...json },
    body: JSON.stringify(anEvent({ providers: ['validation'] })),
  })

type Put = { query?: string; headers?: Record<string, string>; body?: unknown }

/** A call of the edge with one part replaced. */
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

/** A banner's strings and the names of its proof, as an event and `/consent` carry them. */
const consentTexts = {
  tcf: 'CQSbk4AQSbk4ANwAAAENAwCgAAAAAAAAAAYgACPAAAAA.IDKQA4AAgAKAGQAygAAA.YAAAAAAAAAAA',
  addtlConsent: '2~89~dv.9',
  gpp: 'DBABLA~BVQqAAAAAgA.QA',
  gppSections: ['7'],
  ...{ banner: 'own', version: '3', textVersion: '2026-04' },
}

const calls = [
  edgeCall('POST', '/tag', () => anEvent({ storage: { service: { consent: { all: true }, consentTexts } } })),
  edgeCall('GET', '/init'),
  edgeCall('POST', '/user', () => ({ key: 'email', value: 'ada@example.com', userEmail: 'ada@example.com' })),
  edgeCall('POST', '/data', () => ({ data: { own: 'value', phone: '+4915112345678' } })),
  edgeCall('GET', '/data'),
  edgeCall('GET', '/keys'),
  edgeCall('POST', '/consent', () => ({
    consentString: { all: true },
    consentCategories: { own: true },
    consentTexts,
  })),
  edgeCall('GET', '/load'),
  edgeCall('POST', `/webhook/${hook}`, () => ({ a: 'b' })),
  edgeCall('OPTIONS', '/tag'),
]

/** A message of each source, with the positions that it reads. Its headers and queries are few. */
const item = { product_id: 'p', name: 'Runner', price: '1.5', quantity: 1 }
const iglu = (name: string) => `iglu:com.snowplowanalytics.snowplow/${name}/jsonschema/1-0-0`
const sourceCalls = [
  edgeCall('POST', '/v1/batch', () => ({
    sentAt: '2026-11-20T12:00:00.000Z',
    batch: [
      {
        type: 'track',
        event: 'Order Completed',
        messageId: `hostile-${++count}`,
        anonymousId: 'a',
        properties: { order_id: 'o', total: '1.5', coupon: 'c', own: 'x', products: [item] },
        context: { page: { url: 'https://shop.example/' }, traits: { email: 'ada@example.com', own: 'x' } },
        integrations: { Facebook: true },
      },
    ],
  })),
  edgeCall('POST', '/v1/identify', () => ({ anonymousId: 'a', userId: 'u', traits: { email: 'a@b.co', own: 'x' } })),
  edgeCall('POST', '/mp/collect', () => ({
    client_id: '1.2',
    timestamp_micros: '1763640000000000',
    user_properties: { plan: { value: 'x' } },
    events: [{ name: 'purchase', params: { transaction_id: 't', own: 'x', items: [{ item_id: 'i' }] } }],
  })),
  edgeCall('POST', '/com.snowplowanalytics.snowplow/tp2', () => ({
    data: [
      {
        e: 'ue',
        eid: `hostile-${++count}`,
        ue_pr: `{"data":{"schema":"${iglu('own')}","data":{}}}`,
        cx: 'e30',
        dtm: '1',
      },
    ],
  })),
  edgeCall('POST', '/cloudevents', () => ({ a: 'b' })),
  edgeCall('OPTIONS', '/cloudevents'),
  edgeCall('GET', '/g/collect'),
  edgeCall('GET', '/i'),
]
const ceNames = ['id', 'source', 'specversion', 'subject', 'time', 'type', 'userid', 'deviceid', 'useremail']
const sourceHeaders = [
  ...['authorization', 'content-type', 'x-write-key', 'webhook-request-origin', 'webhook-request-rate'],
  ...ceNames.map((name) => `ce-${name}`),
]
const sourceQueries = [
  'writeKey',
  'api_secret',
  'access_token',
  'cid',
  'en',
  'ep.own',
  'pr1',
  'gcs',
  'gcd',
  'sid',
  'ue_px',
  'dtm',
]

/** Every header that the server reads, and some that proxies and browsers add. */
const headers = [
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'accept-version',
    'authorization',
    'cf-ipcountry',
    'cf-region-code',
    'cookie',
  ],
  ...[
    'content-encoding',
    'content-type',
    'host',
    'if-match',
    'if-none-match',
    'last-event-id',
    'origin',
    'referer',
    'sec-gpc',
  ],
  ...[
    'sec-fetch-dest',
    'sec-fetch-mode',
    'sec-fetch-site',
    'servicegppsections',
    'servicegppstring',
    'servicetcstring',
    'serviceuserid',
    'team-id',
    'user-agent',
    'x-aglet-hop',
    'aglet-session',
    'aglet-preview',
  ],
  ...[
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-prefix',
    'x-forwarded-proto',
    'x-request-id',
    'traceparent',
    'tracestate',
    'range',
  ],
]
/** Headers that the OAuth library reads at the token endpoint. */
const tokenHeaders = ['authorization', 'dpop', 'oauth-client-attestation', 'oauth-client-attestation-pop']
/** Headers that frame the message. node:http sets them itself. */
const framing = ['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade']
/** Headers that are stored with an event and read by the worker. */
const stored = ['user-agent', 'origin', 'x-forwarded-for', 'cf-ipcountry', 'cf-region-code', 'cookie']

const headerEntryPoints = (): EntryPoint[] => [
  ...calls.flatMap(({ name, ask }) =>
    headers.map((header) => {
      const texts = name === 'POST /tag' || name === 'GET /load' ? mainTexts : basicTexts
      return headerEntryPoint(`${name} header ${header}`, texts, (text) => ask({ headers: { [header]: text } }))
    }),
  ),
  ...sourceCalls.flatMap(({ name, ask }) =>
    sourceHeaders.map((header) =>
      headerEntryPoint(`${name} header ${header}`, minimalTexts, (text) =>
        ask({ headers: { 'ce-specversion': '1.0', [header]: text } }),
      ),
    ),
  ),
  ...stored.map((header) =>
    headerEntryPoint(`event with header ${header}`, mainTexts, async (text) => {
      await calls[0]!.ask({ headers: { [header]: text } })
      await settled()
    }),
  ),
]

const queries = ['userId', 'consentDisabled', 'keys', 'userEmail', 'version', 'module', 'sync']
const queryEntryPoints = (): EntryPoint[] => [
  ...calls.flatMap(({ name, ask }) => [
    ...queries.map((query) =>
      encodedEntryPoint(`${name} query.${query}`, basicTexts, (text) => ask({ query: `${query}=${text}` })),
    ),
    rawEntryPoint(`${name} query`, mainTexts, (text) => ask({ query: text })),
  ]),
  ...sourceCalls.flatMap(({ name, ask }) => [
    ...sourceQueries.map((query) =>
      encodedEntryPoint(`${name} query.${query}`, minimalTexts, (text) => ask({ query: `e=ue&en=x&${query}=${text}` })),
    ),
    rawEntryPoint(`${name} query`, basicTexts, (text) => ask({ query: text })),
  ]),
]

/** The maximum size of one event. */
const eventBytes = 60 * 1024
const bodyEntryPoints = (): EntryPoint[] =>
  [...calls, ...sourceCalls].flatMap(({ name, ask, body }) => {
    if (!body) return []
    const whole: EntryPoint[] = [
      { name: `${name} body as it is`, texts: allTexts, submit: (text) => ask({ body: text }) },
      { name: `${name} body in a list`, texts: basicTexts, submit: (text) => ask({ body: [text] }) },
    ]
    const places = positionsInValue(body()).map(
      ({ path, put }): EntryPoint => ({
        name: `${name} body${path}`,
        texts: basicTexts,
        maxBytes: eventBytes,
        submit: async (text) => {
          await ask({ body: put(text) })
          await settled()
        },
      }),
    )
    return [...whole, ...places]
  })

/** Only the length of this text is used. */
const oneText = minimalTexts.slice(0, 1)
const manyEntryPoints = (): EntryPoint[] => [
  ...manyMessages.map(([path, bodyOf], n): EntryPoint => {
    const { name, ask } = edgeCall('POST', path)
    const submit = (text: string) => ask({ body: bodyOf(text) })
    return { name: `${name} many messages ${n}`, texts: oneText, maxBytes: 512 * 1024, submit }
  }),
  {
    name: 'POST /g/collect many hits',
    texts: oneText,
    submit: (text) => edgeCall('POST', '/g/collect').ask(manyHits(text)),
  },
]

const pageEntryPoints = (): EntryPoint[] => {
  const page = (path: string) => (text: string) => send(`${aglet.origin}${path}${text}`)
  const post = (path: string, body: string, more: Record<string, string> = {}) =>
    send(`${aglet.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: aglet.origin, ...more },
      body,
    })
  const form = (path: string, name: string) => (text: string) =>
    post(path, `${name}=${encodeURIComponent(text.toWellFormed())}`)
  return [
    ...[
      '/ask?domain=',
      '/t/',
      '/v1/account/link/',
      '/v1/account/sign-in?next=',
      '/nothing/',
      '/v1/oauth/authorize?client_id=',
    ].map((path) => encodedEntryPoint(`page ${path}`, basicTexts, page(path))),
    rawEntryPoint('page /', basicTexts, page('/')),
    ...['email', 'password', 'next', 'csrf'].map(
      (name): EntryPoint => ({
        name: `form sign-in ${name}`,
        texts: basicTexts,
        maxBytes: eventBytes,
        submit: form('/v1/account/sign-in', name),
      }),
    ),
    ...['grant_type', 'client_id', 'client_secret', 'code', 'refresh_token', 'scope'].map(
      (name): EntryPoint => ({
        name: `form token ${name}`,
        texts: basicTexts,
        maxBytes: eventBytes,
        submit: form('/v1/oauth/token', name),
      }),
    ),
    ...tokenHeaders.map((header) =>
      headerEntryPoint(`token header ${header}`, basicTexts, (text) =>
        post('/v1/oauth/token', 'grant_type=client_credentials&client_id=c', { [header]: text }),
      ),
    ),
  ]
}

watched.testEntryPoints('headers of the edge', headerEntryPoints)
watched.testEntryPoints('addresses of the edge', queryEntryPoints)
watched.testEntryPoints('bodies of the edge', bodyEntryPoints)
watched.testEntryPoints('many messages in one body', manyEntryPoints)
watched.testEntryPoints('pages', pageEntryPoints)

test('a hostile text was sent in every header that the server reads', async () => {
  const { headers: read } = await watched.probe.take()
  const known = new Set([...headers, ...sourceHeaders, ...tokenHeaders, ...framing])
  assert.deepEqual(
    read.filter((name) => !known.has(name)),
    [],
  )
})
