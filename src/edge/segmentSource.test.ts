import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Scope } from '#contract/scopes.ts'
import { deviceUserId } from '#user/customer.ts'
import { now, openTestEdge, tagId, teamId } from './edge.fixture.ts'
import { at, basic, iso, key, openSource } from './source.fixture.ts'

const device = '6b1f4a0e-0c3b-4a55-9d2e-3f6a5b7c8d90'
const openSegment = (t: TestContext, scopes?: Scope[], tag?: object) => openSource(t, 'segment', scopes, tag)

const orderCompleted = {
  type: 'track',
  event: 'Order Completed',
  messageId: 'msg-1',
  anonymousId: device,
  userId: '42',
  timestamp: iso(now - 1000),
  properties: {
    order_id: '50314b8e',
    total: 27.5,
    revenue: 25,
    tax: 2,
    shipping: '0.5',
    coupon: 'hasbros',
    discount: 2.5,
    currency: 'EUR',
    affiliation: 'Google Store',
    products: [{ product_id: '507f1f', sku: '45790-32', name: 'Monopoly', price: 19, quantity: 1, category: 'Games' }],
  },
  context: {
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (visitor)',
    page: { url: 'https://shop.example/thanks?fbclid=abc', title: 'Thanks', referrer: 'https://shop.example/' },
    traits: { email: 'ada@example.com', plan: 'gold' },
    consent: { categoryPreferences: { Advertising: true, Analytics: false, Weather: true } },
  },
  integrations: { All: true, 'Facebook Pixel': false, 'Segment.io': true },
}

test('an address of a source that is not switched on is not there', async (t) => {
  const edge = await openTestEdge(t)
  assert.equal((await edge.ask({ path: at('/v1/batch'), body: { batch: [] } })).status, 404)
})

test('a batch of Segment is stored as our events: order, items, user, consent, channels and page', async (t) => {
  const edge = await openSegment(t)
  const got = await edge.send('/v1/batch', { batch: [orderCompleted], sentAt: iso(now) })
  assert.equal(got.status, 200, got.text)
  assert.equal(got.json.success, true)
  assert.deepEqual(
    got.json.result.map(({ eventId, status }: Record<string, unknown>) => [eventId, status]),
    [['msg-1', 'accepted']],
  )
  assert.deepEqual(got.json.result[0].warnings, ['its consent "Weather" is not mapped'])
  const [stored] = edge.events()
  assert.equal(stored!.userId, device)
  assert.equal(stored!.context.trusted, true)
  assert.deepEqual(stored!.event, {
    pageUrl: 'https://shop.example/thanks?fbclid=abc',
    pageTitle: 'Thanks',
    referrer: 'https://shop.example/',
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (visitor)',
    userEmail: 'ada@example.com',
    eventName: 'Purchase',
    eventId: 'msg-1',
    timestamp: now - 1000,
    data: {
      affiliation: 'Google Store',
      revenue: 25,
      value: 27.5,
      currency: 'EUR',
      orderId: '50314b8e',
      tax: 2,
      shipping: 0.5,
      discount: 2.5,
      discounts: [{ code: 'hasbros', type: 'FLAT', value: 2.5 }],
      contents: [{ id: '507f1f', sku: '45790-32', title: 'Monopoly', category: 'Games', item_price: 19, quantity: 1 }],
    },
    providers: { all: true, facebook: false },
    storage: {
      kv: { plan: 'gold' },
      service: { consentCategories: { advertising: true, analytics: false } },
    },
    userCustomerId: '42',
    source: { name: 'segment', type: 'track', userId: '42', notes: ['its consent "Weather" is not mapped'] },
  })
})

test('a retry of a batch is a duplicate, and a body in gzip is taken', async (t) => {
  const edge = await openSegment(t)
  const body = gzipSync(JSON.stringify({ batch: [orderCompleted] }))
  const headers = { ...basic(key), 'content-encoding': 'gzip' }
  const statuses = async () => (await edge.send('/v1/batch', body, headers)).json.result[0].status
  assert.deepEqual([await statuses(), await statuses()], ['accepted', 'duplicate'])
})

