import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportWith } from './match.fixture.ts'
import { matchDrops } from './matchAlert.ts'

test('a channel whose coverage fell by at least a tenth is told, with both shares', () => {
  assert.deepEqual(matchDrops(reportWith(500, 0.95), reportWith(400, 0.7)), [
    {
      scriptId: 'scr_1',
      before: { coverage: 'good', withStrongKey: 0.95 },
      now: { coverage: 'fair', withStrongKey: 0.7 },
    },
  ])
})

test('few events, a small fall and a rise are not told', () => {
  assert.deepEqual(matchDrops(reportWith(99, 0.95), reportWith(400, 0.2)), [])
  assert.deepEqual(matchDrops(reportWith(500, 0.95), reportWith(99, 0.2)), [])
  assert.deepEqual(matchDrops(reportWith(500, 0.93), reportWith(400, 0.86)), [])
  assert.deepEqual(matchDrops(reportWith(500, 0.7), reportWith(400, 0.95)), [])
  assert.deepEqual(matchDrops({ channels: [] }, reportWith(400, 0.2)), [])
})
