import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type ConcurrencyWindow,
  growWindow,
  initialWindow,
  shrinkWindow,
  slowStartWindow,
  windowSizes,
} from './concurrencyWindow.ts'

const rounds = (from: ConcurrencyWindow, count: number) => {
  let window = from
  for (let round = 0; round < count; round++)
    for (let calls = Math.floor(window.size), n = 0; n < calls; n++) window = growWindow(window, calls)
  return window
}

test('the window begins with 16 calls, doubles with each round of good answers, and ends at 256', () => {
  assert.deepEqual(
    [0, 1, 2, 4, 9].map((count) => rounds(initialWindow, count).size),
    [16, 32, 64, 256, 256],
  )
})

test('a failure halves the window; from then on it grows by one with each round', () => {
  const halved = shrinkWindow({ ...initialWindow, size: 128 }, { startedAt: 5, now: 9 })
  assert.equal(halved.size, 64)
  const after = rounds(halved, 4).size
  assert.ok(after > 67 && after <= 68, String(after))
})

test('the failures of one round halve the window once', () => {
  const once = shrinkWindow({ ...initialWindow, size: 256 }, { startedAt: 1, now: 10 })
  assert.deepEqual(shrinkWindow(once, { startedAt: 9, now: 11 }), once)
  assert.equal(shrinkWindow(once, { startedAt: 10, now: 20 }).size, 64)
})

test('a window that is less than half used does not grow', () => {
  assert.deepEqual(growWindow({ ...initialWindow, size: 64 }, 31), { ...initialWindow, size: 64 })
})

test('the window begins with one call after the vendor was down', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((count) => rounds(slowStartWindow, count).size),
    [1, 2, 4, 8],
  )
})

test('the window stays between 1 and 256, and no failure enlarges it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 500 }),
      fc.constantFrom(initialWindow, slowStartWindow),
      (row, first) => {
        let window = first
        for (const [now, isGood] of row.entries()) {
          const { size } = window
          window = isGood ? growWindow(window, Math.ceil(size)) : shrinkWindow(window, { startedAt: now, now })
          assert.ok(window.size >= 1 && window.size <= windowSizes.max)
          if (!isGood) assert.ok(window.size <= size && (size < windowSizes.min || window.size >= windowSizes.min))
        }
      },
    ),
  )
})
