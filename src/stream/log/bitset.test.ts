import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newBits, setIndexes } from './bodyRecords.ts'

test('the indexes of the set bits are read back, for any number of events', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (values) => {
      const indexes = values.flatMap((isSet, index) => (isSet ? [index] : []))
      assert.deepEqual(setIndexes(newBits(indexes)), indexes)
    }),
  )
})

test('500 events take 63 bytes, and a single event takes one', () => {
  assert.equal(newBits([...Array(500).keys()]).length, 63)
  assert.deepEqual(newBits([0]), new Uint8Array([1]))
})
