import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breathing } from './breath.ts'

test('a loop gives the others a turn when it has gone on for two milliseconds, and when the clock was set back', async () => {
  let now = 1_000
  const breath = breathing({ now: () => now })
  let turns = 0
  const count = () => setImmediate(() => turns++)
  count()
  now += 1
  assert.equal(breath(), undefined)
  now += 1
  await breath()
  assert.equal(turns, 1)
  assert.equal(breath(), undefined)
  now -= 60_000
  count()
  await breath()
  assert.equal(turns, 2)
})
