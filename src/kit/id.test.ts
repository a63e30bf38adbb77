import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idTime, idUuid, newId, newUserId } from './id.ts'

test('ids made at one time are all different, tell their time, and sort by it', () => {
  const now = Date.UTC(2026, 10, 20)
  const ids = Array.from({ length: 1_000 }, () => newId('evt', now))
  assert.equal(new Set(ids).size, 1_000)
  for (const id of ids) {
    assert.equal(idTime(id), now)
    assert.match(idUuid(id)!, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  assert.ok(ids.every((id) => id < newId('evt', now + 1)))
  const users = Array.from({ length: 1_000 }, newUserId)
  assert.equal(new Set(users.map((id) => id.slice(-20))).size, 1_000)
})