test('each call of Segment has its own address, and each message of a batch its own user', async (t) => {
  const edge = await openSegment(t)
  const common = { anonymousId: device, timestamp: iso(now) }
  await edge.send('/v1/page', { ...common, messageId: 'p', name: 'Home', properties: { url: 'https://shop.example/' } })
  await edge.send('/v1/screen', { ...common, messageId: 's', name: 'Start' })
  await edge.send('/v1/group', { ...common, messageId: 'g', groupId: 'acme', traits: { size: 3 } })
  await edge.send('/v1/t', { ...common, messageId: 't', event: 'Signed Up', properties: { plan: 'x' } })
  const others = ['one', 'two'].map((anonymousId) => ({ type: 'page', anonymousId, messageId: anonymousId }))
  await edge.send('/v1/b', { batch: others })
  const stored = edge.events()
  assert.deepEqual(
    stored.map(({ event }) => [event.eventName, event.eventId]),
    [
      ['PageView', 'p'],
      ['ScreenView', 's'],
      ['Group', 'g'],
      ['Signed Up', 't'],
      ['PageView', 'one'],
      ['PageView', 'two'],
    ],
  )
  assert.deepEqual(stored[0]!.event.data, { name: 'Home' })
  assert.deepEqual(stored[2]!.event.data, { size: 3, groupId: 'acme' })
  const tag = { tagId, teamId }
  assert.deepEqual(
    stored.slice(4).map(({ userId }) => userId),
    ['one', 'two'].map((id) => deviceUserId(tag, id, edge.keys)),
  )
  assert.ok(stored.every(({ context }) => context.hasExplicitUserId))
})

test('identify stores the traits and the customer id for the device; a later event with the customer id alone names no device', async (t) => {
  const edge = await openSegment(t)
  const identify = {
    type: 'identify',
    messageId: 'i',
    anonymousId: device,
    userId: 'Ada-42',
    traits: {
      email: 'ada@example.com',
      firstName: 'Ada',
      plan: 'gold',
      address: { city: 'Berlin', postalCode: '10115' },
    },
  }
  const purchase = { ...orderCompleted, anonymousId: undefined, userId: 'Ada-42', messageId: 'later' }
  const page = { type: 'page', messageId: 'v', anonymousId: device }
  assert.equal((await edge.send('/v1/batch', { batch: [page, identify] })).status, 200)
  assert.equal((await edge.send('/v1/batch', { batch: [purchase] })).status, 200)
  assert.equal(
    (await edge.send('/v1/batch', { batch: [{ ...purchase, userId: 'ada-42', messageId: 'other' }] })).status,
    200,
  )
  const [visit, update, order, other] = edge.events()
  assert.deepEqual([visit!.context.kind, update!.context.kind], [undefined, 'user'])
  const { storage: _, ...data } = update!.event
  assert.deepEqual(data.data, {
    plan: 'gold',
    email: 'ada@example.com',
    firstName: 'Ada',
    city: 'Berlin',
    zip: '10115',
    customerId: 'Ada-42',
  })
  assert.deepEqual([visit!.userId, update!.userId], [device, device])
  for (const [each, customerId] of [
    [order, 'Ada-42'],
    [other, 'ada-42'],
  ] as const)
    assert.deepEqual(
      [each!.context.hasExplicitUserId, each!.context.trusted, each!.event.userCustomerId],
      [false, true, customerId],
    )
})

test('the public key proves nothing: the address of the visitor and the user id are not believed', async (t) => {
  const edge = await openSegment(t)
  const { anonymousId: _, ...withoutDevice } = orderCompleted
  await edge.send('/v1/batch', { batch: [orderCompleted, { ...withoutDevice, messageId: 'msg-2' }] }, basic(tagId))
  const [first, second] = edge.events()
  assert.equal(first!.context.trusted, false)
  assert.equal(first!.event.ip, undefined)
  assert.equal(first!.event.userAgent, undefined)
  assert.equal(second!.context.hasExplicitUserId, false)
  assert.match(second!.userId, /^usr_/)
})

test('no answer holds a user id, by which data of the user could be read', async (t) => {
  const edge = await openSegment(t)
  for (const credentials of [basic(tagId), basic(key)]) {
    const answer = await edge.send('/v1/batch', { batch: [orderCompleted] }, credentials)
    assert.equal(answer.status, 200)
    assert.match(answer.text, /accepted|duplicate/)
    assert.doesNotMatch(answer.text, new RegExp(`userId|usr_|${device}`))
  }
})

test('a request of a page is not trusted, whatever its key, and needs none', async (t) => {
  const edge = await openSegment(t)
  const origin = { origin: 'https://example.com' }
  assert.equal(
    (
      await edge.send('/v1/t', JSON.stringify(orderCompleted), {
        ...origin,
        ...basic(key),
        'content-type': 'text/plain',
      })
    ).status,
    200,
  )
  assert.equal((await edge.send('/v1/t', { ...orderCompleted, messageId: 'm2' }, origin)).status, 200)
  assert.deepEqual(
    edge.events().map(({ context }) => context.trusted),
    [false, false],
  )
  assert.equal((await edge.send('/v1/t', orderCompleted, { origin: 'https://evil.example' })).status, 403)
})

