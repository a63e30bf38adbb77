import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { insist } from './insist.ts'
import type { Log } from './log.ts'

/** Work that fails so many times before it is done. */
function house(failures: number) {
  const clock = turnedClock()
  const lines: Parameters<Log>[0][] = []
  const giveUp = new AbortController()
  const done = { tries: 0, told: undefined as boolean | undefined }
  const work = async () => {
    if (done.tries++ < failures) throw new Error('disk full')
  }
  const start = () =>
    void insist('write it', work, { clock, log: (line) => void lines.push(line) }, giveUp.signal).then(
      (is) => (done.told = is),
    )
  return { clock, lines, giveUp, done, start }
}

test('what fails is done again each second, with a line for each failure, until it is done', async () => {
  const { clock, lines, done, start } = house(2)
  start()
  await clock.turn(0)
  await clock.turn(999)
  assert.deepEqual([done.tries, done.told], [1, undefined])
  await clock.turn(1_001)
  await until('it is done', () => done.told !== undefined)
  assert.deepEqual([done.tries, done.told], [3, true])
  assert.deepEqual(
    lines.map(({ message }) => message),
    Array(2).fill('could not write it: it is tried again'),
  )
})

test('it is given up at the signal, and then it is not done', async () => {
  const { clock, giveUp, done, start } = house(10)
  start()
  await clock.turn(0)
  await clock.turn(1_500)
  giveUp.abort()
  await until('it is given up', () => done.told !== undefined)
  assert.deepEqual([done.tries, done.told], [2, false])
})

test('after the signal nothing is begun', async () => {
  const { giveUp, done, start } = house(0)
  giveUp.abort()
  start()
  await until('it is given up', () => done.told !== undefined)
  assert.deepEqual([done.tries, done.told], [0, false])
})
