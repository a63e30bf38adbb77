import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { setIndexes, toBitset } from './bodyRecords.ts'

test('the indexes of the set bits are read back, for any number of events', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (values) => {
      const indexes = values.flatMap((isSet, index) => (isSet ? [index] : []))
      assert.deepEqual(setIndexes(toBitset(values)), indexes)
    }),
  )
})

test('500 events take 63 bytes, and a single event takes one', () => {
  assert.equal(toBitset(Array<boolean>(500).fill(true)).length, 63)
  assert.deepEqual(toBitset([true]), new Uint8Array([1]))
})
