import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { idTime } from '#kit/id.ts'
import type { Profile } from './profile.ts'
import { sessionAt, touchSession, updateSession } from './session.ts'

const now = Date.UTC(2026, 10, 20, 12)
const minute = 60_000
const visit = (known: Profile | undefined, at: number) => updateSession(known, 'usr_1', at)

test('the first visit creates a profile with a new session', () => {
  const { profile, isNewSession } = visit(undefined, now)
  assert.equal(isNewSession, true)
  assert.match(profile.session!.sessionId, /^ses_/)
  assert.equal(idTime(profile.session!.sessionId), now)
  assert.deepEqual(profile, { keys: {}, custom: {}, captured: {}, seenAt: now, session: profile.session })
})

test('the id of a session is the same in each process, and another for another user or time', () => {
  const idOf = (userId: string, at: number) => updateSession(undefined, userId, at).profile.session!.sessionId
  const property = fc.property(fc.string(), fc.string(), fc.nat(), fc.nat(), (one, other, at, later) => {
    assert.equal(idOf(one, now + at), idOf(one, now + at))
    assert.equal(idOf(one, now + at) === idOf(other, now + later), one === other && at === later)
  })
  fc.assert(property)
})

test('a session continues while there is a visit at least every half hour', () => {
  let { profile } = visit(undefined, now)
  const { sessionId } = profile.session!
  for (let at = now; at < now + 120 * minute; at += 20 * minute) {
    const next = visit(profile, at)
    assert.deepEqual([next.isNewSession, next.profile.session?.sessionId], [false, sessionId])
    profile = next.profile
  }
})

test('a visit after half an hour without one starts a new session, and the last one is kept beside it', () => {
  const { profile } = visit(undefined, now)
  const next = visit(profile, now + 30 * minute)
  assert.equal(next.isNewSession, true)
  assert.notEqual(next.profile.session?.sessionId, profile.session?.sessionId)
  assert.deepEqual(next.profile.session?.previous, profile.session)
  const third = visit(next.profile, now + 90 * minute).profile.session
  assert.equal(third?.previous?.sessionId, next.profile.session?.sessionId)
  assert.deepEqual(Object.keys(third!.previous!), ['sessionId', 'at'], 'no session but the last one is kept')
})

test('the activity of a session is written at most every five minutes', () => {
  const { profile } = visit(undefined, now)
  assert.equal(visit(profile, now + 5 * minute - 1).profile, profile)
  const later = visit(profile, now + 5 * minute).profile
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
  const { profile } = visit(known, now + minute)
  assert.deepEqual({ ...profile, session: undefined }, { ...known, seenAt: now + minute, session: undefined })
})

test('a clock that is set back by more than half an hour starts a new session', () => {
  const { profile } = visit(undefined, now)
  assert.equal(visit(profile, now - 10 * minute).isNewSession, false)
  assert.equal(visit(profile, now - 31 * minute).isNewSession, true)
})

/** Pauses between activities of a person, in ms. */
const pauses = (most: number) => fc.array(fc.integer({ min: 0, max: most }), { maxLength: 40 })

test('all events of a visit have one session, whoever sends them, and at whichever time they are delivered', () => {
  // 25 minutes, because an activity of the last five minutes may be unwritten
  const property = fc.property(pauses(25 * minute), fc.nat(25 * minute), (gaps, waitedMs) => {
    let { profile } = visit(undefined, now)
    const { sessionId } = profile.session!
    let at = now
    for (const gap of gaps) {
      at += gap
      profile = touchSession(profile, 'usr_1', { timestamp: at, receivedAt: at + waitedMs })
      const ofServer = sessionAt(profile.session, at + waitedMs)
      assert.deepEqual([profile.session!.sessionId, ofServer?.sessionId], [sessionId, sessionId])
    }
    const next = visit(profile, at + 40 * minute).profile
    assert.notEqual(next.session!.sessionId, sessionId)
    assert.equal(
      sessionAt(next.session, at)?.sessionId,
      sessionId,
      'a retry during the next visit has the same session',
    )
  })
  fc.assert(property)
})

test('after half an hour of silence an event of the browser starts a session; that of a server is part of none', () => {
  const property = fc.property(fc.integer({ min: 35, max: 10_000 }), (minutes) => {
    const { profile } = visit(undefined, now)
    const at = now + minutes * minute
    assert.equal(sessionAt(profile.session, at), undefined)
    const next = touchSession(profile, 'usr_1', { timestamp: at, receivedAt: at })
    assert.deepEqual(sessionAt(next.session, at), { sessionId: next.session!.sessionId, startedAt: at })
  })
  fc.assert(property)
})

test('an event that waited in the page is no later activity, and one that waited for half an hour is none', () => {
  const { profile } = visit(undefined, now)
  const early = { timestamp: now - minute, receivedAt: now + 20 * minute }
  assert.equal(touchSession(profile, 'usr_1', early), profile)
  const late = { timestamp: now + 40 * minute, receivedAt: now + 70 * minute }
  assert.equal(touchSession(profile, 'usr_1', late), profile)
  const ahead = { timestamp: now + 50 * minute, receivedAt: now + 10 * minute }
  assert.equal(touchSession(profile, 'usr_1', ahead).session?.at, now + 10 * minute, 'a clock that is ahead')
})

test('the clock of a page may be five minutes behind the start of its session', () => {
  const { session } = visit(undefined, now).profile
  assert.ok(sessionAt(session, now - 5 * minute))
  assert.equal(sessionAt(session, now - 5 * minute - 1), undefined)
})

test('a session that an earlier version stored has an id made of its start, too; any other text is no session', () => {
  assert.equal(sessionAt({ sessionId: 'ses_1', at: now }, now), undefined)
  assert.equal(sessionAt(undefined, now), undefined)
})
