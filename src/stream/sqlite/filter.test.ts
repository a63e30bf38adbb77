import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addTo, lineOf, makeFilter, mayHold, wordsPerLine } from './filter.ts'

const half = fc.nat({ max: 2 ** 32 - 1 })
const key = fc.record({ low: half, high: half })

test('a key that was added is never denied', () => {
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 300 }), (keys, sizedFor) => {
      const filter = makeFilter(sizedFor)
      for (const each of keys) addTo(filter, each)
      for (const each of keys) assert.ok(mayHold(filter, each))
    }),
    { numRuns: 500 },
  )
})

test('the line of a key lies in the filter and grows with the upper half', () => {
  fc.assert(
    fc.property(half, half, fc.integer({ min: 1, max: 100_000 }), (one, other, keys) => {
      const filter = makeFilter(keys)
      assert.ok(lineOf(filter, Math.max(one, other)) >= lineOf(filter, Math.min(one, other)))
      assert.ok(lineOf(filter, one) < filter.length / wordsPerLine)
      assert.equal(lineOf(filter, 2 ** 32), filter.length / wordsPerLine)
    }),
  )
})

/** The share of random keys that a full filter does not deny. */
function deniedNot(keys: number): number {
  const random = (count: number) => {
    const words = new Uint32Array(count * 2)
    for (let at = 0; at < words.length; at += 16_384) crypto.getRandomValues(words.subarray(at, at + 16_384))
    return Array.from({ length: count }, (_, n) => ({ low: words[2 * n]!, high: words[2 * n + 1]! }))
  }
  const filter = makeFilter(keys)
  for (let left = keys; left > 0; left -= 100_000)
    for (const each of random(Math.min(left, 100_000))) addTo(filter, each)
  const asked = random(100_000)
  return asked.filter((each) => mayHold(filter, each)).length / asked.length
}

test('a small run is asked in vain for one key in 100, one of a day of 200 events/s for one in 14', () => {
  assert.ok(deniedNot(100_000) < 0.01)
  assert.ok(deniedNot(4_000_000) < 0.07)
})

test('a day of 200 events/s takes 13 MB', () => assert.ok(makeFilter(17_280_000).byteLength < 13e6))
