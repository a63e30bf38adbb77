import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  type Customer,
  call,
  settledJourney as journeyOf,
  makeCustomer,
  makeScript,
  openAglet,
  sinkAt,
  startAglet,
  stopAglet,
  until,
} from '../fake/aglet.ts'
import { cases } from '../fake/cases.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor()
after(vendor.close)
const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url }
const aglet = await openAglet('event', environment)

let sent = 0
const anEvent = (more: Record<string, unknown> = {}) => ({
  eventName: 'AddToCart',
  eventId: `journey-${process.pid}-${++sent}`,
  timestamp: Date.now(),
  data: { value: 30, currency: 'EUR', contents: [{ id: 'sku-1', quantity: 2, item_price: 15 }] },
  storage: { service: { consent: { all: true } } },
  ...more,
})
const sinkTo = (path: string) => sinkAt(vendor.url + path)
const gotAt = (path: string) => vendor.got.filter((each) => each.path.startsWith(path))

type Answer = { result?: unknown; message?: string; error?: string; attributes?: { issues: { path: string }[] } }
async function send(customer: Customer, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${customer.tagUrl}/tag`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  })
  return { status: answer.status, body: (await answer.json()) as Answer }
}

test('an event reaches its destination and its journey says delivered', async () => {
  const customer = await makeCustomer(aglet, 'whole way')
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkTo('/whole'))
  const event = anEvent()
  const answer = await send(customer, event, { ServiceUserId: 'shopper-1' })
  assert.deepEqual(answer, {
    status: 200,
    body: { result: { eventId: event.eventId, userId: 'shopper-1', status: 'accepted' } },
  })

  const journey = await journeyOf(customer, event.eventId)
  assert.equal(journey.eventName, 'AddToCart')
  assert.equal(journey.userId, 'shopper-1')
  assert.equal(journey.consent?.source, 'event')
  const [delivery] = journey.deliveries
  assert.equal(delivery?.scriptId, scriptId)
  assert.equal(delivery?.status, 'delivered')
  assert.equal(delivery?.attempts[0]?.status, 200)
  const [received] = gotAt('/whole')
  assert.deepEqual((received!.json as { payload: { data: unknown } }).payload.data, event.data)

  const list = await call<{ events: { eventId: string }[] }>(customer, 'GET', `/tag/${customer.tagId}/event`)
  assert.deepEqual(
    list.body.events.map(({ eventId }) => eventId),
    [event.eventId],
  )
})

test('every script of the tag stands in the journey, with the reason where it got nothing', async () => {
  const customer = await makeCustomer(aglet, 'reasons')
  await makeScript(customer, 'eventSink', 'open', sinkTo('/reasons/open'))
  await makeScript(customer, 'eventSink', 'far away', sinkTo('/reasons/far'), { geoRegions: 'JP' })
  await makeScript(customer, 'eventSink', 'no consent', sinkTo('/reasons/refused'))
  await makeScript(customer, 'facebook', 'meta', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '42' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'token' },
  ])
  const consent = { all: true, eventSink: { 'no consent': false, open: true, 'far away': true } }
  const event = anEvent({ providers: { all: true, facebook: false }, storage: { service: { consent } } })
  await send(customer, event)
  const { deliveries } = await journeyOf(customer, event.eventId)
  assert.deepEqual(deliveries.map(({ status, reason }) => [status, reason]).sort(), [
    ['delivered', undefined],
    ['skipped', 'consent'],
    ['skipped', 'notSelected'],
    ['skipped', 'region'],
  ])
  assert.equal(gotAt('/reasons/').length, 1)
})

test('a repeat of an eventId is a duplicate and is not delivered', async () => {
  const customer = await makeCustomer(aglet, 'repeat')
  await makeScript(customer, 'eventSink', 'sink', sinkTo('/repeat'))
  const event = anEvent()
  const answers = await Promise.all([send(customer, event), send(customer, event), send(customer, event)])
  const statuses = answers.map(({ body }) => (body.result as { status: string }).status)
  assert.deepEqual(statuses.sort(), ['accepted', 'duplicate', 'duplicate'])
  await journeyOf(customer, event.eventId)
  assert.equal(gotAt('/repeat').length, 1)
})

test('an array is answered entry by entry, and the good ones are taken', async () => {
  const customer = await makeCustomer(aglet, 'array')
  await makeScript(customer, 'eventSink', 'sink', sinkTo('/array'))
  const [good, old, last] = [anEvent(), anEvent({ timestamp: Date.now() - 8 * 86_400_000 }), anEvent()]
  const answer = await send(customer, [good, old, last])
  assert.equal(answer.status, 200)
  const result = answer.body.result as { eventId: string; status: string; message?: string }[]
  assert.deepEqual(
    result.map(({ status }) => status),
    ['accepted', 'rejected', 'accepted'],
  )
  assert.match(result[1]?.message ?? '', /timestamp/)
  await journeyOf(customer, last.eventId)
  await until(() => gotAt('/array').length === 2)
})

test('facebook gets the event in its own words, the person hashed', async () => {
  const customer = await makeCustomer(aglet, 'facebook')
  await makeScript(customer, 'facebook', 'meta', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '4242' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'very-secret-token' },
  ])
  const event = anEvent({ userEmail: ' Jane.Doe@Example.com' })
  await send(customer, event)
  const { deliveries } = await journeyOf(customer, event.eventId)
  assert.equal(deliveries[0]?.status, 'delivered')
  const [received] = gotAt('/v25.0/4242/events')
  assert.equal(received?.headers['x-aglet-host'], 'graph.facebook.com')
  const [row] = (received!.json as { data: { event_id: string; user_data: { em: string[] } }[] }).data
  assert.equal(row?.event_id, event.eventId)
  assert.deepEqual(row?.user_data.em, ['86e0b9e56c17cc4d12387e1949b85053fbe73bc3ce5a1188713a9d300cc6133d'])
})

test('in the sandbox a third party is simulated and a customer’s own address is really called', async () => {
  const customer = await makeCustomer(aglet, 'sandbox', 'sandbox')
  await makeScript(customer, 'eventSink', 'sink', sinkTo('/sandbox-sink'))
  await makeScript(customer, 'facebook', 'meta', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '777' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'token' },
  ])
  const event = anEvent({ userEmail: 'jane@example.com' })
  await send(customer, event)
  const { deliveries } = await journeyOf(customer, event.eventId)
  const statusOf = (providerId: string) => deliveries.find((each) => each.providerId === providerId)?.status
  assert.equal(statusOf('facebook'), 'simulated')
  assert.equal(statusOf('eventSink'), 'delivered')
  assert.equal(gotAt('/sandbox-sink').length, 1)
  assert.equal(gotAt('/v25.0/777').length, 0)
})

test('a PUT of a script changes what the next event does, without a restart', async () => {
  const customer = await makeCustomer(aglet, 'change')
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkTo('/before'))
  const first = anEvent()
  await send(customer, first)
  await journeyOf(customer, first.eventId)

  const put = await call(customer, 'PUT', `/script/${scriptId}`, {
    name: 'sink',
    providerId: 'eventSink',
    tagId: customer.tagId,
    geoRegions: 'JP',
  })
  assert.deepEqual(put, { status: 200, body: { scriptId } })
  const second = anEvent()
  await send(customer, second)
  const { deliveries } = await journeyOf(customer, second.eventId)
  assert.equal(deliveries[0]?.reason, 'region')
  assert.equal(gotAt('/before').length, 1)
})

test('a restart with a full backlog delivers it', async () => {
  const customer = await makeCustomer(aglet, 'backlog')
  await makeScript(customer, 'eventSink', 'sink', sinkTo('/backlog'))
  const answer = vendor.answer
  // Without an answer: waiting and in-flight deliveries survive the restart, and nothing waits for a vendor that is down.
  vendor.answer = ({ path }) => (path === '/backlog' ? Promise.withResolvers<object>().promise : {})
  const events = Array.from({ length: cases(300) }, () => anEvent())
  for (const event of events) await send(customer, event)
  await until(() => gotAt('/backlog').length > 0)
  await stopAglet(aglet, 'SIGKILL')
  vendor.got.length = 0
  vendor.answer = answer
  Object.assign(aglet, await startAglet({ ...aglet, environment }))
  const idOf = ({ json }: { json: unknown }) => (json as { payload: { eventId: string } }).payload.eventId
  await until(() => new Set(gotAt('/backlog').map(idOf)).size === events.length, 120_000)
})

test('what is wrong with a call is said, and nothing of it is written', async () => {
  const customer = await makeCustomer(aglet, 'wrong')
  const depth = `{"eventName":"a","eventId":"b","timestamp":1,"data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
  const cases: [
    what: string,
    body: unknown,
    status: number,
    path?: string | undefined,
    headers?: Record<string, string>,
  ][] = [
    ['broken JSON', '{"eventName":', 400],
    ['not an object', '3', 400],
    ['no eventId', anEvent({ eventId: undefined }), 400, 'eventId'],
    ['a wrong type', anEvent({ data: 'x' }), 400, 'data'],
    ['the future', anEvent({ timestamp: Date.now() + 11 * 60_000 }), 400, 'timestamp'],
    ['long ago', anEvent({ timestamp: Date.now() - 8 * 86_400_000 }), 400, 'timestamp'],
    ['too deep', depth, 400],
    ['too large', anEvent({ pageTitle: 'x'.repeat(1_100_000) }), 413],
    ['another content type', anEvent(), 415, undefined, { 'content-type': 'application/xml' }],
    ['a foreign origin', anEvent(), 403, undefined, { origin: 'https://evil.example' }],
  ]
  for (const [what, body, status, path, headers] of cases) {
    const answer = await send(customer, body, headers)
    assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`)
    assert.equal(typeof answer.body.message, 'string', what)
    if (path) assert.equal(answer.body.attributes?.issues[0]?.path, path, what)
  }
  const unknown = await send({ ...customer, tagUrl: `${aglet.origin}/t/tag_unknown` }, anEvent())
  assert.equal(unknown.status, 404)
  const list = await call<{ events: unknown[] }>(customer, 'GET', `/tag/${customer.tagId}/event`)
  assert.deepEqual(list.body.events, [])
})

test('secrets and e-mails stand in no database file and no log line', async () => {
  const customer = await makeCustomer(aglet, 'canary')
  await makeScript(customer, 'facebook', 'meta', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '99' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'canary-token-5d1f' },
  ])
  const event = anEvent({ userEmail: 'canary-5d1f@example.com' })
  await send(customer, event)
  await journeyOf(customer, event.eventId)
  const files = readdirSync(aglet.data, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  assert.ok(files.length > 4)
  for (const { parentPath, name } of files)
    assert.equal(readFileSync(join(parentPath, name)).includes('5d1f'), false, `${name} holds a canary`)
  assert.equal(aglet.errors().includes('5d1f'), false)
  assert.equal(aglet.errors().includes(customer.token), false)
})
