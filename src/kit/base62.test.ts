import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { base62 } from './base62.ts'

test('the digits are 0–9, A–Z and a–z, the most significant first, padded with zeros', () => {
  assert.equal(base62(0n, 6), '000000')
  assert.equal(base62(61n, 1), 'z')
  assert.equal(base62(62n, 2), '10')
  assert.equal(base62(36n, 3), '00a')
  assert.equal(base62(2n ** 32n - 1n, 6), '4gfFC3')
})

test('256 bits fit into 43 characters', () => {
  assert.equal(base62(2n ** 256n - 1n, 43).length, 43)
  fc.assert(fc.property(fc.bigInt(0n, 2n ** 256n - 1n), (value) => /^[0-9A-Za-z]{43}$/.test(base62(value, 43))))
})

test('different numbers have different texts', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 64n), fc.bigInt(0n, 2n ** 64n), (a, b) => {
      assert.equal(base62(a, 11) === base62(b, 11), a === b)
    }),
  )
})
