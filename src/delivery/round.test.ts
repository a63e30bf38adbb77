import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DueDelivery } from '#store/store.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { aTag } from '../../test/fake/tag.ts'
import { openRound } from './round.ts'
import { type Flight, overall } from './traffic.ts'

/** A round of tags that belong to the team of their name's first letter; `most` go in one call. */
function house(most = 1) {
  const clock = turnedClock()
  const snapshots = { isPaused: () => false, get: (tagId: string) => aTag([], { tagId, teamId: tagId[0]! }) }
  const round = openRound({ clock, snapshots, mostOf: () => most })
  const add = (scriptId: string, ids: readonly (string | number)[], more: Partial<DueDelivery> = {}) => {
    for (const id of ids) round.add(round.channel(scriptId), aDelivery(`${scriptId}${id}`, scriptId, more))
  }
  const take = () => {
    const flights = round.take()
    return { flights, ids: flights.map(({ deliveries }) => deliveries.map(({ deliveryId }) => deliveryId).join('+')) }
  }
  const end = (flight: Flight) => {
    round.land(flight)
    round.end(flight)
  }
  return { clock, round, add, take, end }
}
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

test('teams take turns, and so do the channels of each', () => {
  const { add, take } = house()
  add('a1-', [0, 1, 2], { tagId: 'a' })
  add('a2-', [0, 1], { tagId: 'a' })
  add('b1-', [0, 1, 2], { tagId: 'b' })
  assert.deepEqual(take().ids, ['a1-0', 'b1-0', 'a2-0', 'b1-1', 'a1-1', 'b1-2', 'a2-1', 'a1-2'])
})

test('a team with a hundred busy channels leaves another team its half of the turns', () => {
  const { add, take } = house()
  for (const n of numbers(100)) add(`a${n}-`, numbers(10), { tagId: 'a' })
  add('b-', numbers(16), { tagId: 'b' })
  assert.equal(
    take()
      .ids.slice(0, 32)
      .filter((id) => id.startsWith('b')).length,
    16,
  )
})

test('a channel has as many calls under way as its window says, a host 256, a team 1,024', () => {
  const { round, add, take, end } = house()
  add('a1-', numbers(100), { tagId: 'a' })
  assert.equal(take().ids.length, 16)
  for (const n of numbers(40)) {
    add(`c${n}-`, numbers(16), { tagId: 'c' })
    round.channel(`c${n}-`).host = 'vendor.example'
  }
  const flights = take().flights.filter(({ host }) => host !== '')
  assert.equal(flights.length, overall.perHost)
  end(flights[0]!)
  assert.equal(take().ids.length, 1)
  for (const n of numbers(200)) add(`d${n}-`, numbers(16), { tagId: 'd' })
  assert.equal(take().flights.filter(({ teamId }) => teamId === 'd').length, overall.perTeam)
})

test('first attempts go before repeated ones and replays last, and none of them is starved', () => {
  const { round, add, take } = house()
  round.channel('s').window = { size: 64, threshold: 256, shrunkAt: 0 }
  add(
    's',
    numbers(40).map((n) => `f${n}`),
  )
  add(
    's',
    numbers(40).map((n) => `r${n}`),
    { lane: 'retry' },
  )
  add(
    's',
    numbers(40).map((n) => `p${n}`),
    { lane: 'replay' },
  )
  const { ids } = take()
  const count = (sign: string) => ids.filter((id) => id[1] === sign).length
  assert.deepEqual([count('f'), count('r'), count('p')], [40, 20, 4])
  assert.deepEqual(ids.slice(0, 4), ['sf0', 'sf1', 'sf2', 'sr0'])
})

test('deliveries that share a queue are under way one after the other, in their order; others pass them', () => {
  const { add, take, end } = house()
  add('s', ['a1', 'a2'], { queue: 'usr_a' })
  add('s', ['b1'], { queue: 'usr_b' })
  add('s', ['x'])
  const { flights, ids } = take()
  assert.deepEqual(ids, ['sa1', 'sb1', 'sx'])
  end(flights[1]!)
  assert.deepEqual(take().ids, [])
  end(flights[0]!)
  assert.deepEqual(take().ids, ['sa2'])
})

test('what waits goes together, as much as one call takes, of each queue one', () => {
  const { add, take } = house(3)
  add('s', [1, 2, 3, 4])
  add('s', ['a1', 'a2'], { queue: 'usr_a' })
  assert.deepEqual(take().ids, ['s1+s2+s3', 's4+sa1'])
})

test('what may be poison goes alone, one at a time', () => {
  const { add, take, end } = house(10)
  add('s', [1, 2], { spoilt: 1 })
  add('s', [3, 4])
  const { flights, ids } = take()
  assert.deepEqual(ids, ['s1', 's3+s4'])
  end(flights[0]!)
  assert.deepEqual(take().ids, ['s2'])
})
