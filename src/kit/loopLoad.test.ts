import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { watchLoopLoad } from './loopLoad.ts'

test('the load is near 1 while the event loop computes, and lower while it waits', async () => {
  const load = watchLoopLoad()
  let waiting = load()
  // on a busy machine the loop may not have been idle yet
  while (waiting > 0.5) {
    await setTimeout(20)
    waiting = load()
  }
  const until = performance.now() + 50
  while (performance.now() < until);
  await setTimeout(1)
  const busy = load()
  assert.ok(busy > waiting && busy <= 1, `${waiting} ${busy}`)
})
