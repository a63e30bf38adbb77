import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import type { EventContext } from '#event/record.ts'
import { compileCaptureRules } from './captureRules.ts'
import { attachPerson, withoutPii } from './outboundPerson.ts'
import { type Profile, readUserFacts } from './profile.ts'

const captures = compileCaptureRules([{ query: 'fbclid' }, { cookie: '_fbp' }])
const at = Date.UTC(2026, 10, 20)
const context = (more: Partial<EventContext> = {}): EventContext => ({
  tagId: 'tag_1',
  teamId: 'team_1',
  userId: 'usr_own',
  hasExplicitUserId: true,
  trusted: false,
  receivedAt: at,
  ...more,
})
const browser = { origin: 'https://shop.example', ip: '203.0.113.7', userAgent: 'Firefox' }
const anEvent = (more: Record<string, unknown> = {}) =>
  ({ eventName: 'Purchase', eventId: 'e1', timestamp: at, ...more }) as TagEvent
const profile = (more: Partial<Profile>): Profile => ({ keys: {}, custom: {}, captured: {}, seenAt: at, ...more })

const withPerson = (event: TagEvent, from: EventContext, own?: Profile) =>
  attachPerson(event, { context: from, userId: from.userId, facts: readUserFacts(event, captures), own })

test('the facts of the event take precedence over the stored profile', () => {
  const own = profile({ keys: { firstName: 'Own', city: 'Own' }, custom: { tier: 'own' } })
  const { person, custom } = withPerson(anEvent({ userFirstName: 'Event' }), context(), own)
  assert.deepEqual(person, { firstName: 'Event', city: 'Own', userId: 'usr_own' })
  assert.deepEqual(custom, { tier: 'own' })
})

test('a phone number is one of the country of an address in the event, else of the tag, else of the location', () => {
  const countryOf = (data: object, where: { tag?: { defaultCountry?: string }; place?: { country?: string } }) => {
    const event = anEvent({ userPhone: '0171 1234567', data })
    const facts = readUserFacts(event, captures)
    return attachPerson(event, { context: context(), userId: 'usr_own', facts, ...where }).person.phoneCountry
  }
  const where = { tag: { defaultCountry: 'AT' }, place: { country: 'CH' } }
  assert.equal(countryOf({ billingAddress: { country: 'Germany' }, shippingAddress: { country: 'FR' } }, where), 'DE')
  assert.equal(countryOf({ shipping_address: { country_code: 'fr' } }, where), 'FR')
  assert.equal(countryOf({ billingAddress: { country: 'Atlantis' }, address: 'Berlin' }, where), 'AT')
  assert.equal(countryOf({}, { ...where, tag: { defaultCountry: 'none' } }), 'CH')
  assert.equal(countryOf({}, {}), undefined)
  const silent = anEvent({ data: {} })
  const facts = readUserFacts(silent, captures)
  const { person } = attachPerson(silent, { context: context(), userId: 'usr_own', facts, ...where })
  assert.deepEqual(person, { userId: 'usr_own' })
})

test('a known click id in an event keeps the time when it was first seen', () => {
  const own = profile({ captured: { fbclid: { value: 'a', at: at - 1_000 } } })
  assert.deepEqual(withPerson(anEvent({ search: '?fbclid=a' }), context(), own).captured.fbclid, {
    value: 'a',
    at: at - 1_000,
  })
  assert.deepEqual(withPerson(anEvent({ search: '?fbclid=b' }), context(), own).captured.fbclid, { value: 'b', at })
})

test('the ip is that of the browser, or the one that a trusted server sent, and absent for an untrusted server', () => {
  const payload = { ip: '198.51.100.1' }
  assert.equal(withPerson(anEvent(payload), context(browser)).person.ip, '203.0.113.7')
  assert.equal(withPerson(anEvent(payload), context({ trusted: true, ip: '192.0.2.1' })).person.ip, '198.51.100.1')
  assert.equal(withPerson(anEvent(payload), context({ ip: '192.0.2.1' })).person.ip, undefined)
})

