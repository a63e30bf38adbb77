import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#contract/fault.ts'
import { openTokenIssueRate } from './tokenIssueRate.ts'

const isRefused = (error: unknown) => error instanceof Fault && error.fault === 'tokenRateExceeded'

test('an application gets its tokens of a minute at once, then one each time its share of the rate allows', () => {
  const clock = { ms: 0, now: () => clock.ms }
  let processes = 1
  const rate = openTokenIssueRate({ tokenRate: 6 }, clock, () => processes)
  for (let n = 0; n < 6; n++) rate.take('app')
  assert.throws(() => rate.take('app'), isRefused)
  assert.throws(() => rate.refuse('app'), isRefused)
  rate.take('other app')
  clock.ms = 9_999
  assert.throws(() => rate.refuse('app'), isRefused)
  clock.ms = 10_000
  rate.refuse('app')
  rate.take('app')
  processes = 2
  clock.ms = 29_000
  assert.throws(() => rate.refuse('app'), isRefused, 'with two processes each has half of the rate')
  clock.ms = 30_000
  rate.take('app')
})
