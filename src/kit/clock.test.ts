import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { systemClock } from './clock.ts'

/** Warnings of the process while `act` runs. */
async function warningsOf(act: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = []
  const listen = ({ name }: Error) => void names.push(name)
  process.on('warning', listen)
  await act()
  await setImmediate()
  process.off('warning', listen)
  return names
}

test('a wait until a time that the clock has jumped past ends at once, without a warning of Node', async () => {
  const waits = [-1, -1e15, Number.NEGATIVE_INFINITY, Number.NaN, 0]
  assert.deepEqual(await warningsOf(() => Promise.all(waits.map((ms) => systemClock.wait(ms)))), [])
})

test('a wait until a time that the clock has jumped far away from does not end at once, and can be aborted', async () => {
  const stop = new AbortController()
  let ended = 0
  const waits = [2 ** 31, 1e15, Number.POSITIVE_INFINITY].map((ms) =>
    systemClock.wait(ms, stop.signal).then(() => {
      ended++
    }),
  )
  const warnings = await warningsOf(() => systemClock.wait(5))
  assert.deepEqual([warnings, ended], [[], 0])
  stop.abort()
  await Promise.all(waits)
})
