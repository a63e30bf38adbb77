import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bodyQueue } from './bodyQueue.ts'

const bodies = fc.array(
  fc.record({ owner: fc.constantFrom('a', 'b', 'c'), events: fc.integer({ min: 1, max: 500 }) }),
  {
    maxLength: 200,
  },
)
function drain(queue: ReturnType<typeof bodyQueue>) {
  const taken: { position: number; events: number }[] = []
  for (let next = queue.next(); next; next = queue.next()) taken.push(next)
  return taken
}

test('every body is returned once, and those of one owner in order', () => {
  fc.assert(
    fc.property(bodies, (all) => {
      const queue = bodyQueue()
      for (const [position, { owner, events }] of all.entries()) queue.add(owner, position, events)
      assert.equal(queue.size(), all.length)
      const taken = drain(queue)
      assert.equal(queue.size(), 0)
      assert.deepEqual(
        taken.map(({ position }) => position).sort((one, other) => one - other),
        all.map((_, position) => position),
      )
      for (const name of ['a', 'b', 'c']) {
        const own = taken.filter(({ position }) => all[position]!.owner === name).map(({ position }) => position)
        assert.deepEqual(
          own,
          own.toSorted((one, other) => one - other),
        )
      }
      assert.ok(taken.every(({ position, events }) => all[position]!.events === events))
    }),
  )
})

test('thousands of bodies of one owner keep their order while others are added and taken', () => {
  const queue = bodyQueue()
  const taken: number[] = []
  for (let position = 0; position < 6_000; position++) {
    queue.add('a', position, 1)
    if (position % 2) taken.push(queue.next()!.position)
  }
  taken.push(...drain(queue).map(({ position }) => position))
  assert.deepEqual(
    taken,
    Array.from({ length: 6_000 }, (_, position) => position),
  )
})

test('two waiting owners get equal numbers of events, up to a body and a turn', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 500 }), (large, small) => {
      const queue = bodyQueue()
      const counts: [large: number, small: number] = [0, 0]
      for (let n = 0; n < 2_000; n++) queue.add('large', n, large)
      for (let n = 0; n < 2_000; n++) queue.add('small', 2_000 + n, small)
      for (let n = 0; n < 1_000; n++) {
        const { position, events } = queue.next()!
        counts[position < 2_000 ? 0 : 1] += events
        assert.ok(Math.abs(counts[0] - counts[1]) <= 2 * (500 + 16), `${counts}`)
      }
    }),
  )
})

test('an owner with one event waits for only a few events of an owner with a hundred thousand', () => {
  const queue = bodyQueue()
  for (let n = 0; n < 2_000; n++) queue.add('loud', n, 50)
  queue.next()
  queue.add('quiet', 9_999, 1)
  const order = [queue.next(), queue.next(), queue.next()].map((each) => each!.position)
  assert.ok(order.includes(9_999), `${order}`)
})
