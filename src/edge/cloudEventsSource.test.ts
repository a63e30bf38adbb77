import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { now } from './edge.fixture.ts'
import { at, iso, key, openSource } from './source.fixture.ts'

const openDoor = (t: TestContext) => openSource(t, 'cloudEvents')
const bearer = { authorization: `Bearer ${key}` }
const structured = { ...bearer, 'content-type': 'application/cloudevents+json; charset=utf-8' }
const batch = { ...bearer, 'content-type': 'application/cloudevents-batch+json' }
const purchase = {
  specversion: '1.0',
  id: 'A-1001',
  source: '/shop/orders',
  type: 'com.example.shop.Purchase',
  time: iso(now - 1000),
  subject: 'order/A-1001',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  userid: '42',
  useremail: 'ada@example.com',
  datacontenttype: 'application/json',
  data: { value: 59.98, currency: 'EUR', orderId: 'A-1001' },
}
const expected = {
  eventName: 'Purchase',
  eventId: '/shop/orders#A-1001',
  timestamp: now - 1000,
  data: { value: 59.98, currency: 'EUR', orderId: 'A-1001' },
  userEmail: 'ada@example.com',
  userCustomerId: '42',
  source: {
    name: 'cloudEvents',
    type: 'com.example.shop.Purchase',
    origin: '/shop/orders',
    userId: '42',
    attributes: { subject: 'order/A-1001', traceparent: purchase.traceparent },
  },
}

test('a structured event is stored, and a repeat of source and id is a duplicate', async (t) => {
  const edge = await openDoor(t)
  const status = async (body: object) => (await edge.send('/cloudevents', body, structured)).json.result[0].status
  assert.deepEqual(
    [await status(purchase), await status(purchase), await status({ ...purchase, source: '/other' })],
    ['accepted', 'duplicate', 'accepted'],
  )
  const [stored] = edge.events()
  assert.deepEqual(stored!.event, expected)
  assert.deepEqual([stored!.context.trusted, stored!.context.hasExplicitUserId], [true, false])
})

test('a binary event has its attributes in percent-encoded headers, and its data as the body', async (t) => {
  const edge = await openDoor(t)
  const { data, datacontenttype, ...attributes } = purchase
  const given = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, encodeURIComponent(value)])
  const headers = { ...bearer, ...Object.fromEntries(given), 'content-type': datacontenttype }
  assert.equal((await edge.send('/cloudevents', data, headers)).status, 200)
  assert.deepEqual(edge.events()[0]!.event, expected)
})

test('each event of a batch is taken or rejected by itself; data of another kind is kept and told', async (t) => {
  const edge = await openDoor(t)
  const own = { eventName: 'Lead', data: { value: 1, currency: 'EUR' }, pageUrl: 'https://shop.example/' }
  const got = await edge.send(
    '/cloudevents',
    [
      { ...purchase, id: '1', type: 'order.shipped' },
      { ...purchase, id: '2', specversion: '0.3' },
      { ...purchase, id: '3', data: 'a text' },
      { ...purchase, id: '4', data: undefined, data_base64: 'AAEC' },
      { ...purchase, id: '5', data: own },
      { id: '6' },
      7,
    ],
    batch,
  )
  assert.equal(got.status, 200, got.text)
  assert.deepEqual(
    got.json.result.map(({ status }: { status: string }) => status),
    ['accepted', 'rejected', 'accepted', 'accepted', 'accepted', 'rejected', 'rejected'],
  )
  assert.equal(got.json.result[1].message, 'specversion must be 1.0')
  assert.match(got.json.result[2].warnings[0], /data.payload/)
  assert.deepEqual(
    edge.events().map(({ event }) => [event.eventName, event.data]),
    [
      ['order.shipped', purchase.data],
      ['Purchase', { payload: 'a text' }],
      ['Purchase', { payload: 'AAEC' }],
      ['Lead', own.data],
    ],
  )
})

test('the handshake of a sender is answered with its origin, and with no rate but the one that is asked for', async (t) => {
  const edge = await openDoor(t)
  const options = (headers: object) =>
    edge.ask({ method: 'OPTIONS', path: at('/cloudevents'), headers: { ...headers } })
  const asked = await options({ 'webhook-request-origin': 'eventemitter.example.com', 'webhook-request-rate': '120' })
  assert.equal(asked.headers['webhook-allowed-origin'], 'eventemitter.example.com')
  assert.equal(asked.headers['webhook-allowed-rate'], '*')
  assert.match(`${asked.headers.allow}`, /POST/)
  const other = await options({ 'webhook-request-origin': '<script>' })
  assert.equal(other.headers['webhook-allowed-origin'], undefined)
})

test('what is no CloudEvent, a wrong key and a clock that is ahead', async (t) => {
  const edge = await openDoor(t)
  const status = async (body: unknown, headers: object) =>
    (await edge.send('/cloudevents', body, { ...headers })).status
  assert.equal(await status(purchase, bearer), 400)
  assert.equal(await status('{', structured), 400)
  assert.equal(await status(purchase, batch), 400)
  assert.equal(await status([], batch), 400)
  assert.equal(await status({ ...purchase, type: '' }, structured), 400)
  assert.equal(await status(purchase, { ...structured, authorization: 'Bearer wrong' }), 401)
  assert.equal(await status('x'.repeat(1_100_000), structured), 413)
  assert.deepEqual(edge.events(), [])
  assert.equal(await status({ ...purchase, time: iso(now + 3_600_000) }, structured), 200)
  assert.equal(edge.events()[0]!.event.timestamp, now)
})
