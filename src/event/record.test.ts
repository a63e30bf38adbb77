import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openKeyring } from '#account/keyring.ts'
import { type EventContext, eventsOf, openRecord, recordEvents, sealRecord, userIdAt } from './record.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_a')
keys.createTeamKey('team_b')
const context: EventContext = {
  tagId: 'tag_a',
  teamId: 'team_a',
  userId: 'usr_a',
  hasExplicitUserId: true,
  trusted: false,
  receivedAt: 1,
  userAgent: 'Brøwser \u{1f45f}',
}
const body = Buffer.from('{"eventName":"caf\u00e9","n":[1]}')

/** The parts of a record without their lengths. */
const openParts = (payload: Uint8Array) =>
  openRecord(payload, 'tag_a', 'team_a', keys).map(({ context, body }) => ({ context, body }))

test('a record opens to the context and the body that it was sealed from', () => {
  const record = openParts(sealRecord([{ context, body }], context, keys))
  assert.deepEqual(record, [{ context, body: { eventName: 'café', n: [1] } }])
})

test('several requests are sealed as one record and open in order of arrival', () => {
  const aValue = fc.oneof(
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
    fc.string({ minLength: 5_000, maxLength: 9_000 }),
  )
  const aPart = fc.record({ userId: fc.string(), body: aValue })
  fc.assert(
    fc.property(fc.array(aPart, { minLength: 1 }), (requests) => {
      const parts = requests.map(({ userId, body }) => ({ context: { ...context, userId }, body }))
      const raw = parts.map((part) => ({ ...part, body: Buffer.from(JSON.stringify(part.body)) }))
      assert.deepEqual(openParts(sealRecord(raw, context, keys)), parts)
    }),
  )
})

test('a long record takes less than its events, as one of many requests under load does', () => {
  const event = Buffer.from(JSON.stringify({ eventName: 'Purchase', url: 'https://shop.example/checkout' }))
  const requests = Array.from({ length: 100 }, (_, n) => ({ context: { ...context, userId: `usr_${n}` }, body: event }))
  const { length } = sealRecord(requests, context, keys)
  assert.ok(length < (100 * event.length) / 4, `${length} bytes`)
})

test('the events of a record are listed in order, each with the context, user and erasure of its own', () => {
  const several = { ...context, userIds: ['usr_1', 'usr_2'], erased: [1] }
  const events = recordEvents([
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

test('a sealed record does not reveal its content', () => {
  const sealed = Buffer.from(sealRecord([{ context, body }], context, keys))
  for (const part of ['usr_a', 'eventName', 'tag_a']) assert.equal(sealed.indexOf(part), -1)
})

test('a record does not open for another tag or another team', () => {
  const sealed = sealRecord([{ context, body }], context, keys)
  assert.throws(() => openRecord(sealed, 'tag_b', 'team_a', keys))
  assert.throws(() => openRecord(sealed, 'tag_a', 'team_b', keys))
})

test('a body is an array of events or one event', () => {
  assert.deepEqual(eventsOf([1, 2]), [1, 2])
  assert.deepEqual(eventsOf({ a: 1 }), [{ a: 1 }])
})

test('the user of an event is the user at its index, else the user of the request', () => {
  assert.equal(userIdAt(context, 3), 'usr_a')
  assert.equal(userIdAt({ ...context, userIds: ['usr_1', 'usr_2'] }, 1), 'usr_2')
})
