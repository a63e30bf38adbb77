import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Failure, retry, type Standing, scheduleMs, waitMs } from './retry.ts'

const dayMs = 86_400_000
const retentionMs = 7 * dayMs
const down: Failure = { verdict: 'retry', reason: 'vendorDown' }
const standing = (over: Partial<Standing> = {}): Standing => ({
  counted: 1,
  now: 1_000_000,
  eventAt: 1_000_000,
  receivedAt: 1_000_000,
  random: 0.5,
  waitMs: retentionMs,
  ...over,
})

test('the schedule has thirteen attempts and takes 47 h 42 m and 35 s', () => {
  assert.equal(scheduleMs.length, 13)
  assert.equal(
    scheduleMs.reduce((sum, each) => sum + each),
    ((47 * 60 + 42) * 60 + 35) * 1000,
  )
})

test('without jitter the second attempt comes 5 s after the first, the third 30 s after that', () => {
  assert.deepEqual(retry(down, standing()), { status: 'pending', reason: 'vendorDown', nextAt: 1_005_000 })
  assert.deepEqual(retry(down, standing({ counted: 2 })), {
    status: 'pending',
    reason: 'vendorDown',
    nextAt: 1_030_000,
  })
})

test('each delay is the one of the schedule, give or take a fifth', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.double({ min: 0, max: 1, noNaN: true }), (counted, random) => {
      const next = retry(down, standing({ counted, random }))
      assert.equal(next.status, 'pending')
      const delay = (next as { nextAt: number }).nextAt - 1_000_000
      const planned = scheduleMs[counted]!
      assert.ok(delay >= planned * 0.8 - 1 && delay <= planned * 1.2 + 1)
    }),
  )
})

test('when the schedule is over the delivery is dead for the reason of its last attempt', () => {
  assert.deepEqual(retry(down, standing({ counted: 13 })), { status: 'dead', reason: 'vendorDown' })
  assert.deepEqual(retry({ verdict: 'retry', reason: 'throttled' }, standing({ counted: 13 })), {
    status: 'dead',
    reason: 'throttled',
  })
})

test('Retry-After is kept to the millisecond and costs no attempt, also after the last of the schedule', () => {
  const throttled: Failure = { verdict: 'retry', reason: 'throttled', retryAfterMs: 90_000 }
  for (const counted of [1, 13])
    assert.deepEqual(retry(throttled, standing({ counted })), {
      status: 'pending',
      reason: 'throttled',
      nextAt: 1_090_000,
      free: true,
    })
})

test('what waits for another key is due as soon as its channel goes on, up to seven days, and loses no attempt', () => {
  const rejected: Failure = { verdict: 'keyRejected', reason: 'keyRejected' }
  assert.deepEqual(retry(rejected, standing({ counted: 40 })), {
    status: 'pending',
    reason: 'keyRejected',
    nextAt: 1_000_000,
    free: true,
  })
  assert.deepEqual(retry(rejected, standing({ now: 1_000_001 + retentionMs })), { status: 'dead', reason: 'expired' })
})

test('a delivery waits as long as events are kept, a replayed one as long as failures are; less than usual cuts nothing short', () => {
  const days = (events: number, failures: number) => ({ eventsMs: events * dayMs, failuresMs: failures * dayMs })
  const waits = (keep: ReturnType<typeof days>) => [waitMs(keep, false) / dayMs, waitMs(keep, true) / dayMs]
  assert.deepEqual(waits(days(7, 30)), [7, 30])
  assert.deepEqual(waits(days(14, 90)), [14, 90])
  assert.deepEqual(waits(days(60, 30)), [60, 60])
  assert.deepEqual(waits(days(1, 1)), [7, 30])
})

test('no attempt is ever planned past the age limit of the provider or past the retention', () => {
  const failures = fc.record(
    {
      verdict: fc.constantFrom('retry' as const, 'keyRejected' as const),
      reason: fc.constantFrom('vendorDown' as const, 'throttled' as const),
      retryAfterMs: fc.integer({ min: 1_000, max: 21_600_000 }),
    },
    { requiredKeys: ['verdict', 'reason'] },
  )
  const standings = fc.record(
    {
      counted: fc.integer({ min: 1, max: 20 }),
      now: fc.integer({ min: 0, max: 2 * retentionMs }),
      eventAt: fc.integer({ min: 0, max: retentionMs }),
      receivedAt: fc.integer({ min: 0, max: retentionMs }),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
      maxAgeMs: fc.integer({ min: 0, max: retentionMs }),
      waitMs: fc.integer({ min: 0, max: 2 * retentionMs }),
    },
    { requiredKeys: ['counted', 'now', 'eventAt', 'receivedAt', 'random', 'waitMs'] },
  )
  fc.assert(
    fc.property(failures, standings, (failure, at) => {
      const next = retry(failure, at)
      if (next.status === 'dead') return
      assert.ok(next.nextAt >= at.now)
      assert.ok(next.nextAt <= at.receivedAt + at.waitMs)
      if (at.maxAgeMs !== undefined) assert.ok(next.nextAt <= at.eventAt + at.maxAgeMs)
      assert.equal(next.free === true, failure.verdict === 'keyRejected' || failure.retryAfterMs !== undefined)
    }),
  )
})
