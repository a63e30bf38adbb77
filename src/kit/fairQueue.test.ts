import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import { type FairQueueLimits, fairQueue, QueueFull } from './fairQueue.ts'

const wide: FairQueueLimits = { parallel: 1, maxPerLane: 1_000, maxPerKey: 1_000 }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A queue whose jobs run until the test ends them by name. `started`: their order. */
function controlledQueue(limits: FairQueueLimits) {
  const queue = fairQueue(limits)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (lane: string, key: string, name: string) =>
    queue.run({ lane, key }, () => {
      started.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    })
  return { queue, started, ask, end: (name: string) => ends.get(name)!() }
}

test('at most `parallel` jobs run at once, and the next starts when one ends', async () => {
  const { ask, started, end } = controlledQueue({ ...wide, parallel: 2 })
  const all = ['a', 'b', 'c'].map((name) => ask('x', name, name))
  await nextTurn()
  assert.deepEqual(started, ['a', 'b'])
  end('b')
  await nextTurn()
  assert.deepEqual(started, ['a', 'b', 'c'])
  end('a')
  end('c')
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c'])
})

test('a key delays another key by one job in each round, and a lane delays another lane by one job in each round', async () => {
  const { ask, started, end } = controlledQueue(wide)
  const jobs = [
    ask('change', 'one', 'first'),
    ...[1, 2, 3].map((n) => ask('change', 'one', `one ${n}`)),
    ...[1, 2].map((n) => ask('change', 'other', `other ${n}`)),
    ask('sign-in', 'owner', 'owner'),
  ]
  for (let at = 0; at < jobs.length; at++) {
    await nextTurn()
    end(started[at]!)
  }
  await Promise.all(jobs)
  assert.deepEqual(started, ['first', 'one 1', 'owner', 'other 1', 'one 2', 'other 2', 'one 3'])
})

test('a job beyond the limits is rejected, and the others run', async () => {
  const { ask, started, end } = controlledQueue({ parallel: 1, maxPerLane: 3, maxPerKey: 2 })
  const running = ask('x', 'a', 'running')
  const waiting = [ask('x', 'a', 'a1'), ask('x', 'a', 'a2')]
  await assert.rejects(ask('x', 'a', 'a3'), QueueFull)
  waiting.push(ask('x', 'b', 'b1'))
  await assert.rejects(ask('x', 'c', 'c1'), QueueFull)
  waiting.push(ask('y', 'c', 'other lane'))
  for (let at = 0; at < 5; at++) {
    await nextTurn()
    end(started[at]!)
  }
  await Promise.all([running, ...waiting])
  assert.deepEqual(started, ['running', 'a1', 'other lane', 'b1', 'a2'])
  const again = ask('x', 'c', 'again')
  await nextTurn()
  end('again')
  assert.equal(await again, 'again', 'the queue accepts jobs again')
})

test('a failed job rejects only for its caller', async () => {
  const queue = fairQueue(wide)
  const turn = { lane: 'x', key: 'a' }
  const failing = queue.run(turn, async () => Promise.reject(new Error('no')))
  const fine = queue.run(turn, async () => 1)
  await assert.rejects(failing, /no/)
  assert.equal(await fine, 1)
})

test('every accepted job runs once, and no key waits for more rounds than there are keys', async () => {
  const job = fc.record({ lane: fc.constantFrom('p', 'q'), key: fc.constantFrom('a', 'b', 'c') })
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 40 }), async (turns) => {
      const queue = fairQueue(wide)
      const ran: string[] = []
      await Promise.all(turns.map((turn) => queue.run(turn, async () => void ran.push(`${turn.lane} ${turn.key}`))))
      assert.equal(ran.length, turns.length)
      for (const name of new Set(ran.slice(1))) {
        const places = ran.flatMap((each, at) => (each === name && at > 0 ? [at] : []))
        const gaps = places.slice(1).map((place, n) => place - places[n]!)
        assert.ok(Math.max(0, ...gaps) <= 2 * 3, `${name} at ${places}`)
      }
    }),
    { numRuns: cases(100) },
  )
})

test('of one lane, and of one key of a lane, only so many run at once: the others run meanwhile', async () => {
  const { ask, started, end } = controlledQueue({ ...wide, parallel: 4, parallelPerLane: 2, parallelPerKey: 1 })
  const jobs = [
    ask('dead', 'one', 'd1'),
    ask('dead', 'one', 'd2'),
    ask('dead', 'two', 'd3'),
    ask('dead', 'three', 'd4'),
  ]
  jobs.push(ask('live', 'one', 'l1'))
  await nextTurn()
  assert.deepEqual(started, ['d1', 'd3', 'l1'])
  end('d1')
  await nextTurn()
  assert.equal(started.length, 4)
  for (const name of ['d3', 'l1', started[3]!]) end(name)
  await nextTurn()
  for (const name of ['d2', 'd4']) if (started.includes(name) && name !== started[3]) end(name)
  await Promise.all(jobs)
})
