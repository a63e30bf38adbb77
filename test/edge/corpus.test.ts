import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Agent, request } from 'undici'
import {
  type Aglet,
  type Customer,
  call,
  freePort,
  makeCustomer,
  makeScript,
  startAglet,
  stopAglet,
  until,
} from '../fake/aglet.ts'
import { anyCodePoint } from '../fake/anyCodePoint.ts'
import { cases } from '../fake/cases.ts'

const bodies = Number(process.env.BODIES ?? cases(10_000, 500))
const atOnce = 48
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const data = mkdtempSync(join(tmpdir(), 'aglet-corpus-'))
const agent = new Agent({ connections: atOnce })
let aglet: Aglet
let customer: Customer
let stderr = ''

before(async () => {
  aglet = await startAglet({ data, port: await freePort() })
  aglet.process.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  customer = await makeCustomer(aglet, 'corpus')
  // A script that is planned for every event and never sends anything.
  const url = { variable: 'EVENT_SINK_URL', type: 'TEXT' as const, value: 'https://sink.example.com/' }
  await makeScript(customer, 'eventSink', 'far', [url], { geoRegions: 'JP' })
  const plugins = [
    { plugin: 'eventRename', settings: { names: { AddToBasket: 'AddToCart' } } },
    { plugin: 'botFilter' },
    { plugin: 'currencyConversion', settings: { currency: 'EUR', rates: { USD: 1.08 } } },
    { plugin: 'newReturningCustomer' },
  ]
  assert.equal((await call(customer, 'PUT', `/tag/${customer.tagId}`, { plugins, hold: 1 })).status, 200)
})
after(async () => {
  await agent.destroy()
  await stopAglet(aglet)
  rmSync(data, { recursive: true, force: true })
})

const word = fc.string({ unit: anyCodePoint, maxLength: 30 })
const key = fc.oneof(
  word,
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'all', 'length', 'kv', 'service'),
)
const scalar = fc.oneof(
  word,
  fc.double(),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(1e308, -0, 2 ** 53, '\ud800', '\u0000', 'a'.repeat(3_000)),
)
const nested = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(key, tie('any'), { maxKeys: 4 }),
  ),
})).any
const or = <Value>(good: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 6, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: nested })
const map = (value: fc.Arbitrary<unknown>) => fc.dictionary(key, value, { maxKeys: 5 })

const item = fc.record({ id: or(word), quantity: or(fc.nat()), item_price: or(fc.double()) }, { requiredKeys: [] })
const eventData = fc.record(
  {
    value: or(fc.double()),
    currency: or(fc.constantFrom('USD', 'EUR', 'JPY')),
    contents: or(fc.array(or(item), { maxLength: 4 })),
    orderId: or(word),
    discounts: or(fc.array(nested, { maxLength: 3 })),
    userEmail: or(fc.emailAddress()),
    isNewCustomer: or(fc.boolean()),
  },
  { requiredKeys: [] },
)
const storage = fc.record(
  {
    kv: or(map(nested)),
    data: or(map(map(nested))),
    service: or(fc.record({ consent: or(map(nested)), consentCategories: or(map(nested)) }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
)
const event = fc.record(
  {
    eventName: or(
      fc.oneof(fc.constantFrom('Purchase', 'PageView', 'AddToBasket'), fc.string({ minLength: 1, maxLength: 20 })),
    ),
    eventId: or(fc.uuid()),
    timestamp: or(fc.integer({ min: -60_000, max: 0 }).map((ms) => Date.now() + ms)),
    data: or(eventData),
    providers: or(fc.oneof(map(nested), fc.array(word, { maxLength: 3 }))),
    storage: or(storage),
    userEmail: or(fc.emailAddress()),
    pageUrl: or(fc.webUrl({ withQueryParameters: true })),
    userAgent: or(word),
    ip: or(fc.ipV4()),
  },
  { requiredKeys: ['eventName', 'eventId', 'timestamp'] },
)
const deep = fc
  .integer({ min: 20, max: 20_000 })
  .map((depth) => `{"eventName":"a","eventId":"b","timestamp":1,"data":${'['.repeat(depth)}${']'.repeat(depth)}}`)
const text = fc.oneof(
  { weight: 8, arbitrary: event.map((each) => JSON.stringify(each)) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof({ weight: 4, arbitrary: event as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: nested }), {
        maxLength: 6,
      })
      .map((each) => JSON.stringify(each)),
  },
  { weight: 1, arbitrary: nested.map((each) => JSON.stringify(each) ?? '') },
  { weight: 1, arbitrary: fc.tuple(event, fc.nat(300)).map(([each, at]) => JSON.stringify(each).slice(0, at)) },
  {
    weight: 1,
    arbitrary: event.map((each) =>
      JSON.stringify(each).replace('{', '{"eventId":"twice","__proto__":{"trusted":true},'),
    ),
  },
  { weight: 1, arbitrary: deep },
)
const body = fc.oneof(
  { weight: 12, arbitrary: text.map((each) => Buffer.from(each)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
)
const visible = fc.string({ unit: fc.constantFrom(...'abcXYZ019 ;=,"%{}[]()<>@\\/._-'), maxLength: 60 })
const maybe = (names: readonly string[], value: fc.Arbitrary<string>) =>
  fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }) as fc.Arbitrary<
    Record<string, string>
  >
const sent = fc.record({
  body,
  isPacked: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  type: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('application/json', 'text/plain;charset=UTF-8') },
    { weight: 1, arbitrary: visible },
  ),
  headers: fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: maybe(
        ['cookie', 'serviceuserid', 'x-forwarded-for', 'user-agent', 'sec-gpc', 'content-encoding', 'origin'],
        visible,
      ),
    },
  ),
  query: fc.oneof(
    { weight: 6, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: visible.map((each) => `?userId=${encodeURIComponent(each)}`) },
    { weight: 1, arbitrary: visible.map((each) => `?${each.replaceAll(/[^\w%=]/g, '')}`) },
  ),
})
type Sent = ReturnType<(typeof sent)['generate']>['value']

