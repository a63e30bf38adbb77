import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bitsOf, placesOf } from './bits.ts'

test('the places that were fresh come back, whatever the number of events', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (fresh) => {
      const places = fresh.flatMap((is, index) => (is ? [index] : []))
      assert.deepEqual(placesOf(bitsOf(fresh)), places)
    }),
  )
})

test('500 events take 63 bytes, a single one takes one', () => {
  assert.equal(bitsOf(Array<boolean>(500).fill(true)).length, 63)
  assert.deepEqual(bitsOf([true]), new Uint8Array([1]))
})
