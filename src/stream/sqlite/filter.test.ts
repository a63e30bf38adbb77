import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  bytesIn,
  cellsIn,
  type Filter,
  firstCell,
  furtherCell,
  makeFilter,
  mayHold,
  openSeed,
  sliceOf,
} from './filter.ts'
import type { Key } from './pairs.ts'
import { solve } from './solve.ts'

const half = fc.nat({ max: 2 ** 32 - 1 })
const key = fc.record({ low: half, high: half })
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 400, selector: ({ low, high }) => `${low} ${high}` })

function random(count: number): Key[] {
  const words = new Uint32Array(count * 2)
  for (let at = 0; at < words.length; at += 16_384) crypto.getRandomValues(words.subarray(at, at + 16_384))
  return Array.from({ length: count }, (_, n) => ({ low: words[2 * n]!, high: words[2 * n + 1]! }))
}

/** Sets every slice to those of the keys that lie in it. */
function fill(filter: Filter, keys: readonly Key[]): Filter {
  for (let slice = 0; slice < filter.seeds.length; slice++) {
    const within = keys.filter((each) => sliceOf(filter, each) === slice)
    solve(filter, slice, Uint32Array.from(within.flatMap(({ low, high }) => [low, high])))
  }
  return filter
}
const notDenied = (filter: Filter, asked: readonly Key[]) => asked.filter((each) => mayHold(filter, each)).length

test('a key that is there is never denied, however many there are and whatever they were meant to be', () => {
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 1_000_000 }), (keys, sizedFor) => {
      const filter = fill(makeFilter(sizedFor), keys)
      assert.equal(notDenied(filter, keys), keys.length)
    }),
    { numRuns: 200 },
  )
})

test('a slice that is not set denies nothing, and one that cannot be solved does not either', () => {
  const [twice, other] = random(2)
  const filter = makeFilter(2)
  assert.ok(mayHold(filter, other!))
  fill(filter, [twice!, twice!])
  assert.deepEqual([...filter.seeds], [openSeed])
  assert.ok(mayHold(filter, other!))
})

test('each key has four different cells, and all lie in the filter', () => {
  fc.assert(
    fc.property(half, half, fc.integer({ min: 1, max: 20_000_000 }), (high, low, keys) => {
      const shape = makeFilter(keys)
      const first = firstCell(shape, high)
      const cells = [first, ...[1, 2, 3].map((n) => furtherCell(shape, first, low, n))]
      assert.equal(new Set(cells).size, 4)
      assert.ok(cells.every((cell) => cell >= 0 && cell < cellsIn(shape)))
    }),
    { numRuns: 100 },
  )
})

test('a run of some ten thousand keys is asked in vain for one key in 4000', () => {
  const filter = fill(makeFilter(65_536), random(65_536))
  assert.ok(!filter.seeds.includes(openSeed))
  assert.ok(notDenied(filter, random(100_000)) < 60)
})

test('a slice of a day of 200 events/s is solved, though fuller than others, and denies 63 keys of 64', () => {
  const day = makeFilter(17_280_000)
  const inSlice = (count: number) => random(count).map(({ low, high }) => ({ low, high: high >>> day.sliceBits }))
  const keys = inSlice(17_280_000 / 2 ** day.sliceBits + 800)
  solve(day, 0, Uint32Array.from(keys.flatMap(({ low, high }) => [low, high])))
  assert.notEqual(day.seeds[0], openSeed)
  assert.equal(notDenied(day, keys), keys.length)
  const asked = notDenied(day, inSlice(100_000))
  assert.ok(asked > 1300 && asked < 1800, `${asked} of 100000`)
  assert.ok(bytesIn(day, 1).every((byte) => byte === 0))
})

test('a day of 200 events/s takes less than 15 MB', () => assert.ok(makeFilter(17_280_000).bytes.length < 15e6))
