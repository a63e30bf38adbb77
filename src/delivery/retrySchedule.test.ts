import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DeliveryState, type FailedAttempt, maxWaitMs, nextAttempt, scheduleMs } from './retrySchedule.ts'

const dayMs = 86_400_000
const retentionMs = 7 * dayMs
const down: FailedAttempt = { verdict: 'retry', reason: 'vendorDown' }
const state = (pastEnd: Partial<DeliveryState> = {}): DeliveryState => ({
  counted: 1,
  now: 1_000_000,
  eventAt: 1_000_000,
  receivedAt: 1_000_000,
  random: 0.5,
  waitMs: retentionMs,
  ...pastEnd,
})

test('the schedule has thirteen attempts and takes 47 h 42 m and 35 s', () => {
  assert.equal(scheduleMs.length, 13)
  assert.equal(
    scheduleMs.reduce((sum, each) => sum + each),
    ((47 * 60 + 42) * 60 + 35) * 1000,
  )
})

test('without jitter the second attempt comes 5 s after the first, the third 30 s after that', () => {
  assert.deepEqual(nextAttempt(down, state()), { status: 'pending', reason: 'vendorDown', nextAt: 1_005_000 })
  assert.deepEqual(nextAttempt(down, state({ counted: 2 })), {
    status: 'pending',
    reason: 'vendorDown',
    nextAt: 1_030_000,
  })
})

test('each delay is that of the schedule, plus or minus 20 %', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.double({ min: 0, max: 1, noNaN: true }), (counted, random) => {
      const next = nextAttempt(down, state({ counted, random }))
      assert.equal(next.status, 'pending')
      const delay = (next as { nextAt: number }).nextAt - 1_000_000
      const planned = scheduleMs[counted]!
      assert.ok(delay >= planned * 0.8 - 1 && delay <= planned * 1.2 + 1)
    }),
  )
})

test('a delivery after the end of the schedule is dead with the reason of its last attempt', () => {
  assert.deepEqual(nextAttempt(down, state({ counted: 13 })), { status: 'dead', reason: 'vendorDown' })
  assert.deepEqual(nextAttempt({ verdict: 'retry', reason: 'throttled' }, state({ counted: 13 })), {
    status: 'dead',
    reason: 'throttled',
  })
})

test('Retry-After is observed to the millisecond and costs no attempt, also after the last one of the schedule', () => {
  const throttled: FailedAttempt = { verdict: 'retry', reason: 'throttled', retryAfterMs: 90_000 }
  for (const counted of [1, 13])
    assert.deepEqual(nextAttempt(throttled, state({ counted })), {
      status: 'pending',
      reason: 'throttled',
      nextAt: 1_090_000,
      isUncounted: true,
    })
})

test('a delivery that waits for another key is due as soon as its channel continues, up to seven days, and loses no attempt', () => {
  const rejected: FailedAttempt = { verdict: 'keyRejected', reason: 'keyRejected' }
  assert.deepEqual(nextAttempt(rejected, state({ counted: 40 })), {
    status: 'pending',
    reason: 'keyRejected',
    nextAt: 1_000_000,
    isUncounted: true,
  })
  assert.deepEqual(nextAttempt(rejected, state({ now: 1_000_001 + retentionMs })), {
    status: 'dead',
    reason: 'expired',
  })
})

test('a delivery waits as long as events are kept, a replayed one as long as failures are; a short retention does not shorten the schedule', () => {
  const days = (events: number, failures: number) => ({ eventsMs: events * dayMs, failuresMs: failures * dayMs })
  const waits = (keep: ReturnType<typeof days>) => [maxWaitMs(keep, false) / dayMs, maxWaitMs(keep, true) / dayMs]
  assert.deepEqual(waits(days(7, 30)), [7, 30])
  assert.deepEqual(waits(days(14, 90)), [14, 90])
  assert.deepEqual(waits(days(60, 30)), [60, 60])
  assert.deepEqual(waits(days(1, 1)), [7, 30])
})

test('a retry at the last moment of an age limit or of the wait is still made; a millisecond later is too late', () => {
  const retry = { status: 'pending', reason: 'vendorDown', nextAt: 1_005_000 }
  assert.deepEqual(nextAttempt(down, state({ maxAgeMs: 5_000 })), retry)
  assert.deepEqual(nextAttempt(down, state({ maxAgeMs: 4_999 })), { status: 'dead', reason: 'tooOld' })
  assert.deepEqual(nextAttempt(down, state({ waitMs: 5_000 })), retry)
  assert.deepEqual(nextAttempt(down, state({ waitMs: 4_999 })), { status: 'dead', reason: 'expired' })
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
  const states = fc.record(
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
    fc.property(failures, states, (failure, at) => {
      const next = nextAttempt(failure, at)
      if (next.status === 'dead') return
      assert.ok(next.nextAt >= at.now)
      assert.ok(next.nextAt <= at.receivedAt + at.waitMs)
      if (at.maxAgeMs !== undefined) assert.ok(next.nextAt <= at.eventAt + at.maxAgeMs)
      assert.equal(next.isUncounted === true, failure.verdict === 'keyRejected' || failure.retryAfterMs !== undefined)
    }),
  )
})
