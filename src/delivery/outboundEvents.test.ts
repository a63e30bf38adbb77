import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { encodeGpp } from '#consent/gppString.fixture.ts'
import { encodeTcf } from '#consent/tcString.fixture.ts'
import { readConsentTexts } from '#consent/text/consentTexts.ts'
import { openRecentRecords, type RecentRecords } from '#event/recentRecords.ts'
import { type EventContext, openRecord, sealRecord } from '#event/record.ts'
import { compileCaptureRules } from '#user/captureRules.ts'
import type { Profile } from '#user/profile.ts'
import type { Profiles } from '#user/profiles.ts'
import { openRefusalLog } from '#user/refusalLog.ts'
import { updateSession } from '#user/session.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { openOutboundEvents } from './outboundEvents.ts'
import { resolveEvent } from './resolveEvent.ts'

const now = Date.UTC(2026, 10, 20)
const commonDeps = {
  plugins: {},
  rates: () => undefined,
  clock: { now: () => now, wait: async () => {} },
  locate: () => ({}),
}
const tag = aTag([aScript('scr_1')])
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')

const seal = (body: unknown, more: Partial<EventContext> = {}) => {
  const context = {
    tagId: 'tag_1',
    teamId: 'team_1',
    userId: 'usr_1',
    hasExplicitUserId: true,
    trusted: false,
    receivedAt: now,
  }
  return sealRecord([{ context: { ...context, ...more }, body: Buffer.from(JSON.stringify(body)) }], tag, keys)
}

/** Outbound events of a stream with these payloads at positions 1, 2, …; `reads` lists the positions that were read. */
function openEvents(payloads: Uint8Array[], known: Partial<Profiles> = {}, recentRecords?: RecentRecords) {
  const reads: number[] = []
  const stream = {
    rewrites: 0,
    rewritten: () => stream.rewrites,
    async read(position: number) {
      reads.push(position)
      const payload = payloads[position - 1]
      return payload && { position, tagId: 'tag_1', payload, newIndexes: [0] }
    },
  }
  const nobody = async () => ({ claimants: [], isCrowded: false })
  const emailKey: Profiles['emailKey'] = (_, email) => email
  const refusals = openRefusalLog()
  const profiles = {
    find: async () => ({}),
    emailKey,
    byEmail: nobody,
    refusals,
    ...known,
  } as Partial<Profiles> as Profiles
  const captures = compileCaptureRules([{ query: 'fbclid' }])
  const deps = {
    stream: stream as never,
    ...(recentRecords && { recentRecords }),
    keys,
    brand: 'Service',
    profiles,
    captures: () => captures,
    ...commonDeps,
  }
  const events = openOutboundEvents(deps)
  /** The outbound event at this place; fails if there is none. */
  const outgoing = async (position: number, index = 0, snapshot = tag) => {
    const outbound = await events.outgoing({ position, index }, snapshot)
    return typeof outbound === 'string' ? assert.fail(outbound) : outbound
  }
  return { reads, stream, events, outgoing, profiles, deps }
}

test('an event is read and opened once for all its channels', async () => {
  const { outgoing, reads } = openEvents([seal([anEvent(now), anEvent(now, { eventId: 'event-2' })])])
  const [one, other, second] = await Promise.all([outgoing(1), outgoing(1), outgoing(1, 1)])
  assert.equal(one, other)
  assert.equal(second.event.eventId, 'event-2')
  assert.deepEqual(reads, [1])
})

test('a record that was just opened for planning is not read again', async () => {
  const payload = seal(anEvent(now))
  const { events, outgoing, reads } = openEvents([payload])
  assert.equal(events.open({ position: 1, payload }, tag).events[0]?.event.eventId, 'event-1')
  assert.equal((await outgoing(1)).event.eventId, 'event-1')
  assert.equal((await events.at(1, tag))?.events[0]?.userId, 'usr_1')
  assert.deepEqual(reads, [])
})

test('a record that this process has just sealed is not decrypted again, and one that it has not is', () => {
  const recent = openRecentRecords()
  const [context] = openRecord(seal(anEvent(now)), 'tag_1', 'team_1', keys).map((part) => part.context)
  const unreadable = new Uint8Array(40)
  const { events } = openEvents([], {}, recent)
  recent.keep(unreadable, 'tag_1', [{ context: context!, body: [anEvent(now, { eventId: 'kept' })], bytes: 1 }])
  assert.equal(events.open({ position: 1, payload: unreadable }, tag).events[0]?.event.eventId, 'kept')
  assert.throws(() => events.open({ position: 2, payload: unreadable }, tag))
  assert.equal(events.open({ position: 3, payload: seal(anEvent(now)) }, tag).events[0]?.event.eventId, 'event-1')
})

