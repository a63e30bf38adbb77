import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DueDelivery } from '#store/store.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { aTag } from '../../test/fake/tag.ts'
import { lingerMs } from './channel.ts'
import { concurrencyCaps, type InFlightBatch } from './concurrencyLimits.ts'
import { openScheduler } from './scheduler.ts'

/** A scheduler for tags whose team is the first letter of their id; a call has up to `maxEvents` events. */
function openTestScheduler(maxEvents = 1, isPaused = (_scriptId: string) => false) {
  const clock = turnedClock()
  const snapshots = { isPaused, get: (tagId: string) => aTag([], { tagId, teamId: tagId[0]! }) }
  const scheduler = openScheduler({ clock, snapshots, batchLimits: () => ({ maxEvents, waitMs: lingerMs }) })
  const add = (scriptId: string, ids: readonly (string | number)[], more: Partial<DueDelivery> = {}) => {
    for (const id of ids) scheduler.add(scheduler.channel(scriptId), aDelivery(`${scriptId}${id}`, scriptId, more))
  }
  const startBatches = () => {
    const batches = scheduler.startBatches()
    return { batches, ids: batches.map(({ deliveries }) => deliveries.map(({ deliveryId }) => deliveryId).join('+')) }
  }
  const finish = (batch: InFlightBatch) => {
    scheduler.callEnded(batch)
    scheduler.outcomesWritten(batch)
  }
  return { clock, scheduler, add, startBatches, finish }
}
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

test('teams take turns, and so do the channels of each', () => {
  const { add, startBatches } = openTestScheduler()
  add('a1-', [0, 1, 2], { tagId: 'a' })
  add('a2-', [0, 1], { tagId: 'a' })
  add('b1-', [0, 1, 2], { tagId: 'b' })
  assert.deepEqual(startBatches().ids, ['a1-0', 'b1-0', 'a2-0', 'b1-1', 'a1-1', 'b1-2', 'a2-1', 'a1-2'])
})

test('a team with a hundred busy channels leaves another team half of the turns', () => {
  const { add, startBatches } = openTestScheduler()
  for (const n of numbers(100)) add(`a${n}-`, numbers(10), { tagId: 'a' })
  add('b-', numbers(16), { tagId: 'b' })
  assert.equal(
    startBatches()
      .ids.slice(0, 32)
      .filter((id) => id.startsWith('b')).length,
    16,
  )
})

test('the maximum of calls in flight is the window for a channel, 256 for a host and 1,024 for a team', () => {
  const { scheduler, add, startBatches, finish } = openTestScheduler()
  add('a1-', numbers(100), { tagId: 'a' })
  assert.equal(startBatches().ids.length, 16)
  for (const n of numbers(40)) {
    add(`c${n}-`, numbers(16), { tagId: 'c' })
    scheduler.channel(`c${n}-`).beginCall('vendor.example')
  }
  const batches = startBatches().batches.filter(({ host }) => host !== '')
  assert.equal(batches.length, concurrencyCaps.perHost)
  finish(batches[0]!)
  assert.equal(startBatches().ids.length, 1)
  for (const n of numbers(200)) add(`d${n}-`, numbers(16), { tagId: 'd' })
  assert.equal(startBatches().batches.filter(({ teamId }) => teamId === 'd').length, concurrencyCaps.perTeam)
})

