import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delivered } from '#match/match.fixture.ts'
import type { IntakeBatch } from '#store/intake.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { openIntakeLog } from './intakeLog.ts'

function openTestLog() {
  const clock = turnedClock()
  const written: IntakeBatch[] = []
  const failures: string[] = []
  const state = { isBroken: false }
  const store = {
    write: async ([change]: readonly { batch?: IntakeBatch }[]) => {
      if (state.isBroken) throw new Error('the disk is full')
      written.push(change!.batch!)
    },
  } as never
  const closing = new AbortController()
  const log = openIntakeLog({ clock, store, log: ({ message }) => void failures.push(message) }, closing.signal)
  return { clock, written, failures, state, log, close: () => closing.abort() }
}
const refusal = { code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag' }

test('counts add up in memory by minute and are written every five seconds', async () => {
  const { clock, written, log, close } = openTestLog()
  log.countEvents('tag_1', 'accepted', 2)
  log.countEvents('tag_1', 'accepted', 3)
  log.countEvents('tag_1', 'rejected', 0)
  log.addRefusal('tag_1', refusal)
  log.addLatency({ tagId: 'tag_1', scriptId: 'scr_1' }, 'response', 10)
  log.addLatency({ tagId: 'tag_1', scriptId: 'scr_1' }, 'response', 9.9)
  log.addCaller('tag_1', { call: 'tag', host: 'a.example' })
  log.addCaller('tag_1', { call: 'tag', host: 'a.example' })
  await clock.turn(5_000)
  await until('the write', () => written.length === 1)
  const [{ counts, latencies, refusals, seen }] = written as [IntakeBatch]
  assert.deepEqual(
    counts.map(({ code, count }) => [code, count]),
    [
      ['accepted', 5],
      ['ORIGIN_REFUSED', 1],
    ],
  )
  assert.deepEqual(
    latencies.map(({ kind, bucket, count }) => [kind, bucket, count]),
    [['response', 8, 2]],
  )
  assert.deepEqual([refusals.length, seen.length], [1, 1])
  await clock.turn(5_000)
  assert.equal(written.length, 1)
  close()
})

test('what could not be written is written with the next flush, once, and the log has one line until then', async () => {
  const { written, failures, state, log, close } = openTestLog()
  state.isBroken = true
  log.countEvents('tag_1', 'accepted', 2)
  log.addRefusal('tag_1', refusal)
  log.addCaller('tag_1', { call: 'load' })
  log.addLatency({ tagId: 'tag_1', scriptId: 'scr_1' }, 'response', 10)
  log.addRepeat('tag_1', 7n)
  log.addMatch(delivered({}))
  await log.flush()
  await log.flush()
  assert.equal(failures.length, 1)
  state.isBroken = false
  log.countEvents('tag_1', 'accepted', 1)
  log.addRefusal('tag_1', refusal)
  log.addLatency({ tagId: 'tag_1', scriptId: 'scr_1' }, 'response', 10)
  log.addRepeat('tag_1', 7n)
  log.addMatch(delivered({ n: 1 }))
  await log.flush()
  const [{ counts, latencies, matches, refusals, repeats, seen }] = written as [IntakeBatch]
  assert.equal(counts.find(({ code }) => code === 'accepted')?.count, 3)
  assert.deepEqual([latencies[0]!.count, repeats[0]!.count], [2, 2])
  assert.deepEqual([latencies.length, repeats.length], [1, 1])
  assert.deepEqual(
    matches.filter(({ what }) => what === 'events').map(({ count }) => count),
    [2],
  )
  assert.deepEqual([refusals.length, seen.length], [2, 1])
  assert.ok(refusals[0]!.number < refusals[1]!.number)
  close()
})

test('strangers fill no memory: refusals, hosts and tags are bounded between two writes', async () => {
  const { written, log, close } = openTestLog()
  for (let n = 0; n < 200_000; n++) {
    log.addRefusal(`tag_${n % 70}`, { ...refusal, origin: `https://${n}.example` })
    log.addCaller('tag_1', { call: 'tag', host: `${n}.example` })
    log.addRefusal('tag_1', { ...refusal, code: `CODE_${n}` })
  }
  await log.flush()
  const [{ counts, refusals, seen }] = written as [IntakeBatch]
  assert.ok(counts.length <= 100_000, `${counts.length} counts`)
  assert.ok(refusals.length <= 5_000, `${refusals.length} refusals`)
  assert.ok(seen.length <= 5_000, `${seen.length} callers`)
  const ofTag = refusals.filter(({ tagId }) => tagId === 'tag_1')
  assert.equal(ofTag.length, 100)
  assert.equal(ofTag.at(-1)?.code, 'CODE_199999')
  close()
})

test('a listener gets each refusal of its tag until it leaves', () => {
  const { log, close } = openTestLog()
  const heard: string[] = []
  const listener = log.onRefusal('tag_1', ({ code }) => heard.push(code))
  log.addRefusal('tag_1', refusal)
  log.addRefusal('tag_2', refusal)
  listener[Symbol.dispose]()
  log.addRefusal('tag_1', refusal)
  assert.deepEqual(heard, ['ORIGIN_REFUSED'])
  close()
})
