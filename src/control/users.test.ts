import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Run } from '#contract/webhookRun.ts'
import { openRecord, sealRecord } from '#event/record.ts'
import { openRunLog } from '#journal/runLog.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import type { PlannedDelivery } from '#store/store.ts'
import { customerUserId } from '#user/customer.ts'
import type { Profile } from '#user/profile.ts'
import {
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sealPlain,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const { teamId, tagId } = as
const tag = { teamId, tagId }
const { profiles, store, stream, keys } = control.environments.production

let createdCount = 0
/** Plans an event with a waiting delivery, as the delivery worker does. */
async function planWaitingEvent(
  owner: { userId: string; joined?: string; status?: PlannedDelivery['status'] },
  more: object = {},
) {
  const eventId = `event ${++createdCount}`
  const at = control.clock.now()
  const event = { eventName: 'Purchase', eventId, timestamp: at, userEmail: 'jane@example.com', ...more }
  const context = {
    ...tag,
    userId: owner.userId,
    hasExplicitUserId: true,
    trusted: false,
    receivedAt: at,
    ip: '203.0.113.7',
  }
  const key = keys.team(teamId).eventKey(tagId, eventId, false)
  await stream.append({
    tagId,
    payload: sealRecord([{ context, body: Buffer.from(JSON.stringify(event)) }], context, keys),
    keys: [key],
  })
  const place = (await stream.find(key))!
  const status = owner.status ?? 'pending'
  const deliveryId = deliveryIdOf({ ...place, receivedAt: at, scriptId: 'scr_1' })
  const delivery = { deliveryId, scriptId: 'scr_1', providerId: 'eventSink', status } as const
  const decided = { consent: { source: 'none' }, place: { source: 'unknown' } } as const
  const held = status === 'held' && { held: { waitsFor: owner.userId, until: at + 60_000 } }
  const row = { ...place, tagId, eventName: 'Purchase', receivedAt: at, ...decided, deliveries: [delivery] }
  await store.journal.plan([
    { ...row, userId: owner.userId, ...(owner.joined && { emailMatch: owner.joined }), ...held },
  ])
  return eventId
}
const saveProfile = async (userId: string, profile: Partial<Profile>, email?: string) => {
  const profileFields = { keys: {}, custom: {}, captured: {}, seenAt: control.clock.now(), ...profile }
  const naming = email ? { key: profiles.emailKey(tag, email), isClaimed: true, isConfirmed: true } : undefined
  await (await profiles.change({ tag, userId }, () => profileFields, naming)).written
}
const read = (userId: string, who: Customer = as, values: object = {}) =>
  callControl(control, 'readUser', who, { values: { tagId, userId, ...values } })
const erase = (userId: string) => callControl(control, 'eraseUser', as, { values: { tagId, userId } })
const journey = async (eventId: string) =>
  (await callControl(control, 'readEvent', as, { values: { tagId, eventId } })).body
const audited = async (what: string) => {
  const { rows } = await store.audit(teamId, { limit: 200 })
  return rows.filter((row) => row.what === what)
}

test('each event of a user tells the consent that it carried, without names that are no category or provider', async () => {
  const given = { consentCategories: { advertising: false, analytics: true, 'jane@example.com': true } }
  await planWaitingEvent({ userId: 'usr_consent' })
  await planWaitingEvent({ userId: 'usr_consent' }, { storage: { service: given } })
  const { body } = await read('usr_consent')
  const proof = { at: control.clock.now(), source: 'claim', eventId: `event ${createdCount}` }
  assert.deepEqual(
    (body.events as { consent?: object }[]).map(({ consent }) => consent),
    [{ consentCategories: { advertising: false, analytics: true }, proof }, undefined],
  )
})

test('GET shows the profile and events of a user, and the read is in the audit', async () => {
  const expected = {
    keys: { email: 'jane@example.com', city: 'Bonn' },
    custom: { tier: 'gold' },
    captured: { fbclid: { value: 'click', at: 5 } },
    consent: { at: 7, consent: { all: true } },
    place: { country: 'DE' },
    session: { sessionId: 'ses_1', at: 9 },
  }
  await saveProfile('usr_read', { ...expected, erasedAt: 3 }, 'jane@example.com')
  const own = await planWaitingEvent({ userId: 'usr_read' })
  const joined = await planWaitingEvent({ userId: 'usr_server', joined: 'usr_read' })
  const { status, body } = await read('usr_read')
  assert.equal(status, 200)
  const { events, seenAt, ...shown } = body as { events: { eventId: string; userId: string }[]; seenAt: number }
  assert.deepEqual(shown, { userId: 'usr_read', ...expected })
  assert.equal(seenAt, control.clock.now())
  assert.deepEqual(
    events.map(({ eventId }) => eventId),
    [joined, own],
  )
  const [row] = await audited('readUser')
  assert.deepEqual([row?.object, row?.by, row?.after], ['usr_read', as.tokenId, { tagId }])
})

test('the events of a user come in pages', async () => {
  const ids = []
  for (let n = 0; n < 3; n++) ids.unshift(await planWaitingEvent({ userId: 'usr_pages' }))
  const first = (await read('usr_pages', as, { limit: 2 })).body as { events: { eventId: string }[]; next: string }
  const second = (await read('usr_pages', as, { limit: 2, cursor: first.next })).body as typeof first
  assert.deepEqual(
    [...first.events, ...second.events].map(({ eventId }) => eventId),
    ids,
  )
  assert.equal(second.next, undefined)
})

test('a user without a profile is known by one event, or by one attempt that sent their click ids', async () => {
  await planWaitingEvent({ userId: 'usr_event' })
  assert.equal((await read('usr_event')).status, 200)
  const eventId = await planWaitingEvent({ userId: 'usr_sender' })
  const { deliveries } = (await journey(eventId)) as { deliveries: { deliveryId: string }[] }
  const { deliveryId } = deliveries[0]!
  const attempt = { deliveryId, number: 1, at: control.clock.now(), durationMs: 1, joined: 'usr_joined' }
  await store.journal.settle([{ deliveryId, status: 'delivered', attempt }])
  const { status, body } = await read('usr_joined')
  assert.deepEqual([status, body.events], [200, []])
})

test('an unknown user, a user of another tag and the id of erased users are 404', async () => {
  const other = await makeCustomer(control)
  await saveProfile('usr_own', {})
  for (const { status, body } of [
    await read('usr_none'),
    await erase('usr_none'),
    await read('(erased)'),
    await erase('(erased)'),
    await callControl(control, 'readUser', other, { values: { tagId: other.tagId, userId: 'usr_own' } }),
  ])
    assert.deepEqual([status, body.error], [404, 'USER_UNKNOWN'])
})

test('DELETE erases the profile, its e-mail and its waiting deliveries, and is in the audit', async () => {
  await saveProfile('usr_gone', { keys: { email: 'gone@example.com' } }, 'gone@example.com')
  const pending = await planWaitingEvent({ userId: 'usr_gone' })
  const held = await planWaitingEvent({ userId: 'usr_gone', status: 'held' })
  const joined = await planWaitingEvent({ userId: 'usr_server2', joined: 'usr_gone' })
  const others = await planWaitingEvent({ userId: 'usr_server2' })
  const { status, body } = await erase('usr_gone')
  assert.deepEqual([status, body], [200, { userId: 'usr_gone', events: 3 }])
  assert.equal(await profiles.get({ tag, userId: 'usr_gone' }), undefined)
  const owners = await profiles.byEmail(tag, profiles.emailKey(tag, 'gone@example.com'))
  assert.deepEqual(owners, { claimants: [], isCrowded: false })
  assert.equal((await read('usr_gone')).status, 404)
  for (const eventId of [pending, held, joined]) {
    const { deliveries, userId } = (await journey(eventId)) as {
      deliveries: { status: string; reason: string }[]
      userId: string
    }
    assert.deepEqual([deliveries[0]?.status, deliveries[0]?.reason, userId], ['dead', 'erased', '(erased)'])
  }
  const otherJourney = (await journey(others)) as { deliveries: { status: string }[]; userId: string }
  assert.deepEqual([otherJourney.deliveries[0]?.status, otherJourney.userId], ['pending', 'usr_server2'])
  const [row] = await audited('eraseUser')
  assert.deepEqual([row?.object, row?.before, row?.after], ['usr_gone', { tagId }, undefined])
})

test('only the names of an erased user’s events stay in the stream', async () => {
  await saveProfile('usr_body', {})
  const eventId = await planWaitingEvent({ userId: 'usr_body' }, { data: { note: 'for jane' } })
  const place = (await stream.find(keys.team(teamId).eventKey(tagId, eventId, false)))!
  await erase('usr_body')
  const [{ context, body } = assert.fail()] = openRecord(
    (await stream.read(place.position))!.payload,
    tagId,
    teamId,
    keys,
  )
  assert.deepEqual(body, { eventId, eventName: 'Purchase', timestamp: control.clock.now() })
  assert.doesNotMatch(JSON.stringify({ context, body }), /jane|203\.0\.113|usr_body/)
  assert.deepEqual(context.erased, [0])
})

test('the calls of webhooks that made an erased user’s events are erased with their logs', async () => {
  const eventId = await planWaitingEvent({ userId: 'usr_called' })
  const team = keys.team(teamId)
  const run = (runId: string, keyOf: string) => ({
    ...{ runId, tagId, scriptId: 'scr_called', at: control.clock.now(), sealed: new Uint8Array([1]) },
    eventKeys: [team.eventKey(tagId, keyOf, true)],
  })
  await store.write([{ add: 'runs', rows: [run('run_of', eventId), run('run_else', 'another')] }])
  await erase('usr_called')
  const { rows } = await store.runs.list('scr_called', { limit: 5 })
  assert.deepEqual(
    rows.map(({ runId }) => runId),
    ['run_else'],
  )
})

test('a call of a webhook that made no event is erased with each person that it handled or names', async () => {
  await saveProfile('usr_hooked', {
    keys: { email: 'hooked@example.com', phone: '+49 151 23456789', customerId: 'C-4711' },
  })
  const source = await sealPlain(control, as, 'webhook', ['WEBHOOK_CODE', 'TEXT', 'async function process() {}'])
  const scriptId = await makeScript(control, as, { name: 'called', providerId: 'webhook', secrets: source })
  const ended = new AbortController()
  const { clock, log } = control.environments.production
  const runLog = openRunLog({ clock, keys, store, log }, ended.signal)
  ended.abort()
  const add = (text: string, people: Parameters<typeof runLog.add>[2]) =>
    runLog.add(
      { ...tag, scriptId },
      { at: clock.now(), durationMs: 1, status: 200, logs: [{ level: 'log', text }], eventIds: [] },
      people,
    )
  const nobody = { userIds: [], texts: [] }
  add('by id', { userIds: ['usr_hooked'], texts: [] })
  add('by e-mail', { userIds: [], texts: ['{"to":"Hooked@example.com"}'] })
  add('order of c-4711', nobody)
  add('call 0151/2345 6789', nobody)
  add('id of another', { userIds: ['usr_else'], texts: [] })
  const crowd = Array.from({ length: 1_001 }, (_, n) => `usr_${n}`)
  add('of a thousand', { userIds: crowd, texts: [] })
  await runLog.flush()
  await erase('usr_hooked')
  const { body } = await callControl(control, 'listRuns', as, { values: { scriptId } })
  assert.deepEqual(
    (body.runs as Run[]).map(({ logs }) => logs[0]!.text),
    ['not stored: the call handled more than 1000 people', 'id of another'],
  )
})

test('a user without a profile is erased by their events', async () => {
  await planWaitingEvent({ userId: 'usr_events' })
  assert.deepEqual((await erase('usr_events')).body, { userId: 'usr_events', events: 1 })
  assert.equal((await erase('usr_events')).status, 404)
})

test('a repeated DELETE erases what a crash left', async () => {
  await saveProfile('usr_crash', {})
  const eventId = await planWaitingEvent({ userId: 'usr_crash' })
  const production = control.environments.production
  const { rewrite } = production.stream
  production.stream = { ...stream, rewrite: async () => Promise.reject(new Error('power cut')) }
  assert.equal((await erase('usr_crash')).status, 500)
  production.stream = { ...stream, rewrite }
  assert.deepEqual((await erase('usr_crash')).body, { userId: 'usr_crash', events: 1 })
  assert.equal(((await journey(eventId)) as { userId: string }).userId, '(erased)')
})

const find = (body: object) => callControl(control, 'findUser', as, { values: { tagId }, body })

test('a user is found by e-mail and by custom data, and the audit has the search without its text', async () => {
  await saveProfile('usr_found', { custom: { customerId: 'C-77' } }, 'find.me@example.com')
  const byEmail = await find({ email: 'find.me@example.com' })
  assert.equal(byEmail.status, 200)
  const seenAt = control.clock.now()
  const searched = ['users', 'claims', 'events']
  assert.deepEqual(byEmail.body, { users: [{ userId: 'usr_found', seenAt, isConfirmed: true }], searched })
  const byKey = { users: [{ userId: 'usr_found' }], searched: ['customData'] }
  assert.deepEqual((await find({ key: 'customerId', value: 'C-77' })).body, byKey)
  assert.deepEqual((await find({ email: 'nobody@example.com' })).body, { users: [], searched })
  const rows = await audited('findUser')
  assert.equal(rows.length, 3)
  assert.ok(!JSON.stringify(rows).includes('find.me'))
})

test('a visitor is found by the customer id, and a shared one is told', async () => {
  await saveProfile('usr_customer', { keys: { customerId: 'C-78' } })
  const found = { users: [{ userId: 'usr_customer' }], searched: ['customData'] }
  for (const key of ['customerId', 'userId']) assert.deepEqual((await find({ key, value: 'C-78' })).body, found)
  const at = control.clock.now()
  const emails = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, each) => [`${each}`, at - each]))
  const record = customerUserId(tag, 'C-78', control.environments.production.keys)
  await saveProfile(record, { customerEmails: emails(10) })
  assert.equal((await find({ key: 'customerId', value: 'C-78' })).body.isShared, undefined)
  await saveProfile(record, { customerEmails: emails(11) })
  assert.equal((await find({ key: 'customerId', value: 'C-78' })).body.isShared, true)
  assert.equal((await find({ key: 'customerId', value: 'C-79' })).body.isShared, undefined)
})

