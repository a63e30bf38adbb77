import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeHeld } from './held.ts'
import { eachOf, halvesOf } from './pairs.ts'

// Small numbers collide: many keys seek the same slot.
const key = fc.oneof(fc.bigInt({ min: 0n, max: 40n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))

test('finds what a map finds, keeps the order, and is empty after it was cleared', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 100 }), fc.array(key, { maxLength: 20 }), (keys, others) => {
      const held = makeHeld(100)
      for (const round of [1, 2]) {
        const model = new Map<bigint, number>()
        for (const each of keys) {
          assert.equal(held.find(halvesOf(each)), model.get(each))
          if (model.has(each)) continue
          model.set(each, round * 2 ** 40 + model.size)
          held.add(halvesOf(each), model.get(each)!)
        }
        for (const each of others) assert.equal(held.find(halvesOf(each)), model.get(each))
        assert.deepEqual(
          Array.from(eachOf(held.from(0)), ({ place }) => place),
          [...model.values()],
        )
        assert.equal(held.count(), model.size)
        held.clear()
        assert.equal(held.count(), 0)
      }
    }),
  )
})
