import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { type EventContext, sealRecord } from '#event/record.ts'
import { compileCaptures } from '#user/capture.ts'
import type { Profile } from '#user/profile.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { openEvents } from './events.ts'
import type { People } from './people.ts'

const now = Date.UTC(2026, 10, 20)
const tag = aTag([aScript('scr_1')])
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.makeTeam('team_1')

const seal = (body: unknown, more: Partial<EventContext> = {}) =>
  sealRecord(
    { tagId: 'tag_1', teamId: 'team_1', userId: 'usr_1', presented: true, trusted: false, receivedAt: now, ...more },
    Buffer.from(JSON.stringify(body)),
    keys,
  )

/** The stream holds these payloads at the positions 1, 2, …; `reads` counts how often each was asked for. */
function house(payloads: Uint8Array[], known: Partial<People> = {}) {
  const reads: number[] = []
  const stream = {
    async read(position: number) {
      reads.push(position)
      const payload = payloads[position - 1]
      return payload && { position, tagId: 'tag_1', payload, fresh: [0] }
    },
  }
  const people = { get: async () => undefined, byEmail: async () => undefined, put: async () => {}, ...known }
  const captures = compileCaptures([{ query: 'fbclid' }])
  return { reads, events: openEvents({ stream: stream as never, keys, brand: 'Service', people, captures }) }
}

test('an event is opened and read once for all its channels', async () => {
  const { events, reads } = house([seal([anEvent(now), anEvent(now, { eventId: 'event-2' })])])
  const [one, other, second] = await Promise.all([
    events.outgoing({ position: 1, index: 0 }, tag),
    events.outgoing({ position: 1, index: 0 }, tag),
    events.outgoing({ position: 1, index: 1 }, tag),
  ])
  assert.equal(one, other)
  assert.equal(second?.event.eventId, 'event-2')
  assert.deepEqual(reads, [1])
})

test('a body that was just opened to be planned is not read again', async () => {
  const payload = seal(anEvent(now))
  const { events, reads } = house([payload])
  assert.equal(events.open({ position: 1, payload }, tag).events[0]?.eventId, 'event-1')
  assert.equal((await events.outgoing({ position: 1, index: 0 }, tag))?.event.eventId, 'event-1')
  assert.deepEqual(reads, [])
})

test('what is kept open is bounded: a body that had to go is read again', async () => {
  const large = seal(anEvent(now, { note: 'x'.repeat(1_000_000) }))
  const { events, reads } = house(Array.from({ length: 20 }, () => large))
  for (let position = 1; position <= 20; position++) await events.outgoing({ position, index: 0 }, tag)
  await events.outgoing({ position: 20, index: 0 }, tag)
  await events.outgoing({ position: 1, index: 0 }, tag)
  assert.deepEqual(reads.slice(20), [1])
})

test('an event that the stream has dropped is undefined; one that does not open throws, and may be asked again', async () => {
  const payloads = [Buffer.alloc(200)]
  const { events } = house(payloads)
  assert.equal(await events.outgoing({ position: 9, index: 0 }, tag), undefined)
  await assert.rejects(events.outgoing({ position: 1, index: 0 }, tag))
  payloads[0] = Buffer.from(seal(anEvent(now)))
  assert.equal((await events.outgoing({ position: 1, index: 0 }, tag))?.event.eventId, 'event-1')
})

test('the person is who is known by the user id, joined with who is known by the e-mail', async () => {
  const profile = (more: Partial<Profile>): Profile => ({ keys: {}, custom: {}, captured: {}, seenAt: now, ...more })
  const captured = { fbclid: { value: 'click', at: 5 } }
  const { events } = house([seal(anEvent(now, { userFirstName: 'Jane' }))], {
    get: async ({ userId }) => profile({ keys: { email: `${userId}@example.com` } }),
    byEmail: async (_, email) =>
      email === 'usr_1@example.com' ? { userId: 'usr_2', profile: profile({ captured }) } : undefined,
  })
  const outgoing = await events.outgoing({ position: 1, index: 0 }, tag)
  assert.deepEqual(outgoing?.person, { email: 'usr_1@example.com', firstName: 'Jane', userId: 'usr_1' })
  assert.deepEqual(outgoing?.captured, captured)
})

test('each event of a body has the user that the door gave it', async () => {
  const payload = seal([anEvent(now), anEvent(now)], { presented: false, userIds: ['usr_a', 'usr_b'], userId: 'usr_a' })
  const { events } = house([payload])
  assert.equal((await events.outgoing({ position: 1, index: 1 }, tag))?.person.userId, 'usr_b')
})

test('without share_pii nothing of the person is told', async () => {
  const consent = { consent: { all: true }, consentCategories: { all: true, share_pii: false } }
  const payload = seal(anEvent(now, { userEmail: 'jane@example.com', storage: { service: consent } }))
  const outgoing = await house([payload]).events.outgoing({ position: 1, index: 0 }, aTag([], { consent: 'enabled' }))
  assert.deepEqual([outgoing?.person, outgoing?.identity.person, outgoing?.event.userEmail], [{}, {}, undefined])
})
