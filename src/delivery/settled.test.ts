import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JournalEvent } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { watchSettled } from './settled.ts'

type Deliveries = JournalEvent['deliveries']
const delivery = (status: Deliveries[number]['status']): Deliveries[number] => ({
  deliveryId: 'dlv_1',
  scriptId: 'scr_1',
  providerId: 'eventSink',
  status,
  attempts: [],
})

/** A journal in which one event stands as `deliveries` says; undefined while it is not planned. */
function house(deliveries?: Deliveries) {
  const clock = turnedClock()
  const stands = {
    deliveries,
    reads: 0,
    place: { position: 4, index: 1 } as { position: number; index: number } | undefined,
  }
  const event = async () => {
    stands.reads++
    return stands.deliveries && ({ deliveries: stands.deliveries } as JournalEvent)
  }
  const watch = watchSettled({ clock, stream: { find: async () => stands.place }, store: { journal: { event } } })
  let told: Deliveries | undefined
  const wait = () => void watch.deliveriesOf('tag_1', 5n, 10_000).then((all) => (told = all))
  return { clock, stands, watch, wait, told: () => told }
}
const place = { position: 4, index: 1 }

test('what has ended is told at once', async () => {
  const { wait, told, stands } = house([delivery('delivered')])
  wait()
  await until('it is told', told)
  assert.deepEqual(told(), [delivery('delivered')])
  assert.equal(stands.reads, 1)
})

test('what is under way is told when it has ended, and the journal is read no more than something ends', async () => {
  const { wait, told, stands, watch } = house()
  wait()
  await until('it is looked for', () => stands.reads === 1)
  watch.ended({ position: 4, index: 0 })
  watch.ended({ position: 5, index: 1 })
  stands.deliveries = [delivery('pending')]
  watch.ended(place)
  await until('it is looked at again', () => stands.reads === 2)
  stands.deliveries = [delivery('delivered')]
  watch.ended(place)
  await until('it is told', told)
  assert.equal(stands.reads, 3)
})

test('what does not end is told as it stands, after the time that one waits', async () => {
  const { wait, told, clock } = house([delivery('pending')])
  wait()
  await clock.turn(9_999)
  assert.equal(told(), undefined)
  await clock.turn(1)
  await until('it is told', told)
  assert.deepEqual(told(), [delivery('pending')])
})

test('an event that was not planned in that time has no deliveries yet', async () => {
  const { wait, told, clock } = house()
  wait()
  await clock.turn(10_000)
  await until('it is told', told)
  assert.deepEqual(told(), [])
})

test('what ends in another process is found within a second', async () => {
  const { wait, told, clock, stands } = house([delivery('pending')])
  wait()
  await until('it is looked for', () => stands.reads === 1)
  stands.deliveries = [delivery('delivered')]
  await clock.turn(1_000)
  await until('it is told', told)
})

test('what is held is not waited for', async () => {
  const { wait, told } = house([delivery('held'), delivery('skipped')])
  wait()
  await until('it is told', told)
})

test('an event that the stream does not know has none', async () => {
  const { wait, told, stands } = house()
  stands.place = undefined
  wait()
  await until('it is told', told)
  assert.deepEqual([told(), stands.reads], [[], 0])
})
