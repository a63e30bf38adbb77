import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyedMutex } from './keyedMutex.ts'

test('tasks of one key run in the order of their calls, and tasks of other keys run concurrently', async () => {
  const withLock = keyedMutex()
  const done: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = withLock('a', async () => {
    await gate.promise
    done.push('a1')
  })
  const second = withLock('a', async () => void done.push('a2'))
  await withLock('b', async () => void done.push('b'))
  gate.resolve()
  await Promise.all([first, second])
  assert.deepEqual(done, ['b', 'a1', 'a2'])
})

test('a failed task rejects its own call and does not stop the next', async () => {
  const withLock = keyedMutex()
  const failed = withLock('a', async () => {
    throw new Error('broken')
  })
  const next = withLock('a', async () => 7)
  await assert.rejects(failed, /broken/)
  assert.equal(await next, 7)
})
