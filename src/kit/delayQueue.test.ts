import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDelayQueue } from './delayQueue.ts'

test('each item is handled in order, not before its time, also one that is added by the work', async () => {
  const delayMs = 5
  const addedAt = new Map<number, number>()
  const handled: number[] = []
  const ended = Promise.withResolvers<void>()
  const addItem = (item: number) => {
    addedAt.set(item, performance.now())
    add(item)
  }
  const add = createDelayQueue<number>(delayMs, (item) => {
    assert.ok(performance.now() - addedAt.get(item)! >= delayMs)
    handled.push(item)
    if (item === 1) for (const later of [4, 5]) addItem(later)
    if (item === 5) ended.resolve()
  })
  for (const item of [1, 2, 3]) addItem(item)
  await ended.promise
  assert.deepEqual(handled, [1, 2, 3, 4, 5])
})
