import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import { Journey } from '#contract/journey.ts'
import { compileValidator } from '#contract/validator.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { orderHash } from '#event/orderHash.ts'
import { sealRecord } from '#event/record.ts'
import { callControl, makeCustomer, openTestControl } from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const { tagId } = as
const { store, stream, keys } = control.environments.production
const journey = (eventId: string, caller?: string) =>
  callControl(control, 'readEvent', as, { values: { tagId, eventId, ...(caller && { caller }) } })

test('a journey shows the event, the effective consent and each delivery with its reason', async () => {
  await makeEvent(control, as, 'first')
  const { status, body } = await journey('first')
  assert.equal(status, 200)
  assert.deepEqual(compileValidator(Journey)(body), [])
  const { deliveries, ...event } = body
  assert.deepEqual(event, {
    eventId: 'first',
    eventName: 'Purchase',
    userId: 'usr_1',
    receivedAt: control.clock.now(),
    caller: 'untrusted',
    consent: { source: 'event', state: 'agreed', decided: { all: true } },
    place: { source: 'unknown' },
    trusted: false,
    received: { eventId: 'first', eventName: 'Purchase', timestamp: control.clock.now() },
    afterPlugins: [],
    deployment: 1,
  })
  const [{ deliveryId, ...delivery }] = deliveries as [Record<string, unknown>]
  assert.match(String(deliveryId), /^dlv_/)
  assert.deepEqual(delivery, {
    scriptId: 'scr_1',
    providerId: 'eventSink',
    status: 'skipped',
    reason: 'consent',
    attempts: [],
  })
})

test('an unplanned event shows its own user if its batch from a server has events of several users', async () => {
  const receivedAt = control.clock.now()
  const named = { hasExplicitUserId: true, trusted: true, userId: 'usr_a', userIds: ['usr_a', 'usr_b'] }
  const context = { tagId, teamId: as.teamId, receivedAt, ...named }
  const events = ['of a', 'of b'].map((eventId) => ({ eventName: 'Purchase', eventId, timestamp: receivedAt }))
  const payload = sealRecord([{ context, body: Buffer.from(JSON.stringify(events)) }], context, keys)
  await stream.append({ tagId, payload, ...dedupKeys(['of a', 'of b'], context, keys) })
  const people = await Promise.all(events.map(async ({ eventId }) => (await journey(eventId)).body.userId))
  assert.deepEqual(people, ['usr_a', 'usr_b'])
  assert.deepEqual((await journey('of b')).body.deliveries, [])
})

/** Accepts an event with this context without planning it. */
async function accept(eventId: string, { space, ...more }: { userId: string; trusted: boolean; space?: boolean }) {
  const receivedAt = control.clock.now()
  const context = { tagId, teamId: as.teamId, receivedAt, hasExplicitUserId: true, ...more }
  const body = Buffer.from(JSON.stringify({ eventName: 'Purchase', eventId, timestamp: receivedAt }))
  const found = dedupKeys([eventId], { ...context, trusted: space ?? more.trusted }, keys)
  return stream.append({ tagId, payload: sealRecord([{ context, body }], context, keys), ...found })
}

test('if trusted and untrusted callers used the same id, its journey is the trusted one, and ?caller= chooses', async () => {
  await accept('order-2', { userId: 'usr_stranger', trusted: false })
  const alone = (await journey('order-2')).body
  assert.deepEqual([alone.userId, alone.caller, alone.sameId], ['usr_stranger', 'untrusted', undefined])
  assert.deepEqual(await accept('order-2', { userId: 'usr_shop', trusted: true }), [true])
  const shown = async (caller?: string) => {
    const { body } = await journey('order-2', caller)
    return [body.userId, body.caller, body.sameId]
  }
  assert.deepEqual(await shown(), ['usr_shop', 'trusted', true])
  assert.deepEqual(await shown('trusted'), ['usr_shop', 'trusted', true])
  assert.deepEqual(await shown('untrusted'), ['usr_stranger', 'untrusted', true])
})

test('the journey of a kind of caller that sent no such event is 404', async () => {
  await accept('only of the shop', { userId: 'usr_shop', trusted: true })
  assert.equal((await journey('only of the shop', 'untrusted')).status, 404)
})

test('an untrusted event from before ids were separate by kind of caller is found, and is a duplicate for both kinds', async () => {
  await accept('old', { userId: 'usr_old', trusted: false, space: true })
  for (const caller of [undefined, 'untrusted']) {
    const { body } = await journey('old', caller)
    assert.deepEqual([body.userId, body.caller], ['usr_old', 'untrusted'])
  }
  assert.equal((await journey('old', 'trusted')).status, 404)
  assert.deepEqual(await accept('old', { userId: 'usr_old', trusted: false }), [false])
  assert.deepEqual(await accept('old', { userId: 'usr_old', trusted: true }), [false])
})

