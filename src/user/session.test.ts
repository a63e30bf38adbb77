import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateSession } from './session.ts'

const now = Date.UTC(2026, 10, 20, 12)
const minute = 60_000

test('the first visit creates a profile with a new session', () => {
  const { profile, isNewSession } = updateSession(undefined, now)
  assert.equal(isNewSession, true)
  assert.match(profile.session!.sessionId, /^ses_/)
  assert.deepEqual(profile, { keys: {}, custom: {}, captured: {}, seenAt: now, session: profile.session })
  assert.notEqual(updateSession(undefined, now).profile.session?.sessionId, profile.session?.sessionId)
})

test('a session continues while there is a visit at least every half hour', () => {
  let { profile } = updateSession(undefined, now)
  const { sessionId } = profile.session!
  for (let at = now; at < now + 120 * minute; at += 20 * minute) {
    const next = updateSession(profile, at)
    assert.deepEqual([next.isNewSession, next.profile.session?.sessionId], [false, sessionId])
    profile = next.profile
  }
})

test('a visit after half an hour without one starts a new session', () => {
  const { profile } = updateSession(undefined, now)
  const next = updateSession(profile, now + 30 * minute)
  assert.equal(next.isNewSession, true)
  assert.notEqual(next.profile.session?.sessionId, profile.session?.sessionId)
})

test('the activity of a session is written at most every five minutes', () => {
  const { profile } = updateSession(undefined, now)
  assert.equal(updateSession(profile, now + 5 * minute - 1).profile, profile)
  const later = updateSession(profile, now + 5 * minute).profile
  assert.deepEqual([later.session?.at, later.seenAt], [now + 5 * minute, now + 5 * minute])
})

test('the other data of the profile is unchanged', () => {
  const known = {
    keys: { email: 'a@b.de' },
    custom: { tier: 'gold' },
    captured: {},
    seenAt: now,
    claims: ['e1'],
  } as const
  const { profile } = updateSession(known, now + minute)
  assert.deepEqual({ ...profile, session: undefined }, { ...known, seenAt: now + minute, session: undefined })
})

test('a clock that is set back by more than half an hour starts a new session', () => {
  const { profile } = updateSession(undefined, now)
  assert.equal(updateSession(profile, now - 10 * minute).isNewSession, false)
  assert.equal(updateSession(profile, now - 31 * minute).isNewSession, true)
})
