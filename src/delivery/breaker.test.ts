import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allowed, type Breaker, begun, closed, firstOpenMs, heard, idle, probeMs } from './breaker.ts'

const at = 1_790_000_000_000
type Was = 'good' | 'bad' | 'rejected'
const reasonOf = (was: Was) => (was === 'rejected' ? 'keyRejected' : 'vendorDown')
const answer = (breaker: Breaker, was: Was, now: number, begunAt = now) =>
  heard(breaker, { was, reason: reasonOf(was), begunAt, now })
const answers = (breaker: Breaker, row: readonly Was[], now: number) =>
  row.reduce((each, was) => answer(each, was, now), breaker)
const times = (count: number, was: Was) => Array.from({ length: count }, () => was)
/** The probe that is allowed at `now` is made and answered. */
const probed = (breaker: Breaker, was: Was, now: number) => answer(begun(breaker, now), was, now)
const openedAt = (now: number) => answers(closed, times(10, 'bad'), now)

test('ten failures in a row open it for ten seconds; nine and a success do not', () => {
  assert.equal(answers(closed, [...times(9, 'bad'), 'good', ...times(9, 'bad')], at).is, 'closed')
  const open = openedAt(at)
  assert.deepEqual(open, { is: 'open', reason: 'vendorDown', since: at, times: 1, until: at + firstOpenMs })
  assert.deepEqual([allowed(open, at + firstOpenMs - 1), allowed(open, at + firstOpenMs)], [0, 1])
})

test('half of at least twenty answers of a minute open it; of nineteen they do not, nor with what is older', () => {
  const mixed = (count: number) => Array.from({ length: count }, (_, n): Was => (n % 2 ? 'bad' : 'good'))
  assert.equal(answers(closed, mixed(19), at).is, 'closed')
  assert.equal(answers(closed, mixed(20), at).is, 'open')
  assert.equal(answers(answers(closed, mixed(19), at), ['good', 'bad'], at + 65_000).is, 'closed')
  assert.equal(answers(closed, [...times(11, 'good'), ...times(9, 'bad')], at).is, 'closed')
})

test('each probe that fails doubles the time, up to ten minutes; one that succeeds closes it', () => {
  let breaker = openedAt(at)
  for (const [n, openMs] of [20, 40, 80, 160, 320, 600, 600].map((s) => s * 1_000).entries()) {
    assert.equal(breaker.is, 'open')
    const now = breaker.is === 'open' ? breaker.until : 0
    breaker = probed(breaker, 'bad', now)
    assert.deepEqual(breaker.is === 'open' && [breaker.until - now, breaker.times, breaker.since], [openMs, n + 2, at])
  }
  assert.equal(probed(breaker, 'good', at + 10_000_000).is, 'closed')
})

test('one that opens soon again stays open for longer; after a steady minute it begins with ten seconds', () => {
  const back = probed(openedAt(at), 'good', at + firstOpenMs)
  const soon = answers(back, times(10, 'bad'), at + firstOpenMs + 1_000)
  const later = answers(back, times(10, 'bad'), at + firstOpenMs + 60_001)
  assert.deepEqual(
    [soon, later].map((each) => each.is === 'open' && each.times),
    [2, 1],
  )
})

test('a rejected key opens it for an hour, whatever it was, and a second rejection does not prolong it', () => {
  for (const before of [closed, openedAt(at), begun(openedAt(at), at + firstOpenMs)]) {
    const rejected = answer(before, 'rejected', at + firstOpenMs)
    assert.deepEqual(rejected.is === 'open' && [rejected.reason, rejected.until], [
      'keyRejected',
      at + firstOpenMs + probeMs,
    ])
    assert.deepEqual(answer(rejected, 'rejected', at + firstOpenMs + 5_000), rejected)
  }
})

test('only one call finds out whether the vendor is back; where it was never made, the next one does', () => {
  const probing = begun(openedAt(at), at + firstOpenMs)
  assert.equal(allowed(probing, at + firstOpenMs), 1)
  const again = idle(probing, at + firstOpenMs + 5)
  assert.equal(allowed(again, at + firstOpenMs + 5), 1)
  assert.deepEqual(probed(again, 'good', at + firstOpenMs + 6).is, 'closed')
})

test('what was begun before it opened, or before it closed again, tells nothing new', () => {
  const probing = begun(openedAt(at), at + firstOpenMs)
  assert.deepEqual(answer(probing, 'good', at + firstOpenMs + 1, at - 1), probing)
  const back = probed(openedAt(at), 'good', at + firstOpenMs)
  assert.deepEqual(answers(back, ['good'], at + firstOpenMs).is, 'closed')
  assert.deepEqual(answer(back, 'rejected', at + firstOpenMs + 1, at), back)
})

test('a clock that is set back opens it at once, and deafens it never', () => {
  assert.equal(allowed(openedAt(at), at - probeMs * 2), 1)
  const back = probed(openedAt(at), 'good', at + firstOpenMs)
  assert.equal(answers(back, times(10, 'bad'), at - 86_400_000).is, 'open')
})

const steps = fc.array(
  fc.record({ was: fc.constantFrom<Was>('good', 'bad', 'rejected'), afterMs: fc.integer({ min: 0, max: 30_000 }) }),
  { maxLength: 200 },
)

test('whatever is answered: it never opens for good, never lets more than a probe through, and closes by one success', () => {
  fc.assert(
    fc.property(steps, (row) => {
      let breaker: Breaker = closed
      let now = at
      for (const { was, afterMs } of row) {
        now += afterMs
        if (allowed(breaker, now) > 0) breaker = answer(begun(breaker, now), was, now)
        if (breaker.is === 'open') assert.ok(breaker.until - now <= probeMs)
        if (breaker.is !== 'closed') assert.ok(allowed(breaker, now + probeMs) === 1)
        if (breaker.is === 'closed') assert.ok(breaker.slots.length <= 12)
      }
      assert.equal(probed(breaker, 'good', now + probeMs).is, 'closed')
    }),
    { numRuns: 500 },
  )
})

test('a vendor that never fails is never left alone', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 })), (gaps) => {
      const after = gaps.reduce(
        ({ breaker, now }, gap) => ({ breaker: answer(breaker, 'good', now + gap), now: now + gap }),
        { breaker: closed, now: at },
      )
      assert.equal(allowed(after.breaker, after.now), Number.POSITIVE_INFINITY)
    }),
  )
})
