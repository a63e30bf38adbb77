import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentHistory } from './consentHistory.ts'

type Categories = Record<string, boolean>
const eventAt = (receivedAt: number, consentCategories?: Categories) => ({
  eventId: `e${receivedAt}`,
  eventName: 'PageView',
  userId: 'usr_1',
  receivedAt,
  ...(consentCategories && { consent: { consentCategories } }),
})

test('each consent that differs from the one before is listed with its first event, newest first', () => {
  const [no, yes] = [
    { advertising: false, analytics: true },
    { advertising: true, analytics: true },
  ]
  const again = { analytics: true, advertising: true }
  const events = [eventAt(6, no), eventAt(5), eventAt(4, again), eventAt(3, yes), eventAt(2, no), eventAt(1, no)]
  assert.deepEqual(
    consentHistory(events).map(({ at, eventId, answers }) => [at, eventId, answers.advertising]),
    [
      [6, 'e6', false],
      [3, 'e3', true],
      [1, 'e1', false],
    ],
  )
})

test('events without consent make no history', () => {
  assert.deepEqual(consentHistory([eventAt(2), eventAt(1)]), [])
})
