import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from './session.ts'

const now = Date.UTC(2026, 10, 20, 12)
const minute = 60_000

test('the first visit makes a profile with a session of its own', () => {
  const { profile, isNewSession } = visit(undefined, now)
  assert.equal(isNewSession, true)
  assert.match(profile.session!.sessionId, /^ses_/)
  assert.deepEqual(profile, { keys: {}, custom: {}, captured: {}, seenAt: now, session: profile.session })
  assert.notEqual(visit(undefined, now).profile.session?.sessionId, profile.session?.sessionId)
})

test('a session goes on while somebody comes at least every half hour', () => {
  let { profile } = visit(undefined, now)
  const { sessionId } = profile.session!
  for (let at = now; at < now + 120 * minute; at += 20 * minute) {
    const next = visit(profile, at)
    assert.deepEqual([next.isNewSession, next.profile.session?.sessionId], [false, sessionId])
    profile = next.profile
  }
})

test('after half an hour without a page there is another session', () => {
  const { profile } = visit(undefined, now)
  const next = visit(profile, now + 30 * minute)
  assert.equal(next.isNewSession, true)
  assert.notEqual(next.profile.session?.sessionId, profile.session?.sessionId)
})

test('it is not written down again within five minutes that a session goes on', () => {
  const { profile } = visit(undefined, now)
  assert.equal(visit(profile, now + 5 * minute - 1).profile, profile)
  const later = visit(profile, now + 5 * minute).profile
  assert.deepEqual([later.session?.at, later.seenAt], [now + 5 * minute, now + 5 * minute])
})

test('what is known of the person stays', () => {
  const known = {
    keys: { email: 'a@b.de' },
    custom: { tier: 'gold' },
    captured: {},
    seenAt: now,
    claims: ['e1'],
  } as const
  const { profile } = visit(known, now + minute)
  assert.deepEqual({ ...profile, session: undefined }, { ...known, seenAt: now + minute, session: undefined })
})

test('a clock that was set back by more than a visit begins another', () => {
  const { profile } = visit(undefined, now)
  assert.equal(visit(profile, now - 10 * minute).isNewSession, false)
  assert.equal(visit(profile, now - 31 * minute).isNewSession, true)
})
