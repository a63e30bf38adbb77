import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { ask } from './ask.ts'

test('what the guest has compared is compared in constant time, whatever it is', (t) => {
  const compare = t.mock.method(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  t.after(() => {
    compare.mock.restore()
    syncBuiltinESMExports()
  })
  for (const [one, other, said] of [
    ['\x00\xff', '\x00\xff', 'yes'],
    ['\x00\xff', '\x01\xff', 'no'],
    ['', '', 'yes'],
  ] as const)
    assert.equal(ask('isSame', one, other), said)
  assert.equal(compare.mock.callCount(), 3)
  assert.equal(ask('isSame', 'a', 'aa'), 'no')
  assert.throws(() => ask('isSame', 'a'), TypeError)
})