test('the user agent is the one in the event, else that of the browser, never that of a server', () => {
  assert.equal(withPerson(anEvent({ userAgent: 'Sent' }), context(browser)).person.userAgent, 'Sent')
  assert.equal(withPerson(anEvent(), context(browser)).person.userAgent, 'Firefox')
  assert.equal(withPerson(anEvent(), context({ userAgent: 'curl' })).person.userAgent, undefined)
})

test('without shared PII an event has no person, custom keys, captures or identifying fields', () => {
  const event = anEvent({
    userEmail: 'jane@example.com',
    userId: 'crm-7',
    userAgent: 'Firefox',
    ip: '203.0.113.7',
    email: 'jane@example.com',
    search: '?fbclid=click',
    pageUrl: 'https://shop.example/thanks?email=jane@example.com#fbclid=click',
    pageTitle: 'Thank you, jane@example.com',
    storage: { kv: { email: 'jane@example.com' }, data: { facebook: { _fbp: 'click' } } },
    data: {
      value: 30,
      userPhone: '+4915112345678',
      contents: [{ id: 'sku-1', title: 'Mug' }],
      deep: { user: { name: 'Jane' }, note: ['for jane@example.com', 'wrap it'] },
    },
  })
  const own = profile({ keys: { lastName: 'Doe' }, custom: { tier: 'gold' } })
  const bare = withoutPii(withPerson(event, context(browser), own))
  assert.deepEqual(bare, {
    event: {
      eventName: 'Purchase',
      eventId: 'e1',
      timestamp: at,
      pageUrl: 'https://shop.example/thanks',
      data: { value: 30, contents: [{ id: 'sku-1', title: 'Mug' }], deep: { note: ['wrap it'] } },
    },
    person: {},
    custom: {},
    captured: {},
  })
})

test('removing PII keeps the required fields, does not change its input and leaves no e-mail address', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom('jane@example.com', 'to jane@example.com now', 'https://a.b/?q=jane@example.com'),
  )
  const names = fc.oneof(fc.string(), fc.constantFrom('userEmail', 'user', 'zip', 'note'))
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      texts,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('tree')),
      fc.dictionary(names, tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(names, tree), tree, (more, data) => {
      const event = anEvent({ ...more, data, eventName: 'Purchase', eventId: 'e1', timestamp: at })
      const before = JSON.stringify(event)
      const bare = withoutPii({ event, person: { email: 'jane@example.com' }, custom: {}, captured: {} })
      assert.equal(JSON.stringify(event), before)
      const { eventName, eventId, timestamp } = bare.event
      assert.deepEqual({ eventName, eventId, timestamp }, { eventName: 'Purchase', eventId: 'e1', timestamp: at })
      assert.ok(!JSON.stringify(Object.values(bare)).includes('jane@example.com'))
    }),
  )
})

test('the search for an e-mail address takes linear time', () => {
  const texts = ['a', '@', 'a@', 'a@b', 'a.', '.', 'a@.'].map((part) => part.repeat(1_000_000))
  const { event } = withoutPii({
    event: anEvent({ data: { texts, mail: `${'a'.repeat(1_000_000)}@b.de`, none: 'a@b a@.b a@b. @b.c' } }),
    person: {},
    custom: {},
    captured: {},
  })
  assert.deepEqual(Object.keys(event.data ?? {}), ['texts', 'none'])
  assert.deepEqual((event.data as { texts: string[] }).texts.length, texts.length)
})

test('a key that an event deletes is not sent with that event', () => {
  const own = profile({ keys: { email: 'a@b.de', city: 'Bonn' }, custom: { tier: 'gold', x: 1 } })
  const facts = readUserFacts(anEvent({ data: { email: null, tier: null } }), captures, 'user')
  const { person, custom } = attachPerson(anEvent(), { context: context(), userId: 'usr_own', facts, own })
  assert.deepEqual([person, custom], [{ city: 'Bonn', userId: 'usr_own' }, { x: 1 }])
})
