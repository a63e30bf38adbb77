import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import {
  allowedCalls,
  type Breaker,
  callStarted,
  callsEnded,
  closedBreaker,
  firstOpenMs,
  probeMs,
  recordResult,
} from './circuitBreaker.ts'

const at = 1_790_000_000_000
type Result = 'good' | 'bad' | 'rejected'
const reasonOf = (result: Result) => (result === 'rejected' ? 'keyRejected' : 'vendorDown')
const answer = (breaker: Breaker, result: Result, now: number, startedAt = now) =>
  recordResult(breaker, { result, reason: reasonOf(result), startedAt, now })
const answers = (breaker: Breaker, results: readonly Result[], now: number) =>
  results.reduce((each, result) => answer(each, result, now), breaker)
const times = (count: number, result: Result) => Array.from({ length: count }, () => result)
/** The breaker after a probe at `now` was answered. */
const probed = (breaker: Breaker, result: Result, now: number) => answer(callStarted(breaker, now), result, now)
const openedAt = (now: number) => answers(closedBreaker, times(10, 'bad'), now)

test('ten consecutive failures open the breaker for ten seconds; nine and a success do not', () => {
  assert.equal(answers(closedBreaker, [...times(9, 'bad'), 'good', ...times(9, 'bad')], at).state, 'closed')
  const open = openedAt(at)
  assert.deepEqual(open, { state: 'open', reason: 'vendorDown', since: at, times: 1, until: at + firstOpenMs })
  assert.deepEqual([allowedCalls(open, at + firstOpenMs - 1), allowedCalls(open, at + firstOpenMs)], [0, 1])
})

test('failures of half of at least twenty answers within a minute open the breaker; nineteen answers or older ones do not', () => {
  const mixed = (count: number) => Array.from({ length: count }, (_, n): Result => (n % 2 ? 'bad' : 'good'))
  assert.equal(answers(closedBreaker, mixed(19), at).state, 'closed')
  assert.equal(answers(closedBreaker, mixed(20), at).state, 'open')
  assert.equal(answers(answers(closedBreaker, mixed(19), at), ['good', 'bad'], at + 65_000).state, 'closed')
  assert.equal(answers(closedBreaker, [...times(11, 'good'), ...times(9, 'bad')], at).state, 'closed')
})

test('each failed probe doubles the open time, up to ten minutes; a successful one closes the breaker', () => {
  let breaker = openedAt(at)
  for (const [n, openMs] of [20, 40, 80, 160, 320, 600, 600].map((s) => s * 1_000).entries()) {
    assert.equal(breaker.state, 'open')
    const now = breaker.state === 'open' ? breaker.until : 0
    breaker = probed(breaker, 'bad', now)
    assert.deepEqual(breaker.state === 'open' && [breaker.until - now, breaker.times, breaker.since], [
      openMs,
      n + 2,
      at,
    ])
  }
  assert.equal(probed(breaker, 'good', at + 10_000_000).state, 'closed')
})

test('a breaker that opens again soon stays open for longer; after a minute closed it begins with ten seconds', () => {
  const back = probed(openedAt(at), 'good', at + firstOpenMs)
  const soon = answers(back, times(10, 'bad'), at + firstOpenMs + 1_000)
  const later = answers(back, times(10, 'bad'), at + firstOpenMs + 60_001)
  assert.deepEqual(
    [soon, later].map((each) => each.state === 'open' && each.times),
    [2, 1],
  )
})

test('a rejected key opens the breaker for an hour from any state, and a second rejection does not prolong it', () => {
  for (const before of [closedBreaker, openedAt(at), callStarted(openedAt(at), at + firstOpenMs)]) {
    const rejected = answer(before, 'rejected', at + firstOpenMs)
    assert.deepEqual(rejected.state === 'open' && [rejected.reason, rejected.until], [
      'keyRejected',
      at + firstOpenMs + probeMs,
    ])
    assert.deepEqual(answer(rejected, 'rejected', at + firstOpenMs + 5_000), rejected)
  }
})

test('only one call probes the vendor; if it was never made, the next call is the probe', () => {
  const probing = callStarted(openedAt(at), at + firstOpenMs)
  assert.equal(allowedCalls(probing, at + firstOpenMs), 1)
  const again = callsEnded(probing, at + firstOpenMs + 5)
  assert.equal(allowedCalls(again, at + firstOpenMs + 5), 1)
  assert.deepEqual(probed(again, 'good', at + firstOpenMs + 6).state, 'closed')
})

test('answers to calls that began before the breaker opened or closed again are ignored', () => {
  const probing = callStarted(openedAt(at), at + firstOpenMs)
  assert.deepEqual(answer(probing, 'good', at + firstOpenMs + 1, at - 1), probing)
  const back = probed(openedAt(at), 'good', at + firstOpenMs)
  assert.deepEqual(answers(back, ['good'], at + firstOpenMs).state, 'closed')
  assert.deepEqual(answer(back, 'rejected', at + firstOpenMs + 1, at), back)
})

test('a clock that is set back allows a probe at once, and later answers still count', () => {
  assert.equal(allowedCalls(openedAt(at), at - probeMs * 2), 1)
  const back = probed(openedAt(at), 'good', at + firstOpenMs)
  assert.equal(answers(back, times(10, 'bad'), at - 86_400_000).state, 'open')
})

const steps = fc.array(
  fc.record({
    result: fc.constantFrom<Result>('good', 'bad', 'rejected'),
    afterMs: fc.integer({ min: 0, max: 30_000 }),
  }),
  { maxLength: 200 },
)

test('for any answers, the breaker never stays open forever, never allows more than one probe, and closes after one success', () => {
  fc.assert(
    fc.property(steps, (results) => {
      let breaker: Breaker = closedBreaker
      let now = at
      for (const { result, afterMs } of results) {
        now += afterMs
        if (allowedCalls(breaker, now) > 0) breaker = answer(callStarted(breaker, now), result, now)
        if (breaker.state === 'open') assert.ok(breaker.until - now <= probeMs)
        if (breaker.state !== 'closed') assert.ok(allowedCalls(breaker, now + probeMs) === 1)
        if (breaker.state === 'closed') assert.ok(breaker.slots.length <= 12)
      }
      assert.equal(probed(breaker, 'good', now + probeMs).state, 'closed')
    }),
    { numRuns: cases(500) },
  )
})

test('the breaker of a vendor that never fails stays closed', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 })), (gaps) => {
      const after = gaps.reduce(
        ({ breaker, now }, gap) => ({ breaker: answer(breaker, 'good', now + gap), now: now + gap }),
        { breaker: closedBreaker, now: at },
      )
      assert.equal(allowedCalls(after.breaker, after.now), Number.POSITIVE_INFINITY)
    }),
  )
})
