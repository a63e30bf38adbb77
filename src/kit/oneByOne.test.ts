import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneByOne } from './oneByOne.ts'

test('what is run one by one never overlaps, keeps its order and answers each who asked', async () => {
  const run = oneByOne()
  const log: string[] = []
  const step = (name: string) => async () => {
    log.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    log.push(`${name} ends`)
    return name
  }
  assert.deepEqual(await Promise.all([run(step('a')), run(step('b'))]), ['a', 'b'])
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins', 'b ends'])
})

test('what fails is told to who asked, and the next is run', async () => {
  const run = oneByOne()
  const failed = run(async () => Promise.reject(new Error('no')))
  const next = run(async () => 'done')
  await assert.rejects(failed, /no/)
  assert.equal(await next, 'done')
})
