import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { EventResult } from '#contract/event.ts'
import type { Journey } from '#contract/journey.ts'
import type { UserRecord } from '#contract/userRecord.ts'
import { type Customer, call, makeCustomer, makeScript, openAglet, type Plain, sinkAt, until } from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor()
after(vendor.close)
const aglet = await openAglet('person', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url })

const sinkTo = (path: string) => sinkAt(vendor.url + path)
const pixel: Plain[] = [
  { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '42' },
  { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'token' },
]
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
type Got = any
const gotAt = (path: string): Got[] => vendor.got.filter((got) => got.path.startsWith(path)).map(({ json }) => json)
const yes = { service: { consent: { all: true } } }
let made = 0
const anEvent = (more: object = {}) => {
  const eventId = `person-${++made}`
  return {
    eventName: 'Purchase',
    eventId,
    timestamp: Date.now(),
    data: { value: 5, currency: 'EUR', orderId: 'o' },
    ...more,
  }
}

/** A shop's page that the tag allows. */
const page = { origin: 'http://localhost:3000' }
async function edge<Answer = Got>(
  customer: Customer,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(`${customer.tagUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as Answer
}
const sync = async (customer: Customer, body: unknown, headers: Record<string, string> = {}) =>
  (await edge<{ result: EventResult }>(customer, '/tag?sync=true', body, headers)).result
const journeyOf = async (customer: Customer, eventId: string) =>
  (await call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/${eventId}`)).body
const stands = async (customer: Customer, eventId: string) =>
  (await journeyOf(customer, eventId)).deliveries?.map(({ status, reason }) =>
    [status, reason].filter(Boolean).join(' '),
  )
/** Sends an event and waits until its channel has it: with an e-mail, `?sync=true` only waits for trusted callers. */
async function deliver(customer: Customer, event: { eventId: string }, headers: Record<string, string> = {}) {
  const { result } = await edge<{ result: EventResult }>(customer, '/tag', event, headers)
  await until(async () => `${await stands(customer, event.eventId)}` === 'delivered')
  return result
}

test('a server event with only an e-mail carries the _fbp and the fbclid that the browser session captured', async () => {
  const customer = await makeCustomer(aglet, 'offline')
  await makeScript(customer, 'facebook', 'meta', pixel)
  const { userId, result } = await edge(customer, '/init', undefined, page)
  assert.deepEqual(result[0].rules.capture[0], { type: 'query', key: 'fbclid', persist: 'edge' })
  const browser = { ...page, ServiceUserId: userId }
  await edge(customer, '/data', { data: { 'facebook::_fbp': 'fb.1.1700000000000.42' } }, browser)
  const view = anEvent({
    eventName: 'PageView',
    search: '?fbclid=click-1',
    storage: yes,
    userEmail: 'jane@example.com',
  })
  await deliver(customer, view, browser)

  const purchase = anEvent({ userEmail: ' Jane@Example.com' })
  assert.notEqual((await deliver(customer, purchase)).userId, userId)
  const [row] = gotAt('/v25.0/42/events')
    .map((json) => json.data[0])
    .filter((each) => each.event_id === purchase.eventId)
  assert.equal(row.user_data.fbp, 'fb.1.1700000000000.42')
  assert.match(row.user_data.fbc, /^fb\.1\.\d+\.click-1$/)
})

test('?sync=true tells what became of the event at every channel, and of one that cannot be delivered that it waits', async () => {
  const customer = await makeCustomer(aglet, 'sync')
  const open = await makeScript(customer, 'eventSink', 'open', sinkTo('/sync/open'))
  const far = await makeScript(customer, 'eventSink', 'far', sinkTo('/sync/far'), { geoRegions: 'JP' })
  const { deliveries } = await sync(customer, anEvent({ storage: yes }))
  assert.deepEqual(deliveries, [
    { scriptId: open, providerId: 'eventSink', status: 'delivered' },
    { scriptId: far, providerId: 'eventSink', status: 'skipped', reason: 'region' },
  ])
})

