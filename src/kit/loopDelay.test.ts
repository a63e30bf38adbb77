import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recentDelays, watchLoopDelay } from './loopDelay.ts'

test('the delay is the minimum of the last three samples, so that a single pause does not count', () => {
  const delays = recentDelays()
  assert.equal(delays.minimum(), 0)
  for (const ms of [900, 900]) delays.add(ms)
  assert.equal(delays.minimum(), 0)
  delays.add(700)
  assert.equal(delays.minimum(), 700)
  delays.add(-3)
  assert.equal(delays.minimum(), 0)
})

test('the delay is the time by which the timer fires late', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  const loop = watchLoopDelay(() => now)
  for (let sample = 0; sample < 3; sample++) {
    now += 1_450
    t.mock.timers.tick(250)
  }
  assert.equal(loop.ms(), 1_200)
  now += 250
  t.mock.timers.tick(250)
  assert.equal(loop.ms(), 0)
  loop.stop()
})
