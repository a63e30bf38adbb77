import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toUserEvent } from './userUpdate.ts'

const now = Date.UTC(2026, 10, 20)

test('a user update keeps the id of its sender, and gets a new one for an id that cannot be stored', () => {
  const idOf = (eventId: unknown) => toUserEvent('user', { eventId }, now).eventId
  assert.equal(idOf('retry-1'), 'retry-1')
  assert.equal(idOf('x'.repeat(500)), 'x'.repeat(500))
  for (const unusable of ['', 'x'.repeat(501), '\ud800', 7, null, undefined]) assert.match(idOf(unusable), /^evt_/)
})

test('a user update keeps a time that an event may have, and otherwise happens now', () => {
  const timeOf = (timestamp: unknown) => toUserEvent('user', { timestamp }, now).timestamp
  assert.equal(timeOf(now - 60_000), now - 60_000)
  assert.equal(timeOf('yesterday'), now)
  assert.equal(timeOf(0), now)
})
