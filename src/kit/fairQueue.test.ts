import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FairQueueLimits, fairQueue, QueueFull } from './fairQueue.ts'

const wide: FairQueueLimits = { parallel: 1, mostPerLane: 1_000, mostPerKey: 1_000 }
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A queue whose jobs run until they are ended by name, and the order in which they began. */
function held(limits: FairQueueLimits) {
  const queue = fairQueue(limits)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (lane: string, key: string, name: string) =>
    queue.run({ lane, key }, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    })
  return { queue, begun, ask, end: (name: string) => ends.get(name)!() }
}

test('no more jobs run at once than it says, and the next begins when one ends', async () => {
  const { ask, begun, end } = held({ ...wide, parallel: 2 })
  const all = ['a', 'b', 'c'].map((name) => ask('x', name, name))
  await settled()
  assert.deepEqual(begun, ['a', 'b'])
  end('b')
  await settled()
  assert.deepEqual(begun, ['a', 'b', 'c'])
  end('a')
  end('c')
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c'])
})

test('a key with many jobs delays another by one job a turn, and a lane with many keys another lane', async () => {
  const { ask, begun, end } = held(wide)
  const jobs = [
    ask('change', 'one', 'first'),
    ...[1, 2, 3].map((n) => ask('change', 'one', `one ${n}`)),
    ...[1, 2].map((n) => ask('change', 'other', `other ${n}`)),
    ask('sign-in', 'owner', 'owner'),
  ]
  for (let at = 0; at < jobs.length; at++) {
    await settled()
    end(begun[at]!)
  }
  await Promise.all(jobs)
  assert.deepEqual(begun, ['first', 'one 1', 'owner', 'other 1', 'one 2', 'other 2', 'one 3'])
})

test('beyond its bounds a job is not taken, and the others go on', async () => {
  const { ask, begun, end } = held({ parallel: 1, mostPerLane: 3, mostPerKey: 2 })
  const running = ask('x', 'a', 'running')
  const waiting = [ask('x', 'a', 'a1'), ask('x', 'a', 'a2')]
  await assert.rejects(ask('x', 'a', 'a3'), QueueFull)
  waiting.push(ask('x', 'b', 'b1'))
  await assert.rejects(ask('x', 'c', 'c1'), QueueFull)
  waiting.push(ask('y', 'c', 'other lane'))
  for (let at = 0; at < 5; at++) {
    await settled()
    end(begun[at]!)
  }
  await Promise.all([running, ...waiting])
  assert.deepEqual(begun, ['running', 'a1', 'other lane', 'b1', 'a2'])
  const again = ask('x', 'c', 'again')
  await settled()
  end('again')
  assert.equal(await again, 'again', 'and there is room again')
})

test('a job that fails tells its caller alone', async () => {
  const queue = fairQueue(wide)
  const turn = { lane: 'x', key: 'a' }
  const failing = queue.run(turn, async () => Promise.reject(new Error('no')))
  const fine = queue.run(turn, async () => 1)
  await assert.rejects(failing, /no/)
  assert.equal(await fine, 1)
})

test('every job that was taken runs once, and no key waits for more turns than there are keys', async () => {
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
    { numRuns: 100 },
  )
})
