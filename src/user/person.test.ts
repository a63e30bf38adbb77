import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import type { EventContext } from '#event/record.ts'
import { compileCaptures } from './capture.ts'
import { tell, withoutPii } from './person.ts'
import { type Profile, saidIn } from './profile.ts'

const captures = compileCaptures([{ query: 'fbclid' }, { cookie: '_fbp' }])
const at = Date.UTC(2026, 10, 20)
const context = (more: Partial<EventContext> = {}): EventContext => ({
  tagId: 'tag_1',
  teamId: 'team_1',
  userId: 'usr_own',
  presented: true,
  trusted: false,
  receivedAt: at,
  ...more,
})
const browser = { origin: 'https://shop.example', ip: '203.0.113.7', userAgent: 'Firefox' }
const anEvent = (more: Record<string, unknown> = {}) =>
  ({ eventName: 'Purchase', eventId: 'e1', timestamp: at, ...more }) as TagEvent
const profile = (more: Partial<Profile>): Profile => ({ keys: {}, custom: {}, captured: {}, seenAt: at, ...more })

const told = (event: TagEvent, from: EventContext, own?: Profile) =>
  tell(event, { context: from, userId: from.userId, said: saidIn(event, captures), own })

test("the event's own word goes before what is known by its user id", () => {
  const own = profile({ keys: { firstName: 'Own', city: 'Own' }, custom: { tier: 'own' } })
  const { person, custom } = told(anEvent({ userFirstName: 'Event' }), context(), own)
  assert.deepEqual(person, { firstName: 'Event', city: 'Own', userId: 'usr_own' })
  assert.deepEqual(custom, { tier: 'own' })
})

test('a click id that the event brings again keeps the time when it was first seen', () => {
  const own = profile({ captured: { fbclid: { value: 'a', at: at - 1_000 } } })
  assert.deepEqual(told(anEvent({ search: '?fbclid=a' }), context(), own).captured.fbclid, {
    value: 'a',
    at: at - 1_000,
  })
  assert.deepEqual(told(anEvent({ search: '?fbclid=b' }), context(), own).captured.fbclid, { value: 'b', at })
})

test('the ip is the own one of a browser, the one told by a trusted server, and none of a server that is not trusted', () => {
  const payload = { ip: '198.51.100.1' }
  assert.equal(told(anEvent(payload), context(browser)).person.ip, '203.0.113.7')
  assert.equal(told(anEvent(payload), context({ trusted: true, ip: '192.0.2.1' })).person.ip, '198.51.100.1')
  assert.equal(told(anEvent(payload), context({ ip: '192.0.2.1' })).person.ip, undefined)
})

test('the user agent is the one in the event, else that of the browser, never that of a server', () => {
  assert.equal(told(anEvent({ userAgent: 'Told' }), context(browser)).person.userAgent, 'Told')
  assert.equal(told(anEvent(), context(browser)).person.userAgent, 'Firefox')
  assert.equal(told(anEvent(), context({ userAgent: 'curl' })).person.userAgent, undefined)
})

test('without shared PII nothing is left of the person, of what it said and of what was captured', () => {
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
  const bare = withoutPii(told(event, context(browser), own))
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

test('stripping keeps what is required, changes nothing that it was given and leaves no e-mail address anywhere', () => {
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

test('what an event forgets of its person is not told of with that event', () => {
  const own = profile({ keys: { email: 'a@b.de', city: 'Bonn' }, custom: { tier: 'gold', x: 1 } })
  const said = saidIn(anEvent({ data: { email: null, tier: null } }), captures, 'user')
  const { person, custom } = tell(anEvent(), { context: context(), userId: 'usr_own', said, own })
  assert.deepEqual([person, custom], [{ city: 'Bonn', userId: 'usr_own' }, { x: 1 }])
})
