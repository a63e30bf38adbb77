import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { firstWindow, grown, shrunk, sizes, slowStart, type Window } from './window.ts'

const rounds = (from: Window, count: number) => {
  let window = from
  for (let round = 0; round < count; round++)
    for (let calls = Math.floor(window.size), n = 0; n < calls; n++) window = grown(window, calls)
  return window
}

test('it begins with 16 calls, doubles with each round of good answers, and ends at 256', () => {
  assert.deepEqual(
    [0, 1, 2, 4, 9].map((count) => rounds(firstWindow, count).size),
    [16, 32, 64, 256, 256],
  )
})

test('a failure halves it; from then on it grows by one with each round', () => {
  const halved = shrunk({ ...firstWindow, size: 128 }, { begunAt: 5, now: 9 })
  assert.equal(halved.size, 64)
  const after = rounds(halved, 4).size
  assert.ok(after > 67 && after <= 68, String(after))
})

test('the failures of one round count once', () => {
  const once = shrunk({ ...firstWindow, size: 256 }, { begunAt: 1, now: 10 })
  assert.deepEqual(shrunk(once, { begunAt: 9, now: 11 }), once)
  assert.equal(shrunk(once, { begunAt: 10, now: 20 }).size, 64)
})

test('room that is not used tells nothing', () => {
  assert.deepEqual(grown({ ...firstWindow, size: 64 }, 31), { ...firstWindow, size: 64 })
})

test('after a vendor was down it begins with one', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((count) => rounds(slowStart, count).size),
    [1, 2, 4, 8],
  )
})

test('it stays between 1 and 256, and no failure makes it larger', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 500 }), fc.constantFrom(firstWindow, slowStart), (row, first) => {
      let window = first
      for (const [now, isGood] of row.entries()) {
        const { size } = window
        window = isGood ? grown(window, Math.ceil(size)) : shrunk(window, { begunAt: now, now })
        assert.ok(window.size >= 1 && window.size <= sizes.most)
        if (!isGood) assert.ok(window.size <= size && (size < sizes.least || window.size >= sizes.least))
      }
    }),
  )
})
