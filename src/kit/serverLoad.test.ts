import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { readCoreTimes, watchServerLoad } from './serverLoad.ts'

test('the load is near 1 while the event loop computes, and lower while it waits', async () => {
  const load = watchServerLoad(() => ({ busyMs: 0, allMs: 0 }))
  await setTimeout(20)
  const waiting = load()
  const until = performance.now() + 50
  while (performance.now() < until);
  await setTimeout(1)
  const busy = load()
  assert.ok(busy > waiting && busy <= 1, `${waiting} ${busy}`)
})

test('the load is that of the cores where they are busier than the event loop', async () => {
  const times = [
    { busyMs: 1_000, allMs: 4_000 },
    { busyMs: 1_990, allMs: 5_000 },
    { busyMs: 1_990, allMs: 5_000 },
  ]
  const load = watchServerLoad(() => times.shift()!)
  await setTimeout(20)
  assert.equal(load(), 0.99)
  const idleCores = load()
  assert.ok(idleCores >= 0 && idleCores <= 1)
})

test('the cores of this machine are busy for a part of the time', () => {
  const { busyMs, allMs } = readCoreTimes()
  assert.ok(busyMs > 0 && busyMs <= allMs)
})
