import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { watchLoopLoad } from './loopLoad.ts'

test('the load is near 1 while the event loop computes, and lower while it waits', async () => {
  const load = watchLoopLoad()
  await setTimeout(20)
  const waiting = load()
  const until = performance.now() + 50
  while (performance.now() < until);
  await setTimeout(1)
  const busy = load()
  assert.ok(busy > waiting && busy <= 1, `${waiting} ${busy}`)
})
