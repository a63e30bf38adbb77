import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '#kit/log.ts'
import { eraseWaiting } from '#script/erase.ts'
import type { DueDelivery, Settled } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { accept, ends, journeyOf, manyEvents, openHouse } from '../../test/fake/house.ts'
import { aDelivery, fakeJournal } from '../../test/fake/journal.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { perLane } from './channel.ts'
import { openLanes } from './lanes.ts'
import { queuedAtMost } from './memory.ts'
import { openRound } from './round.ts'

const tagWith = (number: number, ...paused: string[]) =>
  aTag(
    ['scr_1', 'scr_2'].map((scriptId) => aScript(scriptId, paused.includes(scriptId) ? { paused: true } : {})),
    { number },
  )

test('the deliveries of a paused script wait, pending, while another goes on; resumed, they are made', async () => {
  const house = await openHouse(tagWith(1, 'scr_1'))
  house.start()
  await accept(house, manyEvents(house, 5))
  await ends(house, 'delivered 1', 'event-4', 1)
  await house.clock.turn(3_600_000)
  for (let n = 0; n < 5; n++) {
    const [paused] = (await journeyOf(house, `event-${n}`))!.deliveries
    assert.deepEqual([paused!.status, paused!.attempts], ['pending', []])
  }
  house.snapshots.put(tagWith(2))
  await house.clock.turn(1_000)
  for (let n = 0; n < 5; n++) await ends(house, 'delivered 1', `event-${n}`, 0)
  assert.equal(house.sent.length, 10)
})

test('a restart keeps a pause: what waits is found again when the script is resumed', async () => {
  const house = await openHouse(tagWith(1, 'scr_1'))
  house.start()
  await accept(house, anEvent(house.clock.now()))
  await ends(house, 'delivered 1', 'event-1', 1)
  await house.crash()
  house.start()
  await house.clock.turn(10_000)
  assert.equal(house.sent.length, 1)
  house.snapshots.put(tagWith(2))
  await house.clock.turn(1_000)
  await ends(house, 'delivered 1', 'event-1', 0)
})

test('a retry that comes due during a pause is made after it', async () => {
  const house = await openHouse(tagWith(1))
  house.vendor.answer = () => ({ status: 503, headers: {}, body: '', durationMs: 1 })
  house.start()
  await accept(house, anEvent(house.clock.now()))
  await ends(house, 'pending vendorDown 1', 'event-1', 0)
  house.snapshots.put(tagWith(2, 'scr_1'))
  await house.clock.turn(10_000)
  await ends(house, 'pending vendorDown 2', 'event-1', 1)
  await ends(house, 'pending vendorDown 1', 'event-1', 0)
  house.snapshots.put(tagWith(3))
  await house.clock.turn(1_000)
  await ends(house, 'pending vendorDown 2', 'event-1', 0)
})

test('what waits for a script that is gone ends dead: erased, without an attempt, when it is erased', async () => {
  const house = await openHouse(tagWith(1, 'scr_1', 'scr_2'))
  house.start()
  await accept(house, manyEvents(house, 3))
  await ends(house, 'pending 0', 'event-2', 0)
  await eraseWaiting(['scr_1'], house.disk.store.journal)
  for (let n = 0; n < 3; n++) {
    await ends(house, 'dead erased 0', `event-${n}`, 0)
    await ends(house, 'pending 0', `event-${n}`, 1)
  }
})

/** Lanes in which nothing ends by itself. */
function lanesOf(deliveries: readonly DueDelivery[]) {
  const clock = turnedClock()
  const paused = new Set<string>()
  const kept = fakeJournal(deliveries)
  const tried: string[] = []
  const asked: string[] = []
  const { due } = kept.journal
  kept.journal.due = (scriptId, ...more) => {
    asked.push(scriptId)
    return due(scriptId, ...more)
  }
  const lanes = openLanes({
    clock,
    log: silent,
    store: kept,
    snapshots: { isPaused: (scriptId) => paused.has(scriptId), get: () => undefined },
    settled: { ended() {} },
    told() {},
    mostOf: () => 1,
    hungry() {},
    giveUp: new AbortController().signal,
    attempt(deliveries) {
      tried.push(...deliveries.map(({ deliveryId }) => deliveryId))
      return new Promise<Settled[]>(() => {})
    },
  })
  return { lanes, paused, tried, asked }
}

test('a paused script is not asked for in the store, however often the lanes are refilled', async () => {
  const { lanes, paused, tried, asked } = lanesOf([aDelivery('dlv_1', 'scr_1')])
  paused.add('scr_1')
  lanes.stored('scr_1')
  for (let n = 0; n < 20; n++) await lanes.refill()
  assert.deepEqual([asked, tried], [[], []])
  paused.clear()
  await lanes.refill()
  await until('it is tried', () => tried.length === 1)
  assert.deepEqual(asked, ['scr_1'])
})

test('paused scripts take no room from the others, also those that were paused with full lanes', () => {
  const paused = new Set<string>()
  const snapshots = { isPaused: (scriptId: string) => paused.has(scriptId), get: () => undefined }
  const round = openRound({ clock: turnedClock(), snapshots, mostOf: () => 1 })
  const channels = Array.from({ length: queuedAtMost / perLane.queued }, (_, n) => round.channel(`scr_${n}`))
  for (const channel of channels)
    for (let n = 0; n < perLane.queued; n++) round.add(channel, aDelivery(`${channel.scriptId}-${n}`, channel.scriptId))
  const other = round.channel('scr_other')
  assert.equal(round.room(other, 'fresh'), 0)
  for (const { scriptId } of channels) paused.add(scriptId)
  for (const channel of channels) round.look(channel)
  assert.equal(round.room(other, 'fresh'), perLane.queued)
  assert.deepEqual([round.take(), round.room(channels[0]!, 'fresh'), channels[0]!.lines.fresh.hasMore], [[], 0, true])
})