test('a search without an e-mail and without a key with its value is refused', async () => {
  for (const body of [{}, { key: 'customerId' }, { value: 'C-77' }]) assert.equal((await find(body)).status, 400)
})

test('a search says when strangers who claim the same custom data may hide a user', async () => {
  for (let n = 0; n < 99; n++) await saveProfile(`usr_claim_${n}`, { custom: { customerId: 'C-99' } })
  assert.equal((await find({ key: 'customerId', value: 'C-99' })).body.isCrowded, undefined)
  await saveProfile('usr_claim_99', { custom: { customerId: 'C-99' } })
  const { body } = await find({ key: 'customerId', value: 'C-99' })
  assert.deepEqual([(body.users as unknown[]).length, body.isCrowded], [100, true])
})

test('an erased user is not found', async () => {
  await saveProfile('usr_gone', {}, 'gone@example.com')
  await erase('usr_gone')
  assert.deepEqual((await find({ email: 'gone@example.com' })).body.users, [])
})

test('an e-mail that stands only in an event is found, and erasing its user erases the event', async () => {
  const someone = 'only.in.event@example.com'
  const find = async () => {
    const { status, body } = await callControl(control, 'findUser', as, { values: { tagId }, body: { email: someone } })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const eventId = await planWaitingEvent({ userId: 'usr_fresh' }, { userEmail: ' Only.In.Event@example.com ' })
  const { users, searched, next } = await find()
  assert.deepEqual(users, [{ userId: 'usr_fresh', seenAt: control.clock.now(), isFromEvent: true }])
  assert.deepEqual([searched, next], [['users', 'claims', 'events'], undefined])
  assert.equal((await erase('usr_fresh')).body.events, 1)
  assert.deepEqual((await find()).users, [])
  assert.doesNotMatch(JSON.stringify(await journey(eventId)), /only\.in/i)
  assert.equal((await journey(eventId)).isErased, true)
})
