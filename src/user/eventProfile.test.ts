import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInEvent, profileAfter } from './eventProfile.ts'
import { noUserFacts, type UserFacts } from './profile.ts'

const at = Date.UTC(2026, 10, 20)

test('a profile with only standard keys is left to its event; what look-ups or later events need is stored', () => {
  const facts = (more: Partial<UserFacts>) => ({ ...noUserFacts, ...more })
  assert.equal(isInEvent({}, facts({ keys: { email: 'jane@example.com' } }), { at }), true)
  assert.equal(isInEvent({ kind: 'user' }, noUserFacts, { at }), false)
  assert.equal(isInEvent({}, facts({ keys: { customerId: '4711' } }), { at }), false)
  assert.equal(isInEvent({}, facts({ custom: { tier: 'gold' } }), { at }), false)
  assert.equal(isInEvent({}, facts({ captured: { fbclid: 'x' } }), { at }), false)
  assert.equal(isInEvent({}, noUserFacts, { at, customerKey: 'key' as never }), false)
  assert.equal(isInEvent({}, noUserFacts, { at, history: {} as never }), false)
  assert.equal(isInEvent({}, noUserFacts, { at, consent: {} as never }), false)
})

test('the event of a visitor continues a session; an event of a server, of code or an update does not', () => {
  const event = { eventName: 'Lead', eventId: 'e1', timestamp: at }
  const facts = { ...noUserFacts, custom: { tier: 'gold' } }
  const sessionAfter = (more: object) => {
    const context = { tagId: 'tag_1', teamId: 'team_1', userId: 'usr_1', hasExplicitUserId: true, receivedAt: at }
    const received = { event, context: { ...context, trusted: false, ...more } }
    return profileAfter(undefined, received, 'usr_1', facts, { at })?.session
  }
  assert.equal(sessionAfter({})?.at, at)
  assert.equal(sessionAfter({ trusted: true }), undefined)
  assert.equal(sessionAfter({ isMadeByCode: true }), undefined)
  assert.equal(sessionAfter({ kind: 'user' }), undefined)
})
