import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turns } from './turns.ts'

test('works of one name are done in their order, those of another name beside them', async () => {
  const inTurn = turns()
  const done: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = inTurn('a', async () => {
    await gate.promise
    done.push('a1')
  })
  const second = inTurn('a', async () => void done.push('a2'))
  await inTurn('b', async () => void done.push('b'))
  gate.resolve()
  await Promise.all([first, second])
  assert.deepEqual(done, ['b', 'a1', 'a2'])
})

test('a work that fails is told to its caller and hinders no other', async () => {
  const inTurn = turns()
  const failed = inTurn('a', async () => {
    throw new Error('broken')
  })
  const next = inTurn('a', async () => 7)
  await assert.rejects(failed, /broken/)
  assert.equal(await next, 7)
})