test('a call that ends lets the next channel go that waits for its host, in turns of teams, and checks no other', () => {
  const { clock, scheduler, add, startBatches, finish } = openTestScheduler()
  const ask = (scriptId: string, tagId: string, deliveries: number) => {
    scheduler.channel(scriptId).beginCall('vendor.example')
    add(scriptId, numbers(deliveries), { tagId })
  }
  for (const n of numbers(16)) ask(`a${n}-`, 'a', 16)
  const { batches } = startBatches()
  assert.equal(batches.length, concurrencyCaps.perHost)
  for (const n of numbers(5_000)) ask(`b${n}-`, 'b', 1)
  ask('c-', 'c', 2)
  assert.deepEqual(startBatches().ids, [])
  let reads = 0
  const now = clock.now
  clock.now = () => {
    reads++
    return now()
  }
  const started = batches.slice(0, 4).flatMap((batch) => {
    finish(batch)
    return startBatches().ids
  })
  assert.deepEqual(started, ['b0-0', 'c-0', 'b1-0', 'c-1'])
  assert.ok(reads < 200, `${reads} checks`)
})

test('a channel that can no longer go leaves its turn to the next one that waits for the host', () => {
  const paused = new Set<string>()
  const { scheduler, add, startBatches, finish } = openTestScheduler(1, (scriptId) => paused.has(scriptId))
  const ask = (scriptId: string, deliveries: number) => {
    scheduler.channel(scriptId).beginCall('vendor.example')
    add(scriptId, numbers(deliveries), { tagId: 'a' })
  }
  for (const n of numbers(16)) ask(`a${n}-`, 16)
  const { batches } = startBatches()
  for (const scriptId of ['x-', 'y-', 'z-']) ask(scriptId, 1)
  paused.add('x-')
  finish(batches[0]!)
  paused.add('y-') // it is queued already
  assert.deepEqual(startBatches().ids, ['z-0'])
})

test('first attempts go before retries, and retries before replays, and none is starved', () => {
  const { clock, add, startBatches, finish } = openTestScheduler()
  for (const size of [16, 32]) {
    add(
      's',
      numbers(size).map((n) => `warm${size}-${n}`),
    )
    const { batches } = startBatches()
    for (const { channel } of batches)
      channel.recordAnswer({ verdict: 'delivered' }, { startedAt: clock.now(), now: clock.now() })
    for (const batch of batches) finish(batch)
  } // the window is 64 now
  add(
    's',
    numbers(40).map((n) => `f${n}`),
  )
  add(
    's',
    numbers(40).map((n) => `r${n}`),
    { priority: 'retry' },
  )
  add(
    's',
    numbers(40).map((n) => `p${n}`),
    { priority: 'replay' },
  )
  const { ids } = startBatches()
  const count = (sign: string) => ids.filter((id) => id[1] === sign).length
  assert.deepEqual([count('f'), count('r'), count('p')], [40, 20, 4])
  assert.deepEqual(ids.slice(0, 4), ['sf0', 'sf1', 'sf2', 'sr0'])
})

test('deliveries with the same order key are in flight one after the other, in order; others pass them', () => {
  const { add, startBatches, finish } = openTestScheduler()
  add('s', ['a1', 'a2'], { orderKey: 'usr_a' })
  add('s', ['b1'], { orderKey: 'usr_b' })
  add('s', ['x'])
  const { batches, ids } = startBatches()
  assert.deepEqual(ids, ['sa1', 'sb1', 'sx'])
  finish(batches[1]!)
  assert.deepEqual(startBatches().ids, [])
  finish(batches[0]!)
  assert.deepEqual(startBatches().ids, ['sa2'])
})

test('waiting deliveries go in one call up to its maximum, one of each order key', () => {
  const { add, startBatches } = openTestScheduler(3)
  add('s', [1, 2, 3, 4])
  add('s', ['a1', 'a2'], { orderKey: 'usr_a' })
  assert.deepEqual(startBatches().ids, ['s1+s2+s3', 's4+sa1'])
})

test('a delivery that may be poison goes alone, one at a time', () => {
  const { add, startBatches, finish } = openTestScheduler(10)
  add('s', [1, 2], { crashCount: 2 })
  add('s', [3, 4])
  const { batches, ids } = startBatches()
  assert.deepEqual(ids, ['s1', 's3+s4'])
  finish(batches[0]!)
  assert.deepEqual(startBatches().ids, ['s2'])
})
