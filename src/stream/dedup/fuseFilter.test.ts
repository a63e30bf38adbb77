import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/fake/cases.ts'
import {
  bytesIn,
  cellsIn,
  createFuseFilter,
  type FuseFilter,
  firstCell,
  furtherCell,
  matchAllSeed,
  mayContain,
  sliceOf,
} from './fuseFilter.ts'
import { buildSlice } from './fuseFilterBuilder.ts'
import type { KeyHalves } from './keyPairs.ts'

const half = fc.nat({ max: 2 ** 32 - 1 })
const key = fc.record({ low: half, high: half })
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 400, selector: ({ low, high }) => `${low} ${high}` })

function random(count: number): KeyHalves[] {
  const words = new Uint32Array(count * 2)
  for (let at = 0; at < words.length; at += 16_384) crypto.getRandomValues(words.subarray(at, at + 16_384))
  return Array.from({ length: count }, (_, n) => ({ low: words[2 * n]!, high: words[2 * n + 1]! }))
}

/** Builds every slice of a filter. */
function fill(filter: FuseFilter, keys: readonly KeyHalves[]): FuseFilter {
  for (let slice = 0; slice < filter.seeds.length; slice++) {
    const within = keys.filter((each) => sliceOf(filter, each) === slice)
    buildSlice(filter, slice, Uint32Array.from(within.flatMap(({ low, high }) => [low, high])))
  }
  return filter
}
const matches = (filter: FuseFilter, tested: readonly KeyHalves[]) =>
  tested.filter((each) => mayContain(filter, each)).length

test('a filter matches every key that it was built from, whatever number of keys it was created for', () => {
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 1_000_000 }), (keys, sizedFor) => {
      const filter = fill(createFuseFilter(sizedFor), keys)
      assert.equal(matches(filter, keys), keys.length)
    }),
    { numRuns: cases(200) },
  )
})

test('a slice that is not built, or cannot be built, matches every key', () => {
  const [twice, other] = random(2)
  const filter = createFuseFilter(2)
  assert.ok(mayContain(filter, other!))
  fill(filter, [twice!, twice!])
  assert.deepEqual([...filter.seeds], [matchAllSeed])
  assert.ok(mayContain(filter, other!))
})

test('each key has four different cells inside the filter', () => {
  fc.assert(
    fc.property(half, half, fc.integer({ min: 1, max: 20_000_000 }), (high, low, keys) => {
      const shape = createFuseFilter(keys)
      const first = firstCell(shape, high)
      const cells = [first, ...[1, 2, 3].map((n) => furtherCell(shape, first, low, n))]
      assert.equal(new Set(cells).size, 4)
      assert.ok(cells.every((cell) => cell >= 0 && cell < cellsIn(shape)))
    }),
    { numRuns: cases(100) },
  )
})

test('the false positive rate of a segment of 65,536 keys is about 1 in 4,096', () => {
  const filter = fill(createFuseFilter(65_536), random(65_536))
  assert.ok(!filter.seeds.includes(matchAllSeed))
  assert.ok(matches(filter, random(100_000)) < 60)
})

test('a slice of a day of 200 events/s is built even with the largest number of keys, and its false positive rate is 1 in 64', () => {
  const day = createFuseFilter(17_280_000)
  const inSlice = (count: number) => random(count).map(({ low, high }) => ({ low, high: high >>> day.sliceBits }))
  const keys = inSlice(17_280_000 / 2 ** day.sliceBits + 800)
  buildSlice(day, 0, Uint32Array.from(keys.flatMap(({ low, high }) => [low, high])))
  assert.notEqual(day.seeds[0], matchAllSeed)
  assert.equal(matches(day, keys), keys.length)
  const falsePositives = matches(day, inSlice(100_000))
  assert.ok(falsePositives > 1300 && falsePositives < 1800, `${falsePositives} of 100000`)
  assert.ok(bytesIn(day, 1).every((byte) => byte === 0))
})

test('the filter of a day of 200 events/s takes less than 15 MB', () =>
  assert.ok(createFuseFilter(17_280_000).bytes.length < 15e6))
