import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  down,
  journeyOf,
  ok,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

test('a first attempt that a crash interrupted is made again as soon as a worker starts, and does not count', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => new Promise(() => {})
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await until('it is sent', () => harness.sent.length === 1)
  await until('its record is settled', async () => (await harness.disk.stream.waiting()) === 0)
  await harness.crash()
  harness.vendor.answer = () => ok
  harness.start()
  await waitForStatus(harness, 'delivered 1')
  assert.equal((await journeyOf(harness, 'event-1'))!.deliveries[0]!.attempts[0]!.number, 1)
  assert.equal(harness.sent.length, 2)
})

test('a retry that a crash interrupted is made again as soon as a worker starts, and counts', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => down
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'pending vendorDown 1')
  await until('its record is settled', async () => (await harness.disk.stream.waiting()) === 0)
  harness.vendor.answer = () => new Promise(() => {})
  await harness.clock.turn(5_000)
  await until('it is sent again', () => harness.sent.length === 2)
  await harness.crash()
  harness.vendor.answer = () => ok
  harness.start()
  await waitForStatus(harness, 'delivered 2')
  const numbers = (await journeyOf(harness, 'event-1'))!.deliveries[0]!.attempts.map(({ number }) => number)
  assert.deepEqual(numbers, [1, 3])
  assert.equal(harness.sent.length, 3)
})

/** Returns a function that is true once the store was asked for due deliveries. */
function notePoll({ disk }: DeliveryHarness): () => boolean {
  const { nextDue } = disk.store.journal
  let isPolled = false
  disk.store.journal.nextDue = (afterMs) => nextDue(afterMs).finally(() => (isPolled = true))
  return () => isPolled
}

test('an event during whose attempts five processes ended is dead: poison; other events are delivered', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = ({ json }) => (json.eventId === 'deadly' ? new Promise(() => {}) : ok)
  const delaysMs = [0, 0, 30_000, 120_000, 600_000]
  for (const [before, delayMs] of delaysMs.entries()) {
    const isPolled = notePoll(harness)
    harness.start()
    // A first attempt would not count as crashed if a poll stored its row while it was in flight.
    await until('the store is polled', isPolled)
    if (before === 0) await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'deadly' }))
    await harness.clock.turn(delayMs)
    await until('it is sent', () => harness.sent.filter(({ json }) => json.eventId === 'deadly').length > before)
    await until('it is planned', async () => (await harness.disk.stream.waiting()) === 0)
    await harness.crash()
  }
  harness.start()
  await waitForStatus(harness, 'dead poison 0', 'deadly')
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'event-2' }))
  await waitForStatus(harness, 'delivered 1', 'event-2')
  assert.deepEqual(
    harness.channelEvents.map(({ kind, reason }) => `${kind} ${reason}`),
    ['dead poison'],
  )
})
