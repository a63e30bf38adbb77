import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { windowSizes } from './concurrencyWindow.ts'
import { delivered, openTestDispatcher } from './dispatcher.fixture.ts'

test('a queue that is not empty reads the due deliveries of its channel too', async () => {
  const { dispatcher, offer, add, attempted } = openTestDispatcher(() => new Promise(() => {}))
  offer(Array.from({ length: windowSizes.initial + 10 }, (_, n) => aDelivery(`waiting-${n}`, 'scr_1')))
  await until('the window is full', () => attempted.length === windowSizes.initial)
  const stored = aDelivery('stored', 'scr_1')
  add(stored)
  dispatcher.markStored('scr_1')
  await dispatcher.refill()
  assert.ok(dispatcher.has(stored))
})

test('a call whose plan is given up is no longer in flight, so that a stop does not wait for it', async () => {
  const { dispatcher, offer, attempted } = openTestDispatcher(delivered)
  offer([{ ...aDelivery('one', 'scr_1'), planned: { isWritten: false, written: Promise.resolve(false) } }])
  await until('it is attempted and given up', () => attempted.length === 1 && dispatcher.busy() === 0)
})
