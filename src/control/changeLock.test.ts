import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Conflict } from '#store/store.ts'
import { withChangeLock } from './changeLock.ts'

/** A change that logs its start and waits for its release. */
function gate(log: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const change = async () => {
    log.push(`${name} begins`)
    await promise
    log.push(`${name} ends`)
    return name
  }
  return { change, open: resolve }
}
const nextTick = () => new Promise((resolve) => setImmediate(resolve))

test('changes of one tag run one after the other; changes of different tags run concurrently', async () => {
  const log: string[] = []
  const [a, b, c] = [gate(log, 'a'), gate(log, 'b'), gate(log, 'c')]
  const all = Promise.all([
    withChangeLock('tag_1', a.change),
    withChangeLock('tag_1', b.change),
    withChangeLock('tag_2', c.change),
  ])
  await nextTick()
  assert.deepEqual(log, ['a begins', 'c begins'])
  b.open()
  c.open()
  a.open()
  assert.deepEqual(await all, ['a', 'b', 'c'])
  assert.ok(log.indexOf('a ends') < log.indexOf('b begins'))
})

test('a failed change does not block the next', async () => {
  const failed = withChangeLock('tag_1', async () => {
    throw new Error('no')
  })
  const next = withChangeLock('tag_1', async () => 'done')
  await assert.rejects(failed, /no/)
  assert.equal(await next, 'done')
})

test('a change that conflicts with another process is retried', async () => {
  let attempts = 0
  const result = await withChangeLock('tag_1', async () => {
    attempts += 1
    if (attempts < 3) throw new Conflict('deployment.number')
    return attempts
  })
  assert.equal(result, 3)
})

test('a change that conflicts every time, or with another unique value, fails', async () => {
  let attempts = 0
  const overtaken = async () => {
    attempts += 1
    throw new Conflict('deployment.number')
  }
  await assert.rejects(withChangeLock('tag_1', overtaken), Conflict)
  assert.equal(attempts, 6)
  attempts = 0
  const taken = async () => {
    attempts += 1
    throw new Conflict('script.name')
  }
  await assert.rejects(withChangeLock('tag_1', taken), Conflict)
  assert.equal(attempts, 1)
})
