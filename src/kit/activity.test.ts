import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openActivity } from './activity.ts'

test('the end of an activity is that of all work that had begun, and not of later work', async () => {
  const activity = openActivity()
  const [one, two] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const result = activity.run(() => one.promise)
  let hasEnded = false
  const ended = activity.ended().then(() => {
    hasEnded = true
  })
  const later = activity.run(() => two.promise)
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(!hasEnded)
  one.resolve('one')
  await ended
  assert.equal(await result, 'one')
  two.resolve('two')
  assert.equal(await later, 'two')
})

test('work that fails has ended, and its caller gets the error', async () => {
  const activity = openActivity()
  const failing = activity.run(async () => {
    throw new Error('no')
  })
  await activity.ended()
  await assert.rejects(failing, /^Error: no$/)
})
