import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnedClock } from '../../test/fake/clock.ts'
import { createAttemptLimiter } from './attemptLimiter.ts'

test('after the maximum of failures a name waits until the window that began with the first one ends', async () => {
  const clock = turnedClock()
  const attempts = createAttemptLimiter({ maxFailures: 2, windowMs: 1_000 }, clock)
  attempts.recordFailure('a')
  await clock.turn(400)
  assert.equal(attempts.waitMs('a'), 0)
  attempts.recordFailure('a')
  assert.deepEqual([attempts.waitMs('a'), attempts.waitMs('b')], [600, 0])
  await clock.turn(600)
  assert.equal(attempts.waitMs('a'), 0)
  attempts.recordFailure('a')
  assert.equal(attempts.waitMs('a'), 0, 'a new window')
})

test('a success resets the failures of a name', () => {
  const attempts = createAttemptLimiter({ maxFailures: 1, windowMs: 1_000 }, turnedClock())
  attempts.recordFailure('a')
  attempts.reset('a')
  assert.equal(attempts.waitMs('a'), 0)
})

test('undoing one failure keeps the earlier ones', () => {
  const attempts = createAttemptLimiter({ maxFailures: 2, windowMs: 1_000 }, turnedClock())
  attempts.recordFailure('a')
  attempts.recordFailure('a')
  attempts.undoFailure('a')
  assert.equal(attempts.waitMs('a'), 0)
  attempts.recordFailure('a')
  assert.equal(attempts.waitMs('a'), 1_000)
  for (const _ of [1, 2, 3]) attempts.undoFailure('a')
  attempts.recordFailure('a')
  assert.equal(attempts.waitMs('a'), 0, 'never less than none')
})

test('above the maximum of names the least recently counted ones are evicted', () => {
  const attempts = createAttemptLimiter({ maxFailures: 1, windowMs: 1_000 }, turnedClock())
  for (let n = 0; n <= 10_000; n++) attempts.recordFailure(`${n}`)
  assert.deepEqual([attempts.waitMs('0') > 0, attempts.waitMs('1') > 0], [false, true])
})