async function send({ body, isPacked, type, headers, query }: Sent) {
  const answer = await request(`${customer.tagUrl}/tag${query}`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': type, ...headers, ...(isPacked && { 'content-encoding': 'gzip' }) },
    body: isPacked ? gzipSync(body) : body,
  })
  return { status: answer.statusCode, said: JSON.parse(await answer.body.text()) as Record<string, unknown> }
}

const statuses = new Set(['accepted', 'duplicate', 'rejected'])

/** What is wrong with an answer; undefined for a result or an Error object about the sender's mistake. */
function wrongIn({ status, said }: Awaited<ReturnType<typeof send>>): string | undefined {
  if (status === 200) {
    const results = [said.result].flat() as { status?: string; message?: string }[]
    const isResult = results.every(
      (each) => statuses.has(each?.status ?? '') && (each.status !== 'rejected' || each.message),
    )
    return 'result' in said && isResult ? undefined : 'a 200 without a result'
  }
  const isError = typeof said.message === 'string' && said.statusCode === status && /^[A-Z_]+$/.test(String(said.error))
  if (!isError) return 'not the Error object'
  return status >= 400 && status < 500 ? undefined : `a ${status}`
}

test(`of ${bodies} bodies of any kind none is answered by a 5xx, each by a result or the Error object`, async (t) => {
  t.diagnostic(`seed ${seed}`)
  const corpus = fc.sample(sent, { numRuns: bodies, seed })
  const counts = new Map<number, number>()
  let next = 0
  const sender = async () => {
    for (let each = corpus[next++]; each; each = corpus[next++]) {
      const answer = await send(each)
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
      const wrong = wrongIn(answer)
      assert.equal(
        wrong,
        undefined,
        `seed ${seed}: ${wrong} ${JSON.stringify(answer.said)} for ${each.body.toString().slice(0, 2_000)}`,
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  t.diagnostic(JSON.stringify(Object.fromEntries(counts)))
  for (const status of [200, 400])
    assert.ok((counts.get(status) ?? 0) > bodies / 20, `too few of ${status} to say anything`)
})

test('all that was taken of them is planned, and none of it was a surprise to the server', async () => {
  const last = {
    eventName: 'PageView',
    eventId: 'the-last',
    timestamp: Date.now(),
    storage: { service: { consent: { all: true } } },
  }
  const answer = await send({
    body: Buffer.from(JSON.stringify(last)),
    isPacked: false,
    type: 'application/json',
    headers: {},
    query: '',
  })
  assert.equal(answer.status, 200)
  await until(async () => {
    const { body } = await call<{ deliveries: { reason?: string }[] }>(
      customer,
      'GET',
      `/tag/${customer.tagId}/event/the-last`,
    )
    return body.deliveries.some(({ reason }) => reason === 'region')
  }, 60_000)
  const errors = stderr.split('\n').filter((line) => /"level":"error"/.test(line))
  assert.deepEqual(errors, [])
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: { status: number; body: { next?: string } } = await call(
      customer,
      'GET',
      `/tag/${customer.tagId}/event?limit=100${cursor && `&cursor=${cursor}`}`,
    )
    assert.equal(page.status, 200)
    cursor = page.body.next
  }
})
