import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { type EventContext, sealRecord } from '#event/record.ts'
import { compileCaptures } from '#user/capture.ts'
import type { People } from '#user/people.ts'
import type { Profile } from '#user/profile.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { openEvents } from './events.ts'

const now = Date.UTC(2026, 10, 20)
const plain = { plugins: {}, rates: () => undefined, clock: { now: () => now, wait: async () => {} } }
const tag = aTag([aScript('scr_1')])
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.makeTeam('team_1')

const seal = (body: unknown, more: Partial<EventContext> = {}) => {
  const who = { tagId: 'tag_1', teamId: 'team_1', userId: 'usr_1', presented: true, trusted: false, receivedAt: now }
  return sealRecord([{ context: { ...who, ...more }, body: Buffer.from(JSON.stringify(body)) }], tag, keys)
}

/** The stream holds these payloads at the positions 1, 2, …; `reads` counts how often each was asked for. */
function house(payloads: Uint8Array[], known: Partial<People> = {}) {
  const reads: number[] = []
  const stream = {
    rewrites: 0,
    rewritten: () => stream.rewrites,
    async read(position: number) {
      reads.push(position)
      const payload = payloads[position - 1]
      return payload && { position, tagId: 'tag_1', payload, fresh: [0] }
    },
  }
  const nobody = async () => ({ claimants: [], isCrowded: false })
  const emailKey: People['emailKey'] = (_, email) => email
  const people = { find: async () => ({}), emailKey, byEmail: nobody, ...known } as Partial<People> as People
  const captures = compileCaptures([{ query: 'fbclid' }])
  const events = openEvents({
    stream: stream as never,
    keys,
    brand: 'Service',
    people,
    captures: () => captures,
    ...plain,
  })
  /** What goes out of the event at this place, which is there. */
  const outgoing = async (position: number, index = 0, of = tag) => {
    const told = await events.outgoing({ position, index }, of)
    return typeof told === 'string' ? assert.fail(told) : told
  }
  return { reads, stream, events, outgoing }
}

test('an event is opened and read once for all its channels', async () => {
  const { outgoing, reads } = house([seal([anEvent(now), anEvent(now, { eventId: 'event-2' })])])
  const [one, other, second] = await Promise.all([outgoing(1), outgoing(1), outgoing(1, 1)])
  assert.equal(one, other)
  assert.equal(second.event.eventId, 'event-2')
  assert.deepEqual(reads, [1])
})

test('a body that was just opened to be planned is not read again', async () => {
  const payload = seal(anEvent(now))
  const { events, outgoing, reads } = house([payload])
  assert.equal(events.open({ position: 1, payload }, tag).events[0]?.event.eventId, 'event-1')
  assert.equal((await outgoing(1)).event.eventId, 'event-1')
  assert.equal((await events.at(1, tag))?.events[0]?.userId, 'usr_1')
  assert.deepEqual(reads, [])
})

test('a body is let go once all its deliveries have asked, or when it has none', async () => {
  const payload = seal([anEvent(now), anEvent(now, { eventId: 'event-2' })])
  const { events, outgoing, reads } = house([payload, payload])
  for (const position of [1, 2]) events.open({ position, payload }, tag)
  events.expect(1, 2)
  events.expect(2, 0)
  await outgoing(1)
  await outgoing(1, 1)
  assert.deepEqual(reads, [])
  await outgoing(1)
  await outgoing(2)
  assert.deepEqual(reads, [1, 2])
})

test('what is kept open is bounded: a body that had to go is read again', async () => {
  const large = seal(anEvent(now, { note: 'x'.repeat(1_000_000) }))
  const { outgoing, reads } = house(Array.from({ length: 20 }, () => large))
  for (let position = 1; position <= 20; position++) await outgoing(position)
  await outgoing(20)
  await outgoing(1)
  assert.deepEqual(reads.slice(20), [1])
})

test('what is kept open is read again once anything was erased from the stream', async () => {
  const payloads = [seal(anEvent(now, { userEmail: 'jane@example.com' })), seal(anEvent(now))]
  const { events, outgoing, stream } = house(payloads)
  assert.equal((await outgoing(1)).event.userEmail, 'jane@example.com')
  payloads[0] = seal({ eventName: 'PageView', eventId: 'event-1', timestamp: now }, { userId: 'erased', erased: [0] })
  stream.rewrites++
  assert.equal(await events.outgoing({ position: 1, index: 0 }, tag), 'erased')
})

