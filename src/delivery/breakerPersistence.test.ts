import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRetention } from '#journal/retentionPolicy.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  down,
  journeyOf,
  manyEvents,
  ok,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const rejected = { ...down, status: 401 }
const hourMs = 3_600_000
const withKey = (number: number, version: number) =>
  aTag([aScript('scr_1', { secrets: { KEY: { secretId: 'sec_1', version } } })], { number })

const kinds = (deps: Awaited<ReturnType<typeof openDeliveryHarness>>) =>
  deps.channelEvents.map(({ kind, reason }) => `${kind} ${reason}`)

test('a rejected key pauses the channel: events wait without an attempt, and the owner is alerted once', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => rejected
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'pending keyRejected 1')
  await acceptEvents(harness, manyEvents(harness, 20, 2))
  await harness.clock.turn(60_000)
  await waitForStatus(harness, 'pending keyRejected 0', 'event-21')
  assert.equal(harness.sent.length, 1)
  assert.deepEqual(harness.channelEvents, [
    { kind: 'paused', tagId: 'tag_1', scriptId: 'scr_1', reason: 'keyRejected', at: harness.clock.now() - 60_000 },
  ])
})

test('one delivery an hour probes a rejected key; when it is accepted, all are sent', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => rejected
  harness.start()
  await acceptEvents(harness, manyEvents(harness, 5))
  await waitForStatus(harness, 'pending keyRejected 1', 'event-0')
  const before = harness.sent.length
  harness.clock.set(hourMs)
  await harness.clock.turn(1_000)
  await until('it is tried again', () => harness.sent.length === before + 1)
  harness.vendor.answer = () => ok
  harness.clock.set(hourMs)
  for (let n = 0; n < 5; n++) {
    await harness.clock.turn(1_000)
    await until(
      `event-${n} is delivered`,
      async () => (await journeyOf(harness, `event-${n}`))!.deliveries[0]!.status === 'delivered',
    )
  }
  assert.deepEqual(kinds(harness), ['paused keyRejected', 'resumed keyRejected'])
})

test('the pause of a rejected key outlasts a restart', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => rejected
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'pending keyRejected 1')
  await until('the pause is written', async () => (await harness.disk.store.journal.pauses()).length === 1)
  await harness.crash()
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'event-2' }))
  await waitForStatus(harness, 'pending keyRejected 0', 'event-2')
  await harness.clock.turn(60_000)
  assert.equal(harness.sent.length, 1)
})

test('a changed secret of the script resumes the channel at once', async () => {
  const harness = await openDeliveryHarness(withKey(1, 1))
  await harness.disk.store.journal.pause({
    scriptId: 'scr_1',
    tagId: 'tag_1',
    reason: 'keyRejected',
    since: harness.clock.now(),
    until: harness.clock.now() + hourMs,
    times: 1,
    secrets: JSON.stringify({ KEY: { secretId: 'sec_1', version: 1 } }),
  })
  harness.start()
  await harness.clock.turn(5_000)
  assert.deepEqual(kinds(harness), [])
  harness.snapshots.put(withKey(2, 2))
  await until('the channel continues', async () => {
    await harness.clock.turn(1_000)
    return kinds(harness).includes('resumed keyRejected')
  })
  await until('the pause is written', async () => (await harness.disk.store.journal.pauses()).length === 0)
})

test('a channel that is resumed by hand continues at once', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => rejected
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'pending keyRejected 1')
  await until('the pause is written', async () => (await harness.disk.store.journal.pauses()).length === 1)
  harness.vendor.answer = () => ok
  await harness.disk.store.write([{ drop: 'pause', scriptId: 'scr_1' }])
  await until('it is delivered', async () => {
    await harness.clock.turn(1_000)
    return (await journeyOf(harness, 'event-1'))!.deliveries[0]!.status === 'delivered'
  })
})

test('a vendor that is down is not called after ten failures, and waiting deliveries lose no attempt', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => down
  harness.start()
  await acceptEvents(harness, manyEvents(harness, 16))
  await until('it was tried', () => harness.sent.length === 16)
  await until('its breaker is open', () => kinds(harness).length === 1)
  await acceptEvents(harness, manyEvents(harness, 30, 16))
  await waitForStatus(harness, 'pending vendorDown 0', 'event-45')
  await harness.clock.turn(9_000)
  assert.equal(harness.sent.length, 16)
  harness.vendor.answer = () => ok
  await until('all are delivered', async () => {
    await harness.clock.turn(1_000)
    return (await harness.disk.store.journal.pendingCount()) === 0
  })
  assert.deepEqual(kinds(harness), ['paused vendorDown', 'recovered vendorDown'])
  assert.equal((await journeyOf(harness, 'event-45'))!.deliveries[0]!.attempts.length, 1)
})

/** A channel whose key was rejected six days ago: three events wait, and no probe is due for another day. */
async function sixDaysStopped() {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => rejected
  const worker = harness.start()
  await acceptEvents(harness, manyEvents(harness, 3))
  await waitForStatus(harness, 'pending keyRejected 1', 'event-0')
  await until('the pause is written', async () => (await harness.disk.store.journal.pauses()).length === 1)
  await worker.stop()
  harness.clock.set(6 * 24 * hourMs)
  await harness.disk.store.journal.pause({
    ...(await harness.disk.store.journal.pauses())[0]!,
    until: harness.clock.now() + 24.5 * hourMs,
  })
  return harness
}

test('a delivery that waited a week for a stopped channel is dead: expired, without an attempt', async () => {
  const harness = await sixDaysStopped()
  const before = harness.sent.length
  harness.clock.set(24 * hourMs)
  harness.start()
  await until('they have ended', async () => {
    await harness.clock.turn(1_000)
    return (await harness.disk.store.journal.pendingCount()) === 0
  })
  assert.ok(harness.sent.length - before <= 3)
  await until('the owner is alerted', () =>
    harness.channelEvents.some(({ kind, reason }) => kind === 'dead' && reason === 'expired'),
  )
})

test('if events are kept for two weeks, a delivery that waits for another key can be delivered in the second week', async () => {
  const harness = await sixDaysStopped()
  harness.clock.set(7 * 24 * hourMs)
  harness.vendor.answer = () => ok
  const before = harness.sent.length
  harness.start({ keep: { ...defaultRetention, eventsMs: 14 * 24 * hourMs } })
  await until('they have ended', async () => {
    await harness.clock.turn(1_000)
    return (await harness.disk.store.journal.pendingCount()) === 0
  })
  const accepted = harness.sent.slice(before).map(({ json }) => json.eventId)
  assert.deepEqual(accepted.sort(), ['event-0', 'event-1', 'event-2'])
  assert.ok(!harness.channelEvents.some(({ kind }) => kind === 'dead'))
})
