import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decideConsent } from '#consent/consent.ts'
import { readStatedConsent } from '#consent/statedConsent.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Place } from '#contract/journey.ts'
import type { ChannelRules, Filter } from '#contract/rule/channelRules.ts'
import type { EventContext } from '#event/record.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import { type PlanInput, plan, planErased, planPoison } from './plan.ts'

const now = Date.UTC(2026, 10, 20)
const dayMs = 86_400_000
const providers = { eventSink: aProvider('eventSink', { maxAgeMs: dayMs }), facebook: aProvider('facebook') }
const context: EventContext = {
  tagId: 'tag_1',
  teamId: 'team_1',
  userId: 'usr_1',
  hasExplicitUserId: true,
  trusted: false,
  receivedAt: now,
}
const user = { waitsFor: 'usr_1' }
const german: Place = { country: 'DE', source: 'request' }

function planned(event: TagEvent, tag: Snapshot, place: Place = german) {
  const consent = decideConsent({ stated: readStatedConsent(event, now, 'Service', tag), context, tag })
  return plan({ position: 7, index: 2, event, context, userId: 'usr_1', tag, user, consent, place, now }, providers)
}
const outcome = (script: Partial<SnapshotScript>, event: Record<string, unknown> = {}, tag: Partial<Snapshot> = {}) => {
  const { deliveries } = planned(anEvent(now, event), aTag([aScript('scr_1', script)], tag))
  return deliveries[0]!.reason ?? deliveries[0]!.status
}

test('every script of the tag gets a delivery with its own id', () => {
  const tag = aTag([
    aScript('scr_1'),
    aScript('scr_2', { providerId: 'facebook' }),
    aScript('scr_3', { geoRegions: 'US' }),
  ])
  const { deliveries, ...event } = planned(anEvent(now), tag)
  assert.deepEqual(event, {
    position: 7,
    index: 2,
    tagId: 'tag_1',
    eventName: 'PageView',
    userId: 'usr_1',
    receivedAt: now,
    consent: { source: 'disabled' },
    place: german,
  })
  assert.deepEqual(
    deliveries.map(({ deliveryId, ...delivery }) => delivery),
    [
      { scriptId: 'scr_1', providerId: 'eventSink', status: 'pending' },
      { scriptId: 'scr_2', providerId: 'facebook', status: 'pending' },
      { scriptId: 'scr_3', providerId: 'eventSink', status: 'skipped', reason: 'region' },
    ],
  )
  assert.equal(new Set(deliveries.map(({ deliveryId }) => deliveryId)).size, 3)
})

test('a script that the event does not select is skipped: notSelected', () => {
  assert.equal(outcome({}, { providers: { all: true, eventSink: false } }), 'notSelected')
  assert.equal(outcome({}, { providers: ['eventSink'] }), 'pending')
})

test("without consent a script is skipped; one without a category takes its provider's", () => {
  const withConsent = { consent: 'enabled' as const }
  const allows = (category: string) => ({ storage: { service: { consentCategories: { [category]: true } } } })
  assert.equal(outcome({}, {}, withConsent), 'consent')
  assert.equal(outcome({}, allows('analytics'), withConsent), 'pending')
  assert.equal(outcome({ consentCategory: 'advertising' }, allows('analytics'), withConsent), 'consent')
  assert.equal(outcome({ consentCategory: 'advertising' }, allows('advertising'), withConsent), 'pending')
})

test('a script is skipped outside its regions; invalid regions match nothing', () => {
  assert.equal(outcome({ geoRegions: 'EU,-DE' }), 'region')
  assert.equal(outcome({ geoRegions: 'EU' }), 'pending')
  assert.equal(outcome({ geoRegions: 'nonsense' }), 'region')
})

test('a script is skipped with eventNotSupported if its provider has no name for the event or is not in this build', () => {
  assert.equal(outcome({}, { eventName: 'Lead' }), 'eventNotSupported')
  assert.equal(outcome({ providerId: 'facebook' }, { eventName: 'Own' }), 'pending')
  assert.equal(outcome({ providerId: 'tiktok' }), 'eventNotSupported')
})

test('an event older than the provider takes is skipped: tooOld', () => {
  assert.equal(outcome({}, { timestamp: now - dayMs - 1 }), 'tooOld')
  assert.equal(outcome({}, { timestamp: now - dayMs }), 'pending')
})

