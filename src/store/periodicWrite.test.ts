import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnedClock } from '../../test/fake/clock.ts'
import { writePeriodically } from './periodicWrite.ts'
import { PartlyWritten, type StoreChange, Unwritable } from './store.ts'

type RefusedRows = Extract<StoreChange, { add: 'refusedCalls' }>
const refused = (calls: number) => ({ tagId: 'tag_1', at: 0, of: 'tag' as const, calls })

/** Pending rows whose writes the test answers: with an error, or with nothing if they succeed. */
function openPending() {
  const pending: RefusedRows['rows'][number][] = []
  const written: number[][] = []
  const messages: string[] = []
  const answers: (Error | Promise<void>)[] = []
  const stopping = new AbortController()
  const clock = turnedClock()
  const store = {
    async write([change]: readonly StoreChange[]) {
      written.push((change as RefusedRows).rows.map(({ calls }) => calls))
      const answer = await answers.shift()
      if (answer) throw answer
    },
  }
  const flush = writePeriodically(
    { clock, store, log: ({ message }) => void messages.push(message) },
    {
      kind: 'refusedCalls',
      label: 'refused calls',
      everyMs: 1_000,
      take() {
        const rows = pending.splice(0)
        return rows.length > 0 ? { add: 'refusedCalls', rows } : undefined
      },
      restore: ({ rows }) => void pending.unshift(...rows),
    },
    stopping.signal,
  )
  const add = (...calls: number[]) => void pending.push(...calls.map(refused))
  return { add, flush, clock, written, answers, messages, stop: () => stopping.abort() }
}

test('pending rows are written at each interval until the signal is aborted, and nothing if there are none', async () => {
  const { add, clock, written, stop } = openPending()
  add(1, 2)
  await clock.turn(999)
  assert.deepEqual(written, [])
  await clock.turn(1)
  assert.deepEqual(written, [[1, 2]])
  await clock.turn(5_000)
  add(3)
  await clock.turn(1_000)
  assert.deepEqual(written, [[1, 2], [3]])
  stop()
  await clock.turn(1)
  assert.equal(clock.sleeping(), 0)
})

test('rows that could not be written are written with the next flush, and the failure is logged once', async () => {
  const { add, clock, flush, written, answers, messages, stop } = openPending()
  add(1)
  answers.push(new Unwritable('the disk is full'), new Unwritable('the disk is full'))
  await flush()
  add(2)
  await flush()
  await flush()
  assert.deepEqual(written, [[1], [1, 2], [1, 2]])
  assert.deepEqual(messages, [
    'could not write refused calls; retrying with a later flush',
    'writing refused calls works again',
  ])
  stop()
  await clock.turn(0)
})

test('of rows that some databases have written, the others are written again', async () => {
  const { add, clock, flush, written, answers, stop } = openPending()
  add(1, 2, 3)
  const unwritten: StoreChange[] = [{ add: 'refusedCalls', rows: [refused(2)] }]
  answers.push(new PartlyWritten('a database is away', { unwritten, cause: undefined }))
  await flush()
  await flush()
  assert.deepEqual(written, [[1, 2, 3], [2]])
  stop()
  await clock.turn(0)
})

test('a flush waits for the write that is running, so that an erasure finds its rows', async () => {
  const { add, clock, flush, answers, stop } = openPending()
  const running = Promise.withResolvers<void>()
  answers.push(running.promise)
  add(1)
  void flush()
  let isFlushed = false
  const flushed = flush().then(() => (isFlushed = true))
  await clock.turn(0)
  assert.equal(isFlushed, false)
  running.resolve()
  await flushed
  stop()
  await clock.turn(0)
})
