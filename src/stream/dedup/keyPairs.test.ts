import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  bytesOf,
  eachOf,
  halvesOf,
  keyBytes,
  placeIn,
  putPair,
  sortIntoBuckets,
  topOf,
  wordsOf,
  wordsPerPair,
} from './keyPairs.ts'

const key = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const place = fc.maxSafeNat()
const several = fc.uniqueArray(fc.tuple(key, place), { maxLength: 80, selector: ([key]) => key })

function pairsOf(each: readonly (readonly [bigint, number])[]) {
  const pairs = new Uint32Array(each.length * wordsPerPair)
  for (const [n, [key, place]] of each.entries()) putPair(pairs, n * wordsPerPair, halvesOf(key), place)
  return pairs
}

test('a lookup finds the place of each key, and nothing for other keys', () => {
  fc.assert(
    fc.property(several, key, (each, other) => {
      const pairs = pairsOf(each)
      for (const [key, place] of each) assert.equal(placeIn(pairs, halvesOf(key)), place)
      assert.equal(placeIn(pairs, halvesOf(other)), new Map(each).get(other))
    }),
  )
})

test('pairs are stored as 64-bit numbers, and are read back at any alignment', () => {
  fc.assert(
    fc.property(several, fc.nat({ max: 7 }), (each, offset) => {
      const bytes = bytesOf(pairsOf(each))
      const numbers = new BigInt64Array(bytes.slice().buffer)
      assert.deepEqual(
        [...numbers],
        each.flatMap(([key, place]) => [key, BigInt(place)]),
      )
      const moved = new Uint8Array(bytes.length + offset)
      moved.set(bytes, offset)
      assert.deepEqual(wordsOf(moved.subarray(offset)), pairsOf(each))
      for (const [n, [key]] of each.entries())
        assert.deepEqual(keyBytes(halvesOf(key)), bytes.subarray(n * 16, n * 16 + 8))
    }),
  )
})

test('every pair is sorted into the bucket of the highest bits of its key', () => {
  fc.assert(
    fc.property(several, fc.nat({ max: 10 }), (each, bits) => {
      const { sorted, ends } = sortIntoBuckets(pairsOf(each), bits, 0, 2 ** bits)
      let from = 0
      for (const [bucket, to] of ends.entries()) {
        for (const { key } of eachOf(sorted.subarray(from, to))) assert.equal(topOf(key.high, bits), bucket)
        from = to
      }
      assert.equal(from, sorted.length)
      for (const [key, place] of each) assert.equal(placeIn(sorted, halvesOf(key)), place)
    }),
  )
})
