import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latest, watchLoop } from './loopDelay.ts'

test('one long pause is none: the least of the last three looks counts', () => {
  const delays = latest()
  assert.equal(delays.least(), 0)
  for (const ms of [900, 900]) delays.add(ms)
  assert.equal(delays.least(), 0)
  delays.add(700)
  assert.equal(delays.least(), 700)
  delays.add(-3)
  assert.equal(delays.least(), 0)
})

test('a timer that comes late by the clock is late', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  const loop = watchLoop(() => now)
  for (let look = 0; look < 3; look++) {
    now += 1_450
    t.mock.timers.tick(250)
  }
  assert.equal(loop.ms(), 1_200)
  now += 250
  t.mock.timers.tick(250)
  assert.equal(loop.ms(), 0)
  loop.stop()
})
