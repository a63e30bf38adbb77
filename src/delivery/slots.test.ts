import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SlotOwnership } from '#cluster/cluster.ts'
import { slotOf } from '#cluster/slotOf.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  manyEvents,
  ok,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const slot = slotOf('tag_1')

/** An ownership of one slot that a test can take away. */
function anOwnership(memberId: string) {
  const state = { slots: [slot] as readonly number[], mayStart: true }
  const ownership: SlotOwnership = {
    memberId,
    slots: () => state.slots,
    owns: (tagId) => state.slots.includes(slotOf(tagId)),
    mayStart: () => state.mayStart,
    reportLost() {},
  }
  return { state, ownership }
}

/** Starts a worker of slots on the data of a harness. */
function startOwner(harness: DeliveryHarness, memberId: string) {
  const { state, ownership } = anOwnership(memberId)
  return { state, worker: harness.start({ ownership }) }
}

const sentIds = ({ sent }: DeliveryHarness) => sent.map(({ json }) => json.eventId)

test('a worker plans no record of a slot that it does not own', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const { state } = startOwner(harness, 'one')
  state.slots = []
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await harness.clock.turn(5_000)
  assert.deepEqual(harness.sent, [])
  assert.equal(await harness.disk.stream.waiting(), 1)
})

test('a worker that may start no call sends what waits as soon as it may', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const { state } = startOwner(harness, 'one')
  state.mayStart = false
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await until('it is planned', async () => (await harness.disk.stream.waiting()) === 0)
  await harness.clock.turn(2_000)
  assert.deepEqual(harness.sent, [])
  state.mayStart = true
  await harness.clock.turn(2_000)
  await waitForStatus(harness, 'delivered 1')
})

test('a slot is released when the calls of its tags have ended, and its next owner sends what remains once', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const answered = Promise.withResolvers<typeof ok>()
  harness.vendor.answer = () => answered.promise
  const { state, worker } = startOwner(harness, 'one')
  await acceptEvents(harness, manyEvents(harness, 100))
  await until('calls are in flight', () => harness.sent.length > 0)
  await until('all is planned', async () => (await harness.disk.stream.waiting()) === 0)
  const inFlight = harness.sent.length
  assert.ok(inFlight < 100)
  state.slots = []
  let isReleased = false
  const released = worker.release([slot]).then(() => {
    isReleased = true
  })
  await harness.clock.turn(2_000)
  assert.ok(!isReleased)
  answered.resolve(ok)
  await released
  assert.equal(harness.sent.length, inFlight)
  startOwner(harness, 'two')
  await until('all have arrived', async () => (await harness.disk.store.journal.pendingCount()) === 0)
  assert.equal(harness.sent.length, 100)
  assert.equal(new Set(sentIds(harness)).size, 100)
})

test('a worker whose lease is lost writes no outcome, and the next owner sends again what was in flight', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const answered = Promise.withResolvers<typeof ok>()
  harness.vendor.answer = () => answered.promise
  const { state, worker } = startOwner(harness, 'one')
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await until('its call is in flight', () => harness.sent.length === 1)
  await until('it is planned', async () => (await harness.disk.stream.waiting()) === 0)
  Object.assign(state, { slots: [], mayStart: false })
  worker.lost()
  harness.vendor.answer = () => ok
  startOwner(harness, 'two')
  await waitForStatus(harness, 'delivered 1')
  assert.equal(harness.sent.length, 2)
  answered.resolve(ok)
  await worker.stop()
})

test('slots that are gained later are polled from the beginning', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => ({ ...ok, status: 503 })
  const first = startOwner(harness, 'one')
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'pending vendorDown 1')
  first.state.slots = []
  await first.worker.release([slot])
  const { ownership, state } = anOwnership('two')
  state.slots = []
  const worker = harness.start({ ownership })
  await harness.clock.turn(60_000)
  assert.equal(harness.sent.length, 1)
  harness.vendor.answer = () => ok
  await worker.gained([slot])
  state.slots = [slot]
  worker.changed([slot])
  await harness.clock.turn(60_000)
  await waitForStatus(harness, 'delivered 2')
})
