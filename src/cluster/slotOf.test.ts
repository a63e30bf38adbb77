import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slotCount, slotOf, slotOfUser, slotsOf } from './slotOf.ts'

const maxSpread = 16

test('the slot of a tag is the first four bytes of its SHA-256, modulo 256', () => {
  assert.equal(slotOf('abc'), 0xba7816bf % 256)
  assert.equal(slotOf(''), 0xe3b0c442 % 256)
})

test('every slot is used, and none by far more tags than another', () => {
  const counts = new Array<number>(slotCount).fill(0)
  for (let index = 0; index < 25_600; index++) counts[slotOf(`tag_${index}`)]!++
  assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 160)
})

test('the slots of a spread tag are as many as its spread, far apart, and its own slot is among them', () => {
  for (let spread = 1; spread <= maxSpread; spread++) {
    const slots = slotsOf('tag_1', spread)
    assert.equal(new Set(slots).size, spread)
    assert.equal(slots[0], slotOf('tag_1'))
    const sorted = slots.toSorted((one, other) => one - other)
    const gaps = sorted.slice(1).map((slot, n) => slot - sorted[n]!)
    assert.ok(gaps.every((gap) => gap >= Math.floor(slotCount / spread)))
  }
})

test('the events of a user lie in one slot of their tag, and those of many users in all of them', () => {
  const arbitrary = [fc.string(), fc.string(), fc.integer({ min: 1, max: maxSpread })] as const
  fc.assert(
    fc.property(...arbitrary, (tagId, userId, spread) => {
      const slot = slotOfUser(tagId, userId, spread)
      assert.equal(slot, slotOfUser(tagId, userId, spread))
      assert.ok(slotsOf(tagId, spread).includes(slot))
    }),
  )
  const counts = new Map(slotsOf('tag_1', 4).map((slot) => [slot, 0]))
  for (let n = 0; n < 4_000; n++) {
    const slot = slotOfUser('tag_1', `usr_${n}`, 4)
    counts.set(slot, counts.get(slot)! + 1)
  }
  assert.ok([...counts.values()].every((count) => count > 850 && count < 1_150))
})

test('with a spread of 1 every user lies in the slot of the tag', () => {
  assert.equal(slotOfUser('tag_1', 'usr_1', 1), slotOf('tag_1'))
})
