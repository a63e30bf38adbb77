import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openKeyring } from '#account/keyring.ts'
import { type EventContext, eventsIn, eventsOf, openRecord, sealRecord, userOf } from './record.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.makeTeam('team_a')
keys.makeTeam('team_b')
const context: EventContext = {
  tagId: 'tag_a',
  teamId: 'team_a',
  userId: 'usr_a',
  presented: true,
  trusted: false,
  receivedAt: 1,
  userAgent: 'Brøwser \u{1f45f}',
}
const body = Buffer.from('{"eventName":"caf\u00e9","n":[1]}')

test('a record opens to the context and the body that were sealed', () => {
  const record = openRecord(sealRecord([{ context, body }], context, keys), 'tag_a', 'team_a', keys)
  assert.deepEqual(record, [{ context, body: { eventName: 'café', n: [1] } }])
})

test('what several requests brought is sealed as one record and opens in the order it came', () => {
  const aPart = fc.record({
    userId: fc.string(),
    body: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
  })
  fc.assert(
    fc.property(fc.array(aPart, { minLength: 1 }), (told) => {
      const parts = told.map(({ userId, body }) => ({ context: { ...context, userId }, body }))
      const raw = parts.map((part) => ({ ...part, body: Buffer.from(JSON.stringify(part.body)) }))
      assert.deepEqual(openRecord(sealRecord(raw, context, keys), 'tag_a', 'team_a', keys), parts)
    }),
  )
})

test('the events of a record follow each other, each with its own request, user and erasure', () => {
  const several = { ...context, userIds: ['usr_1', 'usr_2'], erased: [1] }
  const events = eventsIn([
    { context, body: { eventId: 'a' } },
    { context: several, body: [{ eventId: 'b' }, { eventId: 'c' }] },
  ])
  assert.deepEqual(
    events.map(({ event, userId, isErased }) => [event.eventId, userId, isErased]),
    [
      ['a', 'usr_a', false],
      ['b', 'usr_1', false],
      ['c', 'usr_2', true],
    ],
  )
  assert.equal(events[2]!.context, several)
})

test('a sealed record shows nothing of what is in it', () => {
  const sealed = Buffer.from(sealRecord([{ context, body }], context, keys))
  for (const part of ['usr_a', 'eventName', 'tag_a']) assert.equal(sealed.indexOf(part), -1)
})

test('a record opens neither as another tag nor as another team', () => {
  const sealed = sealRecord([{ context, body }], context, keys)
  assert.throws(() => openRecord(sealed, 'tag_b', 'team_a', keys))
  assert.throws(() => openRecord(sealed, 'tag_a', 'team_b', keys))
})

test('a body is an array of events or one event', () => {
  assert.deepEqual(eventsOf([1, 2]), [1, 2])
  assert.deepEqual(eventsOf({ a: 1 }), [{ a: 1 }])
})

test('an event is of the user at its place, else of the user of the request', () => {
  assert.equal(userOf(context, 3), 'usr_a')
  assert.equal(userOf({ ...context, userIds: ['usr_1', 'usr_2'] }, 1), 'usr_2')
})
