import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '#kit/log.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { createTimer, pollDue } from './duePoller.ts'

/** A poller of a store that has nothing due, until `stop`. `reads`: the times after which it asked for due deliveries. */
function startPoller(isLogged?: true) {
  const clock = turnedClock()
  const timer = createTimer({ clock })
  const reads: number[] = []
  const lines: Parameters<Log>[0][] = []
  const polled = { refills: 0, slots: [0], reads, lines, isBroken: false }
  const stopping = new AbortController()
  const journal = {
    ...(isLogged && { isLogged }),
    async nextDue(afterMs: number) {
      reads.push(afterMs)
      if (polled.isBroken) throw new Error('disk full')
      return []
    },
  }
  const dispatcher = { markStored() {}, refill: async () => void polled.refills++ }
  const ownership = { slots: () => polled.slots }
  const log: Log = (line) => void lines.push(line)
  const polling = pollDue({ clock, log, timer, store: { journal }, dispatcher, ownership }, stopping.signal)
  const stop = () => {
    stopping.abort()
    return polling
  }
  const refillsAgain = async () => {
    const { refills } = polled
    timer.wake()
    await until('the queues are refilled', () => polled.refills > refills)
  }
  return { clock, polled, refillsAgain, stop }
}

test('a channel that asks for a refill does not make the store be searched for due deliveries before their second', async () => {
  const { clock, polled, refillsAgain, stop } = startPoller()
  await until('it waits', () => clock.sleeping() === 1)
  const startedAt = clock.now()
  await clock.turn(999)
  await refillsAgain()
  assert.deepEqual(polled.reads, [-1])
  await clock.turn(1)
  await until('the second has passed', () => polled.reads.length === 2)
  assert.deepEqual(polled.reads, [-1, startedAt])
  await stop()
})

test('a journal of many workers is searched from the beginning every minute, and one with a log every hour', async () => {
  for (const isLogged of [undefined, true] as const) {
    const { clock, polled, stop } = startPoller(isLogged)
    const searches = () => polled.reads.filter((afterMs) => afterMs === -1).length
    const after = async (ms: number) => {
      await until('it waits', () => clock.sleeping() === 1)
      await clock.turn(ms)
      return searches()
    }
    assert.equal(await after(59_000), 1)
    assert.equal(await after(2_000), isLogged ? 1 : 2)
    if (isLogged) assert.equal(await after(3_600_000), 2)
    await stop()
  }
})

test('slots that the worker gains are searched from the beginning, at once', async () => {
  const { polled, refillsAgain, stop } = startPoller()
  await refillsAgain()
  polled.slots = [0, 1]
  await refillsAgain()
  assert.deepEqual(polled.reads, [-1, -1])
  await stop()
})

test('a store that cannot be read is read again after a second, and each failure is logged', async () => {
  const { clock, polled, refillsAgain, stop } = startPoller()
  const startedAt = clock.now()
  polled.isBroken = true
  await until('it waits', () => clock.sleeping() === 1)
  await clock.turn(1_000)
  await until('it has failed', () => polled.lines.length === 1)
  await refillsAgain()
  assert.equal(polled.reads.length, 2)
  await until('it waits', () => clock.sleeping() === 1)
  await clock.turn(1_000)
  await until('it has failed again', () => polled.lines.length === 2)
  assert.equal(polled.lines[1]!.message, 'could not read the due deliveries')
  assert.deepEqual(polled.reads, [-1, startedAt, startedAt])
  await stop()
})