test('a wrong key, one of more power, and a missing one where a token is required are refused for good', async (t) => {
  const edge = await openSegment(t)
  assert.equal((await edge.send('/v1/track', orderCompleted, basic('wrong'))).status, 401)
  assert.equal((await edge.send('/v1/track', orderCompleted, { authorization: 'Basic !!' })).status, 401)
  const strong = await openSegment(t, ['event:write', 'script:write'])
  assert.equal((await strong.send('/v1/track', orderCompleted)).status, 403)
  const weak = await openSegment(t, ['event:read'])
  assert.equal((await weak.send('/v1/track', orderCompleted)).status, 403)
  const closed = await openSegment(t, ['event:write'], { serverToken: 'required' })
  assert.equal((await closed.send('/v1/track', orderCompleted, {})).status, 403)
  assert.equal((await closed.send('/v1/track', orderCompleted, basic(tagId))).status, 403)
  assert.equal((await closed.send('/v1/track', orderCompleted)).status, 200)
  assert.deepEqual(
    [edge, strong, weak].flatMap((each) => each.events()),
    [],
  )
})

test('what cannot be read is refused for good, and what cannot be stored is to be sent again', async (t) => {
  const edge = await openSegment(t)
  const refused = async (body: unknown) => (await edge.send('/v1/batch', body)).status
  assert.equal(await refused('{'), 400)
  assert.equal(await refused('[]'), 400)
  assert.equal(await refused({ batch: {} }), 400)
  assert.equal(await refused({ batch: [] }), 400)
  assert.equal(await refused({ batch: Array(501).fill(orderCompleted) }), 400)
  assert.equal(await refused({ batch: [{}, null, 7] }), 400)
  assert.equal(await refused(`{"batch":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`), 400)
  assert.equal(await refused({ batch: [{ ...orderCompleted, properties: { long: 'x'.repeat(70_000) } }] }), 400)
  assert.equal(await refused(JSON.stringify({ batch: [{ ...orderCompleted, x: 'x'.repeat(1_100_000) }] })), 413)
  assert.equal((await edge.ask({ method: 'GET', path: at('/v1/batch') })).status, 405)
  const full = await openTestEdge(t, { tag: { sources: ['segment'] }, deps: { retryAfterSeconds: () => 3 } })
  const busy = await full.ask({ path: at('/v1/batch'), body: { batch: [orderCompleted] } })
  assert.deepEqual([busy.status, busy.headers['retry-after']], [503, '3'])
  assert.deepEqual(edge.events(), [])
})

test('a message of an unknown type is kept and told; one without a name is rejected alone', async (t) => {
  const edge = await openSegment(t)
  const got = await edge.send('/v1/batch', {
    batch: [
      { type: 'dance', messageId: 'd', anonymousId: device, steps: 3 },
      { type: 'track', messageId: 'n', anonymousId: device },
    ],
  })
  assert.deepEqual(
    got.json.result.map(({ status }: { status: string }) => status),
    ['accepted', 'rejected'],
  )
  assert.match(got.json.result[0].warnings[0], /the type "dance" is not track/)
  assert.deepEqual(
    edge.events().map(({ event }) => [event.eventName, event.data]),
    [['dance', { steps: 3 }]],
  )
})

test('the clock of the sender is corrected; a time that still lies ahead is that of receipt', async (t) => {
  const edge = await openSegment(t)
  const hour = 3_600_000
  const page = { type: 'page', anonymousId: device }
  await edge.send('/v1/batch', {
    sentAt: iso(now + hour),
    batch: [{ ...page, messageId: 'fast', originalTimestamp: iso(now + hour - 5000) }],
  })
  const got = await edge.send('/v1/batch', { batch: [{ ...page, messageId: 'ahead', timestamp: iso(now + hour) }] })
  assert.match(got.json.result[0].warnings[0], /more than 10 minutes in the future/)
  assert.deepEqual(
    edge.events().map(({ event }) => event.timestamp),
    [now - 5000, now],
  )
})

test('a preflight allows what the SDKs of pages send', async (t) => {
  const edge = await openSegment(t)
  const got = await edge.ask({ method: 'OPTIONS', path: at('/v1/batch'), headers: { origin: 'https://example.com' } })
  assert.equal(got.status, 204)
  assert.match(`${got.headers['access-control-allow-headers']}`, /authorization.*anonymousid/)
})
