import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JournalEvent } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { watchCompletions } from './completionWatcher.ts'

type Deliveries = JournalEvent['deliveries']
const delivery = (status: Deliveries[number]['status']): Deliveries[number] => ({
  deliveryId: 'dlv_1',
  scriptId: 'scr_1',
  providerId: 'eventSink',
  status,
  at: 0,
  attempts: [],
})

/** A watcher on a journal that has one event with these deliveries; undefined while the event is not planned. */
function openWatcher(deliveries?: Deliveries) {
  const clock = turnedClock()
  const journal = {
    deliveries,
    reads: 0,
    place: { position: 4, index: 1 } as { position: number; index: number } | undefined,
  }
  const event = async () => {
    journal.reads++
    return journal.deliveries && ({ deliveries: journal.deliveries } as JournalEvent)
  }
  const watcher = watchCompletions({
    clock,
    stream: { find: async () => journal.place },
    store: { journal: { event } },
  })
  let result: Deliveries | undefined
  const startWaiting = () => void watcher.deliveriesOf('tag_1', 5n, 10_000).then((all) => (result = all))
  return { clock, journal, watcher, startWaiting, result: () => result }
}
const place = { position: 4, index: 1 }

test('complete deliveries are returned at once', async () => {
  const { startWaiting, result, journal } = openWatcher([delivery('delivered')])
  startWaiting()
  await until('the deliveries are returned', result)
  assert.deepEqual(result(), [delivery('delivered')])
  assert.equal(journal.reads, 1)
})

test('pending deliveries are returned when they end, and the journal is read only when a delivery of the event ends', async () => {
  const { startWaiting, result, journal, watcher } = openWatcher()
  startWaiting()
  await until('the journal is read', () => journal.reads === 1)
  watcher.notify({ position: 4, index: 0 })
  watcher.notify({ position: 5, index: 1 })
  journal.deliveries = [delivery('pending')]
  watcher.notify(place)
  await until('the journal is read again', () => journal.reads === 2)
  journal.deliveries = [delivery('delivered')]
  watcher.notify(place)
  await until('the deliveries are returned', result)
  assert.equal(journal.reads, 3)
})

test('deliveries that do not end are returned as they are after the wait', async () => {
  const { startWaiting, result, clock } = openWatcher([delivery('pending')])
  startWaiting()
  await clock.turn(9_999)
  assert.equal(result(), undefined)
  await clock.turn(1)
  await until('the deliveries are returned', result)
  assert.deepEqual(result(), [delivery('pending')])
})

test('an event that is not planned in time has no deliveries', async () => {
  const { startWaiting, result, clock } = openWatcher()
  startWaiting()
  await clock.turn(10_000)
  await until('the deliveries are returned', result)
  assert.deepEqual(result(), [])
})

test('a delivery that ends in another process is found within a second', async () => {
  const { startWaiting, result, clock, journal } = openWatcher([delivery('pending')])
  startWaiting()
  await until('the journal is read', () => journal.reads === 1)
  journal.deliveries = [delivery('delivered')]
  await clock.turn(1_000)
  await until('the deliveries are returned', result)
})

test('a held delivery does not delay the result', async () => {
  const { startWaiting, result } = openWatcher([delivery('held'), delivery('skipped')])
  startWaiting()
  await until('the deliveries are returned', result)
})

test('an event that the stream does not have has no deliveries', async () => {
  const { startWaiting, result, journal } = openWatcher()
  journal.place = undefined
  startWaiting()
  await until('the deliveries are returned', result)
  assert.deepEqual([result(), journal.reads], [[], 0])
})
