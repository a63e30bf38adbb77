import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Judgement } from '#provider/engine/judgement.ts'
import { openChannelHealth } from './channelHealth.ts'
import { windowSizes } from './concurrencyWindow.ts'

const answerAt = (now: number) => ({ startedAt: now, now, inFlight: 1_000 })
const down: Judgement = { verdict: 'retry', reason: 'vendorDown' }

test('a change of the breaker is written once, and a probe is not written', () => {
  const health = openChannelHealth()
  assert.equal(health.takeBreakerChange(), undefined)
  for (let n = 1; n <= 10; n++) health.recordAnswer(down, answerAt(n))
  const { before, after } = health.takeBreakerChange()!
  assert.deepEqual([before.state, after.state, health.isStoppedInJournal()], ['closed', 'open', true])
  assert.equal(health.takeBreakerChange(), undefined)
  const later = 1_000_000
  health.callStarted(later)
  assert.deepEqual([health.breaker.state, health.takeBreakerChange()], ['probing', undefined])
  health.recordAnswer({ verdict: 'delivered' }, answerAt(later + 1))
  assert.deepEqual([health.takeBreakerChange()?.after.state, health.isStoppedInJournal()], ['closed', false])
})

test('after a probe that succeeded one call may be in flight, else as many as the window', () => {
  const health = openChannelHealth()
  assert.equal(health.allowedCalls(0), windowSizes.initial)
  health.restore({ state: 'open', reason: 'vendorDown', since: 0, until: 10, times: 1 })
  assert.deepEqual([health.allowedCalls(9), health.stopReason(9), health.allowedCalls(10)], [0, 'vendorDown', 1])
  health.callStarted(10)
  health.recordAnswer({ verdict: 'delivered' }, answerAt(11))
  assert.deepEqual([health.allowedCalls(11), health.stopReason(11)], [1, undefined])
})

test('Retry-After stops the channel until its time, except a time that only a clock set back explains', () => {
  const health = openChannelHealth()
  health.recordAnswer({ verdict: 'retry', retryAfterMs: 60_000 }, answerAt(0))
  assert.deepEqual([health.stopReason(59_999), health.stopReason(60_000)], ['throttled', undefined])
  assert.deepEqual([health.isInitial(59_999), health.isInitial(60_000)], [false, true])
  assert.equal(health.stopReason(-7 * 3_600_000), undefined)
})