test('a journey shows each attempt with its time, duration and response', async () => {
  await makeEvent(control, as, 'tried')
  const place = await stream.find(keys.team(as.teamId).eventKey(tagId, 'tried', false))
  const planned = await store.journal.event(tagId, place!.position, place!.index)
  const { deliveryId } = planned!.deliveries[0]!
  const attempt = { deliveryId, number: 1, at: 5, durationMs: 7, httpStatus: 503, message: 'busy' }
  await store.journal.settle([{ deliveryId, status: 'pending', reason: 'vendorDown', nextAt: 99, attempt }])
  const [delivery] = (await journey('tried')).body.deliveries as [Record<string, unknown>]
  assert.deepEqual([delivery.status, delivery.reason, delivery.nextAt], ['pending', 'vendorDown', 99])
  assert.deepEqual(delivery.attempts, [
    { at: 5, durationMs: 7, status: 503, message: 'busy', noExchanges: 'notStored' },
  ])
})

test('an event that is accepted but not planned has a journey without deliveries', async () => {
  await makeEvent(control, as, 'waiting', { isPlanned: false })
  const { status, body } = await journey('waiting')
  assert.deepEqual([status, body.eventId, body.eventName, body.deliveries], [200, 'waiting', 'Purchase', []])
})

for (const eventId of ['a/b', 'ünï çode', 'per%cent', '100%', 'x?y#z', 'e'.repeat(500), '日'.repeat(500)]) {
  test(`the eventId ${eventId.slice(0, 12)} is found by its percent-encoded form`, async () => {
    await makeEvent(control, as, eventId)
    const { status, body } = await journey(eventId)
    assert.deepEqual([status, body.eventId], [200, eventId])
  })
}

test('the events of a tag are listed newest first, each with its eventId, in pages', async () => {
  const own = await makeCustomer(control)
  for (const eventId of ['one', 'two', 'three']) await makeEvent(control, own, eventId)
  const first = await callControl(control, 'listEvents', own, { values: { tagId: own.tagId, limit: 2 } })
  const { events, next } = first.body as { events: { eventId: string }[]; next: string }
  assert.deepEqual(
    events.map(({ eventId }) => eventId),
    ['three', 'two'],
  )
  const second = await callControl(control, 'listEvents', own, { values: { tagId: own.tagId, limit: 2, cursor: next } })
  assert.deepEqual(second.body, {
    events: [
      {
        eventId: 'one',
        eventName: 'Purchase',
        userId: 'usr_1',
        receivedAt: control.clock.now(),
        caller: 'untrusted',
        counts: { skipped: 1 },
      },
    ],
  })
})

test('an event that retention removed from the stream is not listed; its journey is still found by id', async () => {
  const own = await makeCustomer(control)
  await makeEvent(control, own, 'trimmed')
  const place = await stream.find(keys.team(own.teamId).eventKey(own.tagId, 'trimmed', false))
  const leased = await stream.lease(500, AbortSignal.timeout(1_000))
  await stream.settle(leased.map(({ position }) => position))
  assert.ok(leased.some(({ position }) => position === place!.position))
  await control.clock.turn(86_400_000) // bodies are deleted by the day
  await stream.trim(control.clock.now())
  const list = await callControl(control, 'listEvents', own, { values: { tagId: own.tagId } })
  assert.deepEqual(list.body, { events: [] })
  const response = await callControl(control, 'readEvent', own, { values: { tagId: own.tagId, eventId: 'trimmed' } })
  assert.deepEqual([response.status, response.body.eventName], [200, 'Purchase'])
})

test('the events of an order or of a customer are listed for those who may read people, and for nobody else', async () => {
  const { teamId } = as
  const event = { tagId, eventName: 'Purchase', userId: 'usr_buyer', deliveries: [] }
  const facts = { receivedAt: control.clock.now(), consent: { source: 'none' }, place: { source: 'unknown' } } as const
  await accept('order of a buyer', { userId: 'usr_buyer', trusted: true })
  const place = (await stream.find(keys.team(teamId).eventKey(tagId, 'order of a buyer', true)))!
  await store.journal.plan([{ ...event, ...facts, ...place, orderHash: orderHash(as, 'A-1001', keys)! }])
  const list = async (values: Record<string, string>, caller = as) => {
    const { status, body } = await callControl(control, 'listEvents', caller, { values: { tagId, ...values } })
    return status === 200 ? (body.events as { eventId: string }[]).map(({ eventId }) => eventId) : status
  }
  assert.deepEqual(await list({ orderId: 'A-1001' }), ['order of a buyer'])
  assert.deepEqual(await list({ customerId: 'C-42' }), [])
  assert.equal(await list({ orderId: 'A-1001', customerId: 'C-42' }), 400)
  assert.deepEqual(await list({ orderId: 'A-100' }), [])
  const { token } = await createToken(control.environments.production, { teamId, scopes: ['event:read'] }, 'operator')
  for (const values of [{ orderId: 'A-1001' }, { customerId: 'C-42' }])
    assert.equal(await list(values, { ...as, token }), 403)
})
