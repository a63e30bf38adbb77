import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnedClock, until } from '../../test/fake/clock.ts'
import type { Log } from './log.ts'
import { retryUntilDone } from './retryUntilDone.ts'

/** Work that fails `failures` times before it succeeds. */
function openRetry(failures: number) {
  const clock = turnedClock()
  const lines: Parameters<Log>[0][] = []
  const giveUp = new AbortController()
  const done = { tries: 0, result: undefined as boolean | undefined }
  const work = async () => {
    if (done.tries++ < failures) throw new Error('disk full')
  }
  const start = () =>
    void retryUntilDone('write it', work, { clock, log: (line) => void lines.push(line) }, giveUp.signal).then(
      (isDone) => (done.result = isDone),
    )
  return { clock, lines, giveUp, done, start }
}

test('failed work is retried each second until it succeeds, with a log line for each failure', async () => {
  const { clock, lines, done, start } = openRetry(2)
  start()
  await clock.turn(0)
  await clock.turn(999)
  assert.deepEqual([done.tries, done.result], [1, undefined])
  await clock.turn(1_001)
  await until('it is done', () => done.result !== undefined)
  assert.deepEqual([done.tries, done.result], [3, true])
  assert.deepEqual(
    lines.map(({ message }) => message),
    Array(2).fill('could not write it; retrying every second'),
  )
})

test('the abort signal stops the retries, and the result is false', async () => {
  const { clock, giveUp, done, start } = openRetry(10)
  start()
  await clock.turn(0)
  await clock.turn(1_500)
  giveUp.abort()
  await until('it is given up', () => done.result !== undefined)
  assert.deepEqual([done.tries, done.result], [2, false])
})

test('work is not started after the abort signal', async () => {
  const { giveUp, done, start } = openRetry(0)
  giveUp.abort()
  start()
  await until('it is given up', () => done.result !== undefined)
  assert.deepEqual([done.tries, done.result], [0, false])
})

test('a failure after the abort signal is a warning: nothing is retried', async () => {
  const lines: Parameters<Log>[0][] = []
  const giveUp = new AbortController()
  const work = async () => {
    giveUp.abort()
    throw new Error('the database is closed')
  }
  const deps = { clock: turnedClock(), log: (line: Parameters<Log>[0]) => void lines.push(line) }
  assert.equal(await retryUntilDone('write it', work, deps, giveUp.signal), false)
  assert.deepEqual(
    lines.map(({ level, message }) => `${level} ${message}`),
    ['warn could not write it; the work was stopped'],
  )
})
