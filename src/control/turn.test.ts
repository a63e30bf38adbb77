import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Conflict } from '#store/store.ts'
import { inTurn } from './turn.ts'

/** A change that says when it began and waits to be let go. */
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
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('changes of one tag are made one after the other, those of another at the same time', async () => {
  const log: string[] = []
  const [a, b, c] = [gate(log, 'a'), gate(log, 'b'), gate(log, 'c')]
  const all = Promise.all([inTurn('tag_1', a.change), inTurn('tag_1', b.change), inTurn('tag_2', c.change)])
  await settled()
  assert.deepEqual(log, ['a begins', 'c begins'])
  b.open()
  c.open()
  a.open()
  assert.deepEqual(await all, ['a', 'b', 'c'])
  assert.ok(log.indexOf('a ends') < log.indexOf('b begins'))
})

test('a change that fails does not stop the next', async () => {
  const failed = inTurn('tag_1', async () => {
    throw new Error('no')
  })
  const next = inTurn('tag_1', async () => 'done')
  await assert.rejects(failed, /no/)
  assert.equal(await next, 'done')
})

test('a change that another process overtook is made again', async () => {
  let tried = 0
  const made = await inTurn('tag_1', async () => {
    tried += 1
    if (tried < 3) throw new Conflict('deployment.number')
    return tried
  })
  assert.equal(made, 3)
})

test('a change that is overtaken for ever, or meets another conflict, fails', async () => {
  let tried = 0
  const overtaken = async () => {
    tried += 1
    throw new Conflict('deployment.number')
  }
  await assert.rejects(inTurn('tag_1', overtaken), Conflict)
  assert.equal(tried, 6)
  tried = 0
  const taken = async () => {
    tried += 1
    throw new Conflict('script.name')
  }
  await assert.rejects(inTurn('tag_1', taken), Conflict)
  assert.equal(tried, 1)
})
