import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createHashTable } from './hashTable.ts'
import { eachOf, halvesOf } from './keyPairs.ts'

// Small numbers collide in few slots.
const key = fc.oneof(fc.bigInt({ min: 0n, max: 40n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))

test('a hash table finds the same as a Map, keeps the order of insertion, and is empty after clear', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 100 }), fc.array(key, { maxLength: 20 }), (keys, otherKeys) => {
      const table = createHashTable(100)
      for (const round of [1, 2]) {
        const model = new Map<bigint, number>()
        for (const each of keys) {
          assert.equal(table.find(halvesOf(each)), model.get(each))
          if (model.has(each)) continue
          model.set(each, round * 2 ** 40 + model.size)
          table.add(halvesOf(each), model.get(each)!)
        }
        for (const each of otherKeys) assert.equal(table.find(halvesOf(each)), model.get(each))
        assert.deepEqual(
          Array.from(eachOf(table.from(0)), ({ place }) => place),
          [...model.values()],
        )
        assert.equal(table.count(), model.size)
        table.clear()
        assert.equal(table.count(), 0)
      }
    }),
  )
})
