import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnedClock } from '../../test/fake/clock.ts'
import { countAttempts } from './attempts.ts'

test('after so many failures a name waits until the window that began with the first of them is over', async () => {
  const clock = turnedClock()
  const attempts = countAttempts({ most: 2, windowMs: 1_000 }, clock)
  attempts.failed('a')
  await clock.turn(400)
  assert.equal(attempts.waitMs('a'), 0)
  attempts.failed('a')
  assert.deepEqual([attempts.waitMs('a'), attempts.waitMs('b')], [600, 0])
  await clock.turn(600)
  assert.equal(attempts.waitMs('a'), 0)
  attempts.failed('a')
  assert.equal(attempts.waitMs('a'), 0, 'a new window')
})

test('who succeeds is forgotten', () => {
  const attempts = countAttempts({ most: 1, windowMs: 1_000 }, turnedClock())
  attempts.failed('a')
  attempts.forget('a')
  assert.equal(attempts.waitMs('a'), 0)
})

test('what turns out to be no failure is taken back, and the failures before it stay', () => {
  const attempts = countAttempts({ most: 2, windowMs: 1_000 }, turnedClock())
  attempts.failed('a')
  attempts.failed('a')
  attempts.takeBack('a')
  assert.equal(attempts.waitMs('a'), 0)
  attempts.failed('a')
  assert.equal(attempts.waitMs('a'), 1_000)
  for (const _ of [1, 2, 3]) attempts.takeBack('a')
  attempts.failed('a')
  assert.equal(attempts.waitMs('a'), 0, 'never less than none')
})

test('of very many names those that were counted longest ago are forgotten', () => {
  const attempts = countAttempts({ most: 1, windowMs: 1_000 }, turnedClock())
  for (let n = 0; n <= 10_000; n++) attempts.failed(`${n}`)
  assert.deepEqual([attempts.waitMs('0') > 0, attempts.waitMs('1') > 0], [false, true])
})
