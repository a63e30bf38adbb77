import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slotCount, slotOf } from './slotOf.ts'

test('the slot of a tag is the first four bytes of its SHA-256, modulo 256', () => {
  assert.equal(slotOf('abc'), 0xba7816bf % 256)
  assert.equal(slotOf(''), 0xe3b0c442 % 256)
})

test('every slot is used, and none by far more tags than another', () => {
  const counts = new Array<number>(slotCount).fill(0)
  for (let index = 0; index < 25_600; index++) counts[slotOf(`tag_${index}`)]!++
  assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 160)
})