test('a record leaves the cache after the last of its deliveries used it, or if it has none', async () => {
  const payload = seal([anEvent(now), anEvent(now, { eventId: 'event-2' })])
  const { events, outgoing, reads } = openEvents([payload, payload])
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

/** An event that was just decided, with the number of times that its user was looked up. */
async function openDecided(known: Partial<Profiles> = {}) {
  const payload = seal(anEvent(now, { userEmail: 'jane@example.com' }))
  const lookups: string[] = []
  const refusals = openRefusalLog()
  const find: Profiles['find'] = async ({ userId }) => {
    lookups.push(userId)
    return {}
  }
  const opened = openEvents([payload], { find, refusals, ...known })
  const record = opened.events.open({ position: 1, payload }, tag)
  const decision = await resolveEvent(record.events[0]!, tag, opened.deps)
  if (decision === 'erased') throw new Error('the user is not erased')
  opened.events.keepDecision({ position: 1, index: 0 }, decision)
  return { ...opened, decision, lookups, refusals }
}

test('the decision of the plan is used at the first attempts: the user is looked up once', async () => {
  const { outgoing, lookups } = await openDecided()
  const [one, other] = await Promise.all([outgoing(1), outgoing(1)])
  assert.equal(one, other)
  assert.equal(one.person.email, 'jane@example.com')
  assert.deepEqual(lookups, ['usr_1'])
})

test('an event is decided again after a deployment, or after its user or another user of its e-mail refused', async () => {
  const refusal = { at: now + 1, consent: { all: false } }
  const cases: [string[], number][] = [
    [['tag_1/usr_1'], 2],
    [['tag_1/jane@example.com'], 2],
    [['tag_1/usr_9', 'tag_2/usr_1'], 1],
  ]
  for (const [names, times] of cases) {
    const { outgoing, lookups, refusals } = await openDecided()
    refusals.add(names, refusal)
    await outgoing(1)
    assert.equal(lookups.length, times, `${names}`)
  }
  const { outgoing, lookups, refusals } = await openDecided()
  await outgoing(1, 0, { ...tag, number: 2 })
  await outgoing(1, 0, { ...tag, number: 3 })
  assert.equal(lookups.length, 3)
  refusals.add(['tag_1/usr_1'])
  await outgoing(1)
  assert.equal(lookups.length, 4)
})

test('the cache is bounded: a record that was dropped from it is read again', async () => {
  const large = seal(anEvent(now, { note: 'x'.repeat(1_000_000) }))
  const { outgoing, reads } = openEvents(Array.from({ length: 20 }, () => large))
  for (let position = 1; position <= 20; position++) await outgoing(position)
  await outgoing(20)
  await outgoing(1)
  assert.deepEqual(reads.slice(20), [1])
})

test('cached records are read again after an erasure in the stream', async () => {
  const payloads = [seal(anEvent(now, { userEmail: 'jane@example.com' })), seal(anEvent(now))]
  const { events, outgoing, stream } = openEvents(payloads)
  assert.equal((await outgoing(1)).event.userEmail, 'jane@example.com')
  payloads[0] = seal({ eventName: 'PageView', eventId: 'event-1', timestamp: now }, { userId: 'erased', erased: [0] })
  stream.rewrites++
  assert.equal(await events.outgoing({ position: 1, index: 0 }, tag), 'erased')
})

test('an event that came before the erasure of its user is erased; a later one is not', async () => {
  const find = async () => ({ erasedAt: now })
  const { events, outgoing } = openEvents([seal(anEvent(now)), seal(anEvent(now), { receivedAt: now + 1 })], { find })
  assert.equal(await events.outgoing({ position: 1, index: 0 }, tag), 'erased')
  assert.equal((await outgoing(2)).event.eventId, 'event-1')
})

test('an event that the stream dropped is expired; one that cannot be opened throws, and can be read again', async () => {
  const payloads = [Buffer.alloc(200)]
  const { events, outgoing } = openEvents(payloads)
  assert.equal(await events.outgoing({ position: 9, index: 0 }, tag), 'expired')
  assert.equal(await events.at(9, tag), undefined)
  await assert.rejects(async () => events.outgoing({ position: 1, index: 0 }, tag))
  payloads[0] = Buffer.from(seal(anEvent(now)))
  assert.equal((await outgoing(1)).event.eventId, 'event-1')
})

const profile = (more: Partial<Profile>): Profile => ({ keys: {}, custom: {}, captured: {}, seenAt: now, ...more })

test('the person of an event is the profile of its user id; of claimants of the e-mail only captured values are available', async () => {
  const captured = { fbclid: { value: 'click', at: 5 } }
  const claimant = { userId: 'usr_2', profile: profile({ captured, keys: { phone: '1', city: 'Kiel' } }) }
  const without = { userId: 'usr_3', profile: profile({}) }
  const known: Partial<Profiles> = {
    find: async ({ userId }) => ({ profile: profile({ keys: { email: `${userId}@example.com` } }) }),
    byEmail: async (_, key) => ({
      claimants: key === 'usr_1@example.com' ? [without, claimant] : [],
      isCrowded: false,
    }),
  }
  const outbound = await openEvents([seal(anEvent(now, { userFirstName: 'Jane' }))], known).outgoing(1)
  assert.deepEqual(outbound.person, { email: 'usr_1@example.com', firstName: 'Jane', userId: 'usr_1' })
  assert.deepEqual([outbound.captured, outbound.claimants], [{}, [claimant]])
  const own = await openEvents([seal(anEvent(now, { search: '?fbclid=own' }))], known).outgoing(1)
  assert.deepEqual([own.captured.fbclid?.value, own.claimants], ['own', undefined])
})

test('each event of a record has the user that was resolved when it came in', async () => {
  const payload = seal([anEvent(now), anEvent(now)], {
    hasExplicitUserId: false,
    userIds: ['usr_a', 'usr_b'],
    userId: 'usr_a',
  })
  assert.equal((await openEvents([payload]).outgoing(1, 1)).person.userId, 'usr_b')
})

test('a user update is sent as such, with its identity keys', async () => {
  const payload = seal({ ...anEvent(now), data: { firstName: 'Jane', tier: 'gold' } }, { kind: 'user' })
  const { kind, person, custom } = await openEvents([payload]).outgoing(1)
  assert.deepEqual([kind, person.firstName, custom], ['user', 'Jane', { tier: 'gold' }])
})

test('without share_pii no personal data is sent', async () => {
  const consent = { consent: { all: true }, consentCategories: { all: true, share_pii: false } }
  const payload = seal(anEvent(now, { userEmail: 'jane@example.com', storage: { service: consent } }))
  const outbound = await openEvents([payload]).outgoing(1, 0, aTag([], { consent: 'enabled' }))
  assert.deepEqual([outbound.person, outbound.identity.person, outbound.event.userEmail], [{}, {}, undefined])
})

test('share_pii of the stored consent applies if the event has none', async () => {
  const consent = { at: 1, consent: { all: true }, consentCategories: { all: true, share_pii: false } }
  const find = async () => ({ profile: profile({ keys: { email: 'jane@example.com' }, consent }) })
  const outbound = await openEvents([seal(anEvent(now))], { find }).outgoing(1, 0, aTag([], { consent: 'enabled' }))
  assert.deepEqual(outbound.person, {})
})

test('an opt-out of sale takes what identifies the person from all but vendors with limited use, on a tag that is set so', async () => {
  const gpp = encodeGpp([['usca', { SaleOptOut: 1 }]]).text
  const storage = { service: { consentTexts: { gpp } } }
  const payload = seal(anEvent(now, { userEmail: 'jane@example.com', storage }))
  const outgoing = async (saleOptOut: 'refuse' | 'limitedUse') =>
    openEvents([payload]).outgoing(1, 0, aTag([], { saleOptOut }))
  const { person, limited } = await outgoing('limitedUse')
  assert.deepEqual([person, limited?.person.email], [{}, 'jane@example.com'])
  const refused = await outgoing('refuse')
  assert.deepEqual([refused.person, refused.limited], [{}, undefined])
})

test('a provider gets the consent signals with each event', async () => {
  const storage = { service: { consentCategories: { analytics: true, advertising: false } } }
  const { outgoing } = openEvents([seal([anEvent(now, { storage })])])
  const { consent } = await outgoing(1, 0, { ...tag, consent: 'enabled' })
  assert.deepEqual(consent, {
    advertising: 'denied',
    analytics: 'granted',
    functional: 'denied',
    sharePii: 'unknown',
    adUserData: 'denied',
    adPersonalization: 'denied',
  })
})

test('a provider gets the string of the banner, of the event, else of the stored answer that decided', async () => {
  const [tcf, refusal] = [encodeTcf({}, now), encodeTcf({ purposes: [] }, now)]
  const enabled = aTag([], { consent: 'enabled' })
  const consent = {
    ...{ at: 1, texts: readConsentTexts({ tcf }, now)! },
    proof: { at: 1, source: 'device' as const, tcf },
  }
  const find = async () => ({ profile: profile({ consent }) })
  const stringsOf = async (service?: object) => {
    const payload = seal(anEvent(now, service && { storage: { service } }))
    return (await openEvents([payload], { find }).outgoing(1, 0, enabled)).consent.strings
  }
  assert.deepEqual(await stringsOf(), { tcf })
  assert.deepEqual(await stringsOf({ consentTexts: { tcf: refusal } }), { tcf: refusal })
  assert.equal(await stringsOf({ consentCategories: { all: true } }), undefined)
  assert.equal(await stringsOf({ consentTexts: { tcf: '!' } }), undefined)
})

test('an event of a server has the session of the visit, and a person who shares nothing has none', async () => {
  const { profile } = updateSession(undefined, 'usr_1', now - 60_000)
  const known: Partial<Profiles> = { find: async () => ({ profile }) }
  const sent = seal(anEvent(now), { trusted: true })
  const { outgoing } = openEvents([sent], known)
  const { sessionId } = profile.session!
  assert.deepEqual((await outgoing(1)).session, { sessionId, startedAt: now - 60_000 })
  const consent = { consent: { all: true }, consentCategories: { all: true, share_pii: false } }
  const refused = openEvents([seal(anEvent(now, { storage: { service: consent } }), { trusted: true })], known)
  const enabled = aTag([], { consent: 'enabled' })
  assert.equal((await refused.outgoing(1, 0, enabled)).session, undefined)
})