test('/user and /data reach the channels that take what becomes known of a person, with its consent', async () => {
  const customer = await makeCustomer(aglet, 'users')
  await makeScript(customer, 'eventSink', 'sink', sinkTo('/users'))
  await makeScript(customer, 'facebook', 'meta', pixel)
  const { userId } = await edge(customer, '/init', undefined, page)
  const browser = { ...page, ServiceUserId: userId }
  await edge(customer, '/consent', { consentString: { all: true } }, browser)
  await edge(customer, '/data', { data: { email: 'ann@example.com', tier: 'gold' } }, browser)
  await until(() => gotAt('/users').length === 1)
  const [{ action, user, customData, payload }] = gotAt('/users')
  assert.equal(action, 'user')
  assert.deepEqual(user, { userId, email: 'ann@example.com' })
  assert.deepEqual(customData, { tier: 'gold' })
  assert.deepEqual(payload.data, { email: 'ann@example.com', tier: 'gold' })
  const { deliveries } = await journeyOf(customer, payload.eventId)
  assert.deepEqual(
    deliveries.map(({ providerId }) => providerId),
    ['eventSink'],
  )
})

test('on a tag that holds, events wait for the consent and then arrive', async () => {
  const customer = await makeCustomer(aglet, 'hold')
  await call(customer, 'PUT', `/tag/${customer.tagId}`, { hold: 5 })
  await makeScript(customer, 'eventSink', 'sink', sinkTo('/hold'))
  const { userId } = await edge(customer, '/init', undefined, page)
  const browser = { ...page, ServiceUserId: userId }
  const events = [anEvent(), anEvent(), anEvent()]
  for (const event of events) assert.equal((await sync(customer, event, browser)).deliveries?.[0]?.status, 'held')
  assert.equal(gotAt('/hold').length, 0)
  await edge(customer, '/consent', { consentString: { all: true } }, browser)
  await until(() => gotAt('/hold').length === 3)
  assert.deepEqual(
    gotAt('/hold')
      .map(({ payload }) => payload.eventId)
      .sort(),
    events.map(({ eventId }) => eventId),
  )
  const { consent } = await journeyOf(customer, events[0]!.eventId)
  assert.deepEqual([consent?.source, consent?.decided], ['stored', { consent: { all: true } }])
})

test('an erased user is unknown, nothing of it is sent any more, and none of its words are left in a file', async () => {
  const customer = await makeCustomer(aglet, 'erase')
  await makeScript(customer, 'eventSink', 'sink', sinkTo('/erase'))
  const answer = vendor.answer
  vendor.answer = ({ path }) => ({ status: path === '/erase' ? 503 : 200 })
  const { userId } = await edge(customer, '/init', undefined, page)
  const browser = { ...page, ServiceUserId: userId }
  const event = anEvent({ storage: yes, userEmail: 'canary-9c2e@example.com' })
  await edge(customer, '/tag', event, browser)
  await until(() => gotAt('/erase').length === 1)
  const path = `/tag/${customer.tagId}/user/${userId}`
  const known = await call<UserRecord>(customer, 'GET', path)
  assert.equal(known.body.keys?.email, 'canary-9c2e@example.com')
  assert.deepEqual(
    known.body.events.map(({ eventId }) => eventId),
    [event.eventId],
  )

  assert.deepEqual((await call(customer, 'DELETE', path)).body, { userId, events: 1 })
  vendor.answer = answer
  assert.equal((await call(customer, 'GET', path)).status, 404)
  assert.deepEqual(await stands(customer, event.eventId), ['dead erased'])
  assert.deepEqual((await edge(customer, '/keys', undefined, browser)).result, [])
  const offline = anEvent({ storage: yes, userEmail: 'canary-9c2e@example.com', eventName: 'PageView' })
  await deliver(customer, offline)
  assert.equal(gotAt('/erase').filter(({ payload }) => payload.eventId === event.eventId).length, 1)
  for (const { parentPath, name } of readdirSync(aglet.data, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  ))
    assert.equal(readFileSync(join(parentPath, name)).includes('9c2e'), false, `${name} holds a canary`)
  const audit = await call<{ entries: { what: string; object: string }[] }>(customer, 'GET', '/audit')
  const erased = audit.body.entries.filter(({ object }) => object === userId).map(({ what }) => what)
  assert.deepEqual(erased, ['eraseUser', 'readUser'])
})
