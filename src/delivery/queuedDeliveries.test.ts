import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeOwnership } from '#cluster/inProcess.ts'
import { openActivity } from '#kit/activity.ts'
import { silentLog } from '#kit/log.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { aDelivery, fakeJournal } from '../../test/fake/journal.ts'
import { windowSizes } from './concurrencyWindow.ts'
import { openDispatcher } from './dispatcher.ts'

/** A dispatcher on a fake journal, whose attempts never end unless `attempt` says so. */
function openTestDispatcher(attempt?: () => DeliveryOutcome) {
  const fake = fakeJournal()
  const attempted: string[] = []
  const dispatcher = openDispatcher({
    ownership: wholeOwnership,
    activity: openActivity(),
    clock: turnedClock(),
    log: silentLog,
    store: fake,
    snapshots: { isPaused: () => false, get: () => undefined },
    completions: { notify() {} },
    onChannelEvent() {},
    batchLimits: () => ({ maxEvents: 1, waitMs: 0 }),
    attempt: async (deliveries) => {
      attempted.push(...deliveries.map(({ deliveryId }) => deliveryId))
      return attempt ? [attempt()] : new Promise(() => {})
    },
    requestRefill() {},
    giveUp: new AbortController().signal,
  })
  const offer = (delivery: DueDelivery) => {
    fake.add(delivery)
    dispatcher.offer(delivery)
  }
  return { ...fake, dispatcher, attempted, offer }
}

test('a queue that is not empty reads the due deliveries of its channel too', async () => {
  const { dispatcher, offer, add, attempted } = openTestDispatcher()
  for (let n = 0; n < windowSizes.initial + 10; n++) offer(aDelivery(`waiting-${n}`, 'scr_1'))
  await until('the window is full', () => attempted.length === windowSizes.initial)
  const stored = aDelivery('stored', 'scr_1')
  add(stored)
  dispatcher.markStored('scr_1')
  await dispatcher.refill()
  assert.ok(dispatcher.has(stored))
})

test('a call whose plan is given up is no longer in flight, so that a stop does not wait for it', async () => {
  const { dispatcher, offer, attempted } = openTestDispatcher(() => ({ deliveryId: 'one', status: 'delivered' }))
  offer({ ...aDelivery('one', 'scr_1'), planned: { isWritten: false, written: Promise.resolve(false) } })
  await until('it is attempted and given up', () => attempted.length === 1 && dispatcher.busy() === 0)
})