test('of several reasons the first is recorded: notSelected, consent, region, eventNotSupported, tooOld', () => {
  const wrong = { providers: ['facebook'], eventName: 'Lead', timestamp: now - 2 * dayMs }
  const withConsent = { consent: 'enabled' as const }
  const consent = { storage: { service: { consent: { all: true } } } }
  assert.equal(outcome({ geoRegions: 'US' }, wrong, withConsent), 'notSelected')
  assert.equal(outcome({ geoRegions: 'US' }, { ...wrong, providers: undefined }, withConsent), 'consent')
  assert.equal(outcome({ geoRegions: 'US' }, { ...wrong, providers: undefined, ...consent }, withConsent), 'region')
  assert.equal(outcome({}, { ...wrong, providers: undefined, ...consent }, withConsent), 'eventNotSupported')
})

test('an event whose decision throws is dead for every script: poison', () => {
  const tag = aTag([aScript('scr_1'), aScript('scr_2')])
  const input = { position: 1, index: 0, event: anEvent(now), context, userId: 'usr_1', tag, now }
  const { deliveries } = planPoison(input, providers)
  assert.deepEqual(planPoison({ ...input, context: { ...context, kind: 'consent' } }, providers).deliveries, [])
  assert.deepEqual(
    deliveries.map(({ status, reason }) => [status, reason]),
    [
      ['dead', 'poison'],
      ['dead', 'poison'],
    ],
  )
})

test('for any event, each script has exactly one delivery: pending, or skipped with a reason', () => {
  const scripts = fc.array(
    fc.record({
      providerId: fc.constantFrom('eventSink' as const, 'facebook' as const, 'tiktok' as const),
      geoRegions: fc.constantFrom('', 'EU', '-DE', 'US', '??'),
    }),
  )
  const events = fc.record({
    eventName: fc.constantFrom('PageView', 'Lead', 'Own', 'Search', '__proto__', 'constructor'),
    providers: fc.oneof(
      fc.array(fc.string()),
      fc.dictionary(fc.constantFrom('all', 'facebook', 'eventSink'), fc.boolean()),
    ),
    storage: fc.oneof(fc.constant(null), fc.dictionary(fc.constantFrom('service', 'x'), fc.jsonValue())),
    timestamp: fc.integer({ min: now - 7 * dayMs, max: now }),
  })
  fc.assert(
    fc.property(
      scripts,
      events,
      fc.constantFrom('enabled' as const, 'disabled' as const),
      (settings, event, consent) => {
        const all = settings.map((script, number) => aScript(`scr_${number}`, script))
        const { deliveries } = planned(anEvent(now, event), aTag(all, { consent }))
        assert.deepEqual(
          deliveries.map(({ scriptId }) => scriptId),
          all.map(({ scriptId }) => scriptId),
        )
        for (const { status, reason } of deliveries) assert.equal(status, reason ? 'skipped' : 'pending')
      },
    ),
  )
})

/**
 * The plan of an event of a tag that requires consent, for a provider that accepts user updates and one that does not.
 */
function planFor(more: Partial<PlanInput> = {}, tag: Partial<Snapshot> = {}) {
  const scripts = [aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]
  const input = { event: anEvent(now), context, tag: aTag(scripts, { consent: 'enabled', ...tag }), ...more }
  const consent = decideConsent({ ...input, stated: readStatedConsent(input.event, now, 'Service', input.tag) })
  const providersOf = { ...providers, eventSink: { ...providers.eventSink, acceptsUserEvents: true as const } }
  return plan({ position: 7, index: 2, userId: 'usr_1', user, consent, place: german, now, ...input }, providersOf)
}
const statusesOf = ({ deliveries }: ReturnType<typeof plan>) =>
  deliveries.map(({ scriptId, status, reason }) => [scriptId, status, reason].filter(Boolean).join(' '))

test('on a tag that holds events, a delivery that lacks a consent is held for its user until its hold ends', () => {
  const event = planFor({}, { hold: 30 })
  assert.deepEqual(statusesOf(event), ['scr_1 held consent', 'scr_2 held consent'])
  assert.deepEqual(event.held, { waitsFor: 'usr_1', until: now + 30 * 60_000 })
  assert.equal(planFor({}, { hold: 'off' }).held, undefined)
  assert.deepEqual(statusesOf(planFor()), ['scr_1 skipped consent', 'scr_2 skipped consent'])
})

