import assert from 'node:assert/strict'
import { test } from 'node:test'
import { healthOf } from './channel.ts'

const none = { delivered: 0, failed: 0, runs: 0, failedRuns: 0 }
const healthIn = (facts: Partial<Parameters<typeof healthOf>[0]>) =>
  healthOf({ state: 'ok', lastHour: none, waiting: 0, now: 1_000_000, ...facts })

test('the health of a channel is the worst of what applies', () => {
  const failing = { ...none, delivered: 8, failed: 2 }
  assert.equal(healthIn({}), 'quiet')
  assert.equal(healthIn({ lastHour: { ...none, delivered: 1 } }), 'ok')
  assert.equal(healthIn({ lastHour: { ...none, runs: 1 } }), 'ok')
  assert.equal(healthIn({ lastHour: failing }), 'failing')
  assert.equal(healthIn({ lastHour: { ...none, failed: 1 } }), 'failing')
  assert.equal(healthIn({ lastHour: { ...none, delivered: 100, runs: 5, failedRuns: 4 } }), 'failing')
  assert.equal(healthIn({ lastHour: { ...none, delivered: 9, failed: 1 } }), 'ok')
  assert.equal(healthIn({ state: 'throttled' }), 'waiting')
  assert.equal(healthIn({ state: 'throttled', lastHour: failing }), 'failing')
  assert.equal(healthIn({ waiting: 3, oldestAt: 1_000_000 - 59_000 }), 'quiet')
  assert.equal(healthIn({ waiting: 3, oldestAt: 1_000_000 - 61_000, lastHour: { ...none, delivered: 1 } }), 'waiting')
  for (const state of ['paused', 'keyRejected', 'vendorDown'] as const)
    assert.equal(healthIn({ state, lastHour: failing }), 'stopped')
  assert.equal(healthIn({ state: 'draft', lastHour: failing }), 'quiet')
})
