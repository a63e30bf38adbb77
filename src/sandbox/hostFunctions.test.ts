import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { callHostFunction } from './hostFunctions.ts'

test('isSame compares bytes in constant time', (t) => {
  const compare = t.mock.method(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  t.after(() => {
    compare.mock.restore()
    syncBuiltinESMExports()
  })
  for (const [one, other, expected] of [
    ['\x00\xff', '\x00\xff', 'yes'],
    ['\x00\xff', '\x01\xff', 'no'],
    ['', '', 'yes'],
  ] as const)
    assert.equal(callHostFunction('isSame', one, other), expected)
  assert.equal(compare.mock.callCount(), 3)
  assert.equal(callHostFunction('isSame', 'a', 'aa'), 'no')
  assert.throws(() => callHostFunction('isSame', 'a'), TypeError)
})