test('an event that is planned after its hold time is skipped, and so is one that is refused or skipped for another reason', () => {
  const late = { ...context, receivedAt: now - 30 * 60_000 }
  assert.deepEqual(statusesOf(planFor({ context: late }, { hold: 30 })), [
    'scr_1 skipped consent',
    'scr_2 skipped consent',
  ])
  const no = { storage: { service: { consent: { all: false } } } }
  assert.deepEqual(statusesOf(planFor({ event: anEvent(now, no) }, { hold: 30 })), [
    'scr_1 skipped consent',
    'scr_2 skipped consent',
  ])
  const event = planFor({ event: anEvent(now, { providers: { facebook: true } }) }, { hold: 30 })
  assert.deepEqual(statusesOf(event), ['scr_1 skipped notSelected', 'scr_2 held consent'])
})

test('an event is held for the given consent key and has the user that its e-mail matches', () => {
  const event = planFor({ user: { waitsFor: '(e-mail 1)', emailMatch: 'usr_jane' } }, { hold: 30 })
  assert.deepEqual([event.userId, event.emailMatch, event.held?.waitsFor], ['usr_1', 'usr_jane', '(e-mail 1)'])
})

test('a user update goes to the providers that accept user updates, whatever events they support; a consent goes to none', () => {
  const user = { event: anEvent(now, { eventName: 'Search' }), context: { ...context, kind: 'user' as const } }
  assert.deepEqual(statusesOf(planFor(user, { consent: 'disabled' })), ['scr_1 pending'])
  assert.deepEqual(statusesOf(planFor(user)), ['scr_1 skipped consent'])
  assert.deepEqual(statusesOf(planFor({ context: { ...context, kind: 'consent' } }, { consent: 'disabled' })), [])
})

test('an event whose user was erased is dead for every script and has no user', () => {
  const tag = aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })])
  const event = planErased({ position: 7, index: 2, event: anEvent(now), context, userId: 'usr_1', tag, now })
  assert.deepEqual([statusesOf(event), event.userId], [['scr_1 dead erased', 'scr_2 dead erased'], '(erased)'])
})

const anyRules: fc.Arbitrary<ChannelRules> = fc.record(
  {
    filter: fc.oneof(
      fc.constantFrom<Filter>({ eventName: 'PageView' }, { $not: { eventName: 'PageView' } }, { isTest: true }),
      fc.record({
        data: fc.record({ a: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.record({ $neq: fc.constant(1) })) }),
      }),
    ),
    rename: fc.dictionary(fc.constantFrom('PageView', 'Purchase'), fc.constantFrom('Purchase', 'Own', 'Search', null)),
    map: fc.constant([{ set: 'data.a', value: 1 }]),
    sample: fc.constantFrom(1e-9, 0.5, 1),
  },
  { requiredKeys: [] },
)

test('rules only take away: no rule delivers what consent, region or selection refuse, nor an event without a rename', () => {
  const script = fc.record({
    geoRegions: fc.constantFrom('DE', 'US'),
    consentCategory: fc.constantFrom<'analytics' | 'advertising'>('analytics', 'advertising'),
  })
  const event = fc.record({
    eventName: fc.constantFrom('PageView', 'Purchase', 'Search'),
    data: fc.record({ a: fc.integer({ min: 0, max: 3 }) }),
    providers: fc.constantFrom({ all: true }, { all: false }),
    storage: fc.constantFrom({}, { service: { consentCategories: { analytics: true } } }),
  })
  fc.assert(
    fc.property(script, event, anyRules, fc.boolean(), (settings, more, rules, isOn) => {
      const tag: Partial<Snapshot> = { consent: isOn ? 'enabled' : 'disabled' }
      const [without, withRules] = [outcome(settings, more, tag), outcome({ ...settings, ...rules }, more, tag)]
      if (['consent', 'region', 'notSelected'].includes(without)) assert.equal(withRules, without)
      const mayBeSent = without === 'pending' || (without === 'eventNotSupported' && rules.rename !== undefined)
      if (withRules === 'pending') assert.ok(mayBeSent, without)
    }),
  )
})