test('an event that came before its user was erased is erased; what the user does from then on is not', async () => {
  const find = async () => ({ erasedAt: now })
  const { events, outgoing } = house([seal(anEvent(now)), seal(anEvent(now), { receivedAt: now + 1 })], { find })
  assert.equal(await events.outgoing({ position: 1, index: 0 }, tag), 'erased')
  assert.equal((await outgoing(2)).event.eventId, 'event-1')
})

test('an event that the stream has dropped has expired; one that does not open throws, and may be asked again', async () => {
  const payloads = [Buffer.alloc(200)]
  const { events, outgoing } = house(payloads)
  assert.equal(await events.outgoing({ position: 9, index: 0 }, tag), 'expired')
  assert.equal(await events.at(9, tag), undefined)
  await assert.rejects(events.outgoing({ position: 1, index: 0 }, tag))
  payloads[0] = Buffer.from(seal(anEvent(now)))
  assert.equal((await outgoing(1)).event.eventId, 'event-1')
})

const profile = (more: Partial<Profile>): Profile => ({ keys: {}, custom: {}, captured: {}, seenAt: now, ...more })

test('the person is who is known by the user id; of those who claim the e-mail only what was captured is at hand', async () => {
  const captured = { fbclid: { value: 'click', at: 5 } }
  const claimant = { userId: 'usr_2', profile: profile({ captured, keys: { phone: '1', city: 'Kiel' } }) }
  const without = { userId: 'usr_3', profile: profile({}) }
  const known: Partial<People> = {
    find: async ({ userId }) => ({ profile: profile({ keys: { email: `${userId}@example.com` } }) }),
    byEmail: async (_, key) => ({
      claimants: key === 'usr_1@example.com' ? [without, claimant] : [],
      isCrowded: false,
    }),
  }
  const told = await house([seal(anEvent(now, { userFirstName: 'Jane' }))], known).outgoing(1)
  assert.deepEqual(told.person, { email: 'usr_1@example.com', firstName: 'Jane', userId: 'usr_1' })
  assert.deepEqual([told.captured, told.claimants], [{}, [claimant]])
  const own = await house([seal(anEvent(now, { search: '?fbclid=own' }))], known).outgoing(1)
  assert.deepEqual([own.captured.fbclid?.value, own.claimants], ['own', undefined])
})

test('each event of a body has the user that the door gave it', async () => {
  const payload = seal([anEvent(now), anEvent(now)], { presented: false, userIds: ['usr_a', 'usr_b'], userId: 'usr_a' })
  assert.equal((await house([payload]).outgoing(1, 1)).person.userId, 'usr_b')
})

test('what became known of a person goes out as that, with the keys it brings', async () => {
  const payload = seal({ ...anEvent(now), data: { firstName: 'Jane', tier: 'gold' } }, { kind: 'user' })
  const { kind, person, custom } = await house([payload]).outgoing(1)
  assert.deepEqual([kind, person.firstName, custom], ['user', 'Jane', { tier: 'gold' }])
})

test('without share_pii nothing of the person is told', async () => {
  const consent = { consent: { all: true }, consentCategories: { all: true, share_pii: false } }
  const payload = seal(anEvent(now, { userEmail: 'jane@example.com', storage: { service: consent } }))
  const told = await house([payload]).outgoing(1, 0, aTag([], { consent: 'enabled' }))
  assert.deepEqual([told.person, told.identity.person, told.event.userEmail], [{}, {}, undefined])
})

test('share_pii of the stored consent counts where the event brings none', async () => {
  const consent = { at: 1, consent: { all: true }, consentCategories: { all: true, share_pii: false } }
  const find = async () => ({ profile: profile({ keys: { email: 'jane@example.com' }, consent }) })
  const told = await house([seal(anEvent(now))], { find }).outgoing(1, 0, aTag([], { consent: 'enabled' }))
  assert.deepEqual(told.person, {})
})
