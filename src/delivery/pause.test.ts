import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeOwnership } from '#cluster/inProcess.ts'
import { openActivity } from '#kit/activity.ts'
import { silentLog } from '#kit/log.ts'
import { cancelWaitingDeliveries } from '#script/cancelWaitingDeliveries.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  journeyOf,
  manyEvents,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { aDelivery, fakeJournal } from '../../test/fake/journal.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { queueLimits } from './deliveryQueues.ts'
import { openDispatcher } from './dispatcher.ts'
import { maxQueued } from './queueBudget.ts'
import { openScheduler } from './scheduler.ts'

const tagOfTwo = aTag(['scr_1', 'scr_2'].map((scriptId) => aScript(scriptId)))

/** A harness in which these scripts are paused. */
async function openPaused(...scriptIds: string[]) {
  const harness = await openDeliveryHarness(tagOfTwo)
  for (const scriptId of scriptIds) harness.snapshots.setPaused(scriptId, true)
  return harness
}

test('the deliveries of a paused script stay pending while another script continues, and are sent when the script is resumed', async () => {
  const harness = await openPaused('scr_1')
  harness.start()
  await acceptEvents(harness, manyEvents(harness, 5))
  await waitForStatus(harness, 'delivered 1', 'event-4', 1)
  await harness.clock.turn(3_600_000)
  for (let n = 0; n < 5; n++) {
    const [paused] = (await journeyOf(harness, `event-${n}`))!.deliveries
    assert.deepEqual([paused!.status, paused!.attempts], ['pending', []])
  }
  harness.snapshots.setPaused('scr_1', false)
  await harness.clock.turn(1_000)
  for (let n = 0; n < 5; n++) await waitForStatus(harness, 'delivered 1', `event-${n}`, 0)
  assert.equal(harness.sent.length, 10)
})

test('a pause outlasts a restart, and waiting deliveries are sent when the script is resumed', async () => {
  const harness = await openPaused('scr_1')
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'delivered 1', 'event-1', 1)
  await harness.crash()
  harness.start()
  await harness.clock.turn(10_000)
  assert.equal(harness.sent.length, 1)
  harness.snapshots.setPaused('scr_1', false)
  await harness.clock.turn(1_000)
  await waitForStatus(harness, 'delivered 1', 'event-1', 0)
})

test('a retry that becomes due during a pause is made after it', async () => {
  const harness = await openPaused()
  harness.vendor.answer = () => ({ status: 503, headers: {}, body: '', durationMs: 1 })
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'pending vendorDown 1', 'event-1', 0)
  harness.snapshots.setPaused('scr_1', true)
  await harness.clock.turn(10_000)
  await waitForStatus(harness, 'pending vendorDown 2', 'event-1', 1)
  await waitForStatus(harness, 'pending vendorDown 1', 'event-1', 0)
  harness.snapshots.setPaused('scr_1', false)
  await harness.clock.turn(1_000)
  await waitForStatus(harness, 'pending vendorDown 2', 'event-1', 0)
})

test('a waiting delivery of a deleted script is dead: erased, without an attempt', async () => {
  const harness = await openPaused('scr_1', 'scr_2')
  harness.start()
  await acceptEvents(harness, manyEvents(harness, 3))
  await waitForStatus(harness, 'pending 0', 'event-2', 0)
  await cancelWaitingDeliveries(['scr_1'], harness.disk.store.journal)
  for (let n = 0; n < 3; n++) {
    await waitForStatus(harness, 'dead erased 0', `event-${n}`, 0)
    await waitForStatus(harness, 'pending 0', `event-${n}`, 1)
  }
})

/** A dispatcher whose attempts never end. */
function openTestDispatcher(deliveries: readonly DueDelivery[]) {
  const clock = turnedClock()
  const paused = new Set<string>()
  const fake = fakeJournal(deliveries)
  const attempted: string[] = []
  const reads: string[] = []
  const { due } = fake.journal
  fake.journal.due = (requests, nowMs) => {
    reads.push(...requests.map(({ scriptId }) => scriptId))
    return due(requests, nowMs)
  }
  const dispatcher = openDispatcher({
    ownership: wholeOwnership,
    activity: openActivity(),
    clock,
    log: silentLog,
    store: fake,
    snapshots: { isPaused: (scriptId) => paused.has(scriptId), get: () => undefined },
    completions: { notify() {} },
    onChannelEvent() {},
    batchLimits: () => ({ maxEvents: 1, waitMs: 0 }),
    requestRefill() {},
    giveUp: new AbortController().signal,
    attempt(deliveries) {
      attempted.push(...deliveries.map(({ deliveryId }) => deliveryId))
      return new Promise<DeliveryOutcome[]>(() => {})
    },
  })
  return { dispatcher, paused, attempted, reads }
}

test('the store is not read for a paused script, however often the queues are refilled', async () => {
  const { dispatcher, paused, attempted, reads } = openTestDispatcher([aDelivery('dlv_1', 'scr_1')])
  paused.add('scr_1')
  dispatcher.markStored('scr_1')
  for (let n = 0; n < 20; n++) await dispatcher.refill()
  assert.deepEqual([reads, attempted], [[], []])
  paused.clear()
  await dispatcher.refill()
  await until('it is tried', () => attempted.length === 1)
  assert.deepEqual(reads, ['scr_1'])
})

test('paused scripts take no queue space from others, even if they were paused with full queues', () => {
  const paused = new Set<string>()
  const snapshots = { isPaused: (scriptId: string) => paused.has(scriptId), get: () => undefined }
  const scheduler = openScheduler({ clock: turnedClock(), snapshots, batchLimits: () => ({ maxEvents: 1, waitMs: 0 }) })
  const channels = Array.from({ length: maxQueued / queueLimits.queued }, (_, n) => scheduler.channel(`scr_${n}`))
  for (const channel of channels)
    for (let n = 0; n < queueLimits.queued; n++)
      scheduler.add(channel, aDelivery(`${channel.scriptId}-${n}`, channel.scriptId))
  const other = scheduler.channel('scr_other')
  assert.equal(scheduler.capacity(other, 'new'), 0)
  for (const { scriptId } of channels) paused.add(scriptId)
  for (const channel of channels) scheduler.refresh(channel)
  assert.equal(scheduler.capacity(other, 'new'), queueLimits.queued)
  assert.deepEqual(
    [scheduler.startBatches(), scheduler.capacity(channels[0]!, 'new'), channels[0]!.queues.hasStored('new')],
    [[], 0, true],
  )
})
