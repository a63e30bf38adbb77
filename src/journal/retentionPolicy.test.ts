import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRetention, toRetentionPolicy } from './retentionPolicy.ts'

const dayMs = 86_400_000

test('what is stored by default: all bodies, events for a week, failures and the journal for a month', () => {
  assert.deepEqual(defaultRetention, {
    bodies: 'all',
    eventsMs: 7 * dayMs,
    failuresMs: 30 * dayMs,
    journalMs: 30 * dayMs,
    deployments: 100,
  })
})

test('the retention follows the settings, which name days', () => {
  const days = { keepEventsDays: 2, keepFailuresDays: 3, keepJournalDays: 4 }
  assert.deepEqual(toRetentionPolicy({ keepBodies: 'failed', keepBodiesRate: 0, keepDeployments: 5, ...days }), {
    bodies: 'failed',
    bodiesPerSecond: 0,
    eventsMs: 2 * dayMs,
    failuresMs: 3 * dayMs,
    journalMs: 4 * dayMs,
    deployments: 5,
  })
})
