import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { erasedUserId, eraseEvents, purgeEvents } from './eraseEvents.ts'
import { type EventContext, openRecord, recordEvents, sealRecord, userIdAt } from './record.ts'

const context = (more: Partial<EventContext> = {}): EventContext => ({
  tagId: 'tag_1',
  teamId: 'team_1',
  userId: 'usr_jane',
  hasExplicitUserId: true,
  trusted: false,
  receivedAt: 5,
  ip: '203.0.113.9',
  userAgent: 'Firefox',
  ...more,
})
const event = (eventId: string) => ({ eventId, eventName: 'Purchase', timestamp: 4, userEmail: 'jane@example.com' })
const stub = (eventId: string) => ({ eventId, eventName: 'Purchase', timestamp: 4 })

test('an erased event keeps its id, name and time, and its request loses user id, IP address, user agent and location', () => {
  const original = context({ place: { country: 'DE', region: 'DE-BY' } })
  const { context: left, body } = eraseEvents({ context: original, body: event('a') }, 'usr_jane', [0])
  assert.deepEqual(body, stub('a'))
  const { ip: _, userAgent: __, ...rest } = context()
  assert.deepEqual(left, { ...rest, userId: erasedUserId, erased: [0] })
})

test('a body of one user is erased completely, duplicates included', () => {
  const { body, context: left } = eraseEvents({ context: context(), body: [event('a'), event('b')] }, 'usr_jane', [0])
  assert.deepEqual(body, [stub('a'), stub('b')])
  assert.deepEqual(left.erased, [0, 1])
})

test('a body of several users loses only the events of this user, and the others keep their users', () => {
  const record = {
    context: context({ hasExplicitUserId: false, userId: 'usr_a', userIds: ['usr_a', 'usr_b', 'usr_c'] }),
    body: [event('a'), event('b'), event('c')],
  }
  const { context: left, body } = eraseEvents(record, 'usr_b', [1])
  assert.deepEqual(body, [event('a'), stub('b'), event('c')])
  assert.deepEqual(
    [0, 1, 2].map((place) => userIdAt(left, place)),
    ['usr_a', erasedUserId, 'usr_c'],
  )
  assert.equal(left.ip, '203.0.113.9')
})

test('a second erasure adds to the first', () => {
  const record = {
    context: context({ userId: 'usr_a', userIds: ['usr_a', 'usr_b'] }),
    body: [event('a'), event('b')],
  }
  const once = eraseEvents(record, 'usr_a', [0])
  const twice = eraseEvents(once, 'usr_b', [1])
  assert.deepEqual(twice.body, [stub('a'), stub('b')])
  assert.deepEqual(twice.context.erased, [0, 1])
  assert.equal(twice.context.ip, undefined)
})

test('an event that was found by its e-mail is erased though its body has another user id', () => {
  const { body, context: left } = eraseEvents(
    { context: context({ userId: 'usr_server' }), body: event('a') },
    'usr_jane',
    [0],
  )
  assert.deepEqual(body, stub('a'))
  assert.equal(left.userId, erasedUserId)
})

test('a record of several requests loses exactly the given events and every body of this user alone', () => {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.createTeamKey('team_1')
  const part = (userId: string, body: object) => ({
    context: context({ userId }),
    body: Buffer.from(JSON.stringify(body)),
  })
  const parts = [
    part('usr_a', event('a')),
    part('usr_jane', [event('b'), event('c')]),
    part('usr_server', [event('d'), event('e')]),
    part('usr_jane', event('f')),
  ]
  const sealed = sealRecord(parts, context(), keys)
  const purged = purgeEvents(sealed, context(), { userId: 'usr_jane', indexes: [1, 4] }, keys)
  const events = recordEvents(openRecord(purged, 'tag_1', 'team_1', keys))
  assert.deepEqual(
    events.filter(({ isErased }) => isErased).map((each) => each.event.eventId),
    ['b', 'c', 'e', 'f'],
  )
  for (const { event: one, isErased } of events) assert.equal('userEmail' in one, !isErased)
})
