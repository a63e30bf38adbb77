import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Journey } from '#contract/journey.ts'
import { check } from '#contract/schema.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { sealRecord } from '#event/record.ts'
import { ask, makeCustomer, makeEvent, openControl } from '../../test/fake/control.ts'

const control = await openControl()
after(control.close)
const as = await makeCustomer(control)
const { tagId } = as
const { store, stream, keys } = control.worlds.production
const journey = (eventId: string, caller?: string) =>
  ask(control, 'readEvent', as, { values: { tagId, eventId, ...(caller && { caller }) } })

test('a journey shows the event, the consent that decided and each delivery with its reason', async () => {
  await makeEvent(control, as, 'first')
  const { status, body } = await journey('first')
  assert.equal(status, 200)
  assert.deepEqual(check(Journey)(body), [])
  const { deliveries, ...event } = body
  assert.deepEqual(event, {
    eventId: 'first',
    eventName: 'Purchase',
    userId: 'usr_1',
    receivedAt: control.clock.now(),
    caller: 'untrusted',
    consent: { source: 'event', decided: { all: true } },
    place: { source: 'unknown' },
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

test('an event that waits to be planned names its own person, where the body of a server holds several people', async () => {
  const receivedAt = control.clock.now()
  const named = { presented: true, trusted: true, userId: 'usr_a', userIds: ['usr_a', 'usr_b'] }
  const context = { tagId, teamId: as.teamId, receivedAt, ...named }
  const events = ['of a', 'of b'].map((eventId) => ({ eventName: 'Purchase', eventId, timestamp: receivedAt }))
  const payload = sealRecord([{ context, body: Buffer.from(JSON.stringify(events)) }], context, keys)
  await stream.append({ tagId, payload, ...dedupKeys(['of a', 'of b'], context, keys) })
  const people = await Promise.all(events.map(async ({ eventId }) => (await journey(eventId)).body.userId))
  assert.deepEqual(people, ['usr_a', 'usr_b'])
  assert.deepEqual((await journey('of b')).body.deliveries, [])
})

/** Accepts an event by this context and leaves it to be planned. */
async function accept(eventId: string, { space, ...more }: { userId: string; trusted: boolean; space?: boolean }) {
  const receivedAt = control.clock.now()
  const context = { tagId, teamId: as.teamId, receivedAt, presented: true, ...more }
  const body = Buffer.from(JSON.stringify({ eventName: 'Purchase', eventId, timestamp: receivedAt }))
  const found = dedupKeys([eventId], { ...context, trusted: space ?? more.trusted }, keys)
  return stream.append({ tagId, payload: sealRecord([{ context, body }], context, keys), ...found })
}

test('of an id that both kinds of callers used the journey is that of the trusted one; ?caller= chooses', async () => {
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

test('the journey of a caller who sent no such event is 404', async () => {
  await accept('only of the shop', { userId: 'usr_shop', trusted: true })
  assert.equal((await journey('only of the shop', 'untrusted')).status, 404)
})

test('an untrusted event that was taken before there were two spaces is found, and is a repeat in both', async () => {
  await accept('old', { userId: 'usr_old', trusted: false, space: true })
  for (const caller of [undefined, 'untrusted']) {
    const { body } = await journey('old', caller)
    assert.deepEqual([body.userId, body.caller], ['usr_old', 'untrusted'])
  }
  assert.equal((await journey('old', 'trusted')).status, 404)
  assert.deepEqual(await accept('old', { userId: 'usr_old', trusted: false }), [false])
  assert.deepEqual(await accept('old', { userId: 'usr_old', trusted: true }), [false])
})

test('a journey shows each attempt with when, how long and what came back', async () => {
  await makeEvent(control, as, 'tried')
  const place = await stream.find(keys.team(as.teamId).eventKey(tagId, 'tried', false))
  const planned = await store.journal.event(tagId, place!.position, place!.index)
  const { deliveryId } = planned!.deliveries[0]!
  const attempt = { deliveryId, number: 1, at: 5, durationMs: 7, httpStatus: 503, message: 'busy' }
  await store.journal.settle([{ deliveryId, status: 'pending', reason: 'vendorDown', nextAt: 99, attempt }])
  const [delivery] = (await journey('tried')).body.deliveries as [Record<string, unknown>]
  assert.deepEqual([delivery.status, delivery.reason, delivery.nextAt], ['pending', 'vendorDown', 99])
  assert.deepEqual(delivery.attempts, [{ at: 5, durationMs: 7, status: 503, message: 'busy' }])
})

test('an event that is accepted and not planned yet has a journey without deliveries', async () => {
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
  const first = await ask(control, 'listEvents', own, { values: { tagId: own.tagId, limit: 2 } })
  const { events, next } = first.body as { events: { eventId: string }[]; next: string }
  assert.deepEqual(
    events.map(({ eventId }) => eventId),
    ['three', 'two'],
  )
  const second = await ask(control, 'listEvents', own, { values: { tagId: own.tagId, limit: 2, cursor: next } })
  assert.deepEqual(second.body, {
    events: [
      {
        eventId: 'one',
        eventName: 'Purchase',
        userId: 'usr_1',
        receivedAt: control.clock.now(),
        caller: 'untrusted',
      },
    ],
  })
})

test('an event whose body is no longer kept has no id to be listed by; its journey can still be asked for', async () => {
  const own = await makeCustomer(control)
  await makeEvent(control, own, 'trimmed')
  const place = await stream.find(keys.team(own.teamId).eventKey(own.tagId, 'trimmed', false))
  const leased = await stream.lease(500, AbortSignal.timeout(1_000))
  await stream.settle(leased.map(({ position }) => position))
  assert.ok(leased.some(({ position }) => position === place!.position))
  await control.clock.turn(1_000)
  await stream.trim(control.clock.now())
  const list = await ask(control, 'listEvents', own, { values: { tagId: own.tagId } })
  assert.deepEqual(list.body, { events: [] })
  const told = await ask(control, 'readEvent', own, { values: { tagId: own.tagId, eventId: 'trimmed' } })
  assert.deepEqual([told.status, told.body.eventName], [200, 'Purchase'])
})
