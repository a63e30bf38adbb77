import assert from 'node:assert/strict'
import { test } from 'node:test'
import { periodicYield } from './yieldToEventLoop.ts'

test('a loop yields after two milliseconds, and when the clock was set back', async () => {
  let now = 1_000
  const yieldIfDue = periodicYield({ now: () => now })
  let turns = 0
  const count = () => setImmediate(() => turns++)
  count()
  now += 1
  assert.equal(yieldIfDue(), undefined)
  now += 1
  await yieldIfDue()
  assert.equal(turns, 1)
  assert.equal(yieldIfDue(), undefined)
  now -= 60_000
  count()
  await yieldIfDue()
  assert.equal(turns, 2)
})
