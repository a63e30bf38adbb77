import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readConsent } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Place } from '#contract/journey.ts'
import type { EventContext } from '#event/record.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import { type Asked, plan, planErased, planPoison } from './plan.ts'

const now = Date.UTC(2026, 10, 20)
const dayMs = 86_400_000
const providers = { eventSink: aProvider('eventSink', { maxAgeMs: dayMs }), facebook: aProvider('facebook') }
const context: EventContext = {
  tagId: 'tag_1',
  teamId: 'team_1',
  userId: 'usr_1',
  presented: true,
  trusted: false,
  receivedAt: now,
}
const whose = { waitsFor: 'usr_1' }
const german: Place = { country: 'DE', source: 'request' }

function planned(event: TagEvent, tag: Snapshot, place: Place = german) {
  const consent = readConsent({ event, context, tag, brand: 'Service' })
  return plan({ position: 7, index: 2, event, context, userId: 'usr_1', tag, whose, consent, place, now }, providers)
}
const outcome = (script: Partial<SnapshotScript>, event: Record<string, unknown> = {}, tag: Partial<Snapshot> = {}) => {
  const { deliveries } = planned(anEvent(now, event), aTag([aScript('scr_1', script)], tag))
  return deliveries[0]!.reason ?? deliveries[0]!.status
}

test('every script of the tag gets a delivery with an id of its own', () => {
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
  const asked = { consent: 'enabled' as const }
  const allows = (category: string) => ({ storage: { service: { consentCategories: { [category]: true } } } })
  assert.equal(outcome({}, {}, asked), 'consent')
  assert.equal(outcome({}, allows('analytics'), asked), 'pending')
  assert.equal(outcome({ consentCategory: 'advertising' }, allows('analytics'), asked), 'consent')
  assert.equal(outcome({ consentCategory: 'advertising' }, allows('advertising'), asked), 'pending')
})

test('outside its regions a script is skipped; regions that do not read let nothing through', () => {
  assert.equal(outcome({ geoRegions: 'EU,-DE' }), 'region')
  assert.equal(outcome({ geoRegions: 'EU' }), 'pending')
  assert.equal(outcome({ geoRegions: 'nonsense' }), 'region')
})

test('an event that the provider has no name for, or a provider that this build does not have: eventNotSupported', () => {
  assert.equal(outcome({}, { eventName: 'Lead' }), 'eventNotSupported')
  assert.equal(outcome({ providerId: 'facebook' }, { eventName: 'Own' }), 'pending')
  assert.equal(outcome({ providerId: 'tiktok' }), 'eventNotSupported')
})

test('an event older than the provider takes is skipped: tooOld', () => {
  assert.equal(outcome({}, { timestamp: now - dayMs - 1 }), 'tooOld')
  assert.equal(outcome({}, { timestamp: now - dayMs }), 'pending')
})

test('of several reasons the first is told: notSelected, consent, region, eventNotSupported, tooOld', () => {
  const wrong = { providers: ['facebook'], eventName: 'Lead', timestamp: now - 2 * dayMs }
  const asked = { consent: 'enabled' as const }
  const consent = { storage: { service: { consent: { all: true } } } }
  assert.equal(outcome({ geoRegions: 'US' }, wrong, asked), 'notSelected')
  assert.equal(outcome({ geoRegions: 'US' }, { ...wrong, providers: undefined }, asked), 'consent')
  assert.equal(outcome({ geoRegions: 'US' }, { ...wrong, providers: undefined, ...consent }, asked), 'region')
  assert.equal(outcome({}, { ...wrong, providers: undefined, ...consent }, asked), 'eventNotSupported')
})

test('an event that deciding throws for is dead for every script: poison', () => {
  const tag = aTag([aScript('scr_1'), aScript('scr_2')])
  const { deliveries } = planPoison({ position: 1, index: 0, event: anEvent(now), context, userId: 'usr_1', tag, now })
  assert.deepEqual(
    deliveries.map(({ status, reason }) => [status, reason]),
    [
      ['dead', 'poison'],
      ['dead', 'poison'],
    ],
  )
})

test('whatever an event says, each script has exactly one delivery: pending, or skipped with a reason', () => {
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
    fc.property(scripts, events, fc.constantFrom('enabled' as const, 'disabled' as const), (given, event, consent) => {
      const all = given.map((script, number) => aScript(`scr_${number}`, script))
      const { deliveries } = planned(anEvent(now, event), aTag(all, { consent }))
      assert.deepEqual(
        deliveries.map(({ scriptId }) => scriptId),
        all.map(({ scriptId }) => scriptId),
      )
      for (const { status, reason } of deliveries) assert.equal(status, reason ? 'skipped' : 'pending')
    }),
  )
})

/** The plan of an event of a tag that asks for consent, to the sink that takes users and to another that does not. */
function asked(more: Partial<Asked> = {}, tag: Partial<Snapshot> = {}) {
  const scripts = [aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]
  const of = { event: anEvent(now), context, tag: aTag(scripts, { consent: 'enabled', ...tag }), ...more }
  const consent = readConsent({ ...of, brand: 'Service' })
  const both = { ...providers, eventSink: { ...providers.eventSink, takesUsers: true as const } }
  return plan({ position: 7, index: 2, userId: 'usr_1', whose, consent, place: german, now, ...of }, both)
}
const stands = ({ deliveries }: ReturnType<typeof plan>) =>
  deliveries.map(({ scriptId, status, reason }) => [scriptId, status, reason].filter(Boolean).join(' '))

test('where the tag holds, what lacks a consent is held, for its user and until its time is over', () => {
  const event = asked({}, { hold: 30 })
  assert.deepEqual(stands(event), ['scr_1 held consent', 'scr_2 held consent'])
  assert.deepEqual(event.held, { waitsFor: 'usr_1', until: now + 30 * 60_000 })
  assert.equal(asked({}, { hold: 'off' }).held, undefined)
  assert.deepEqual(stands(asked()), ['scr_1 skipped consent', 'scr_2 skipped consent'])
})

test('what comes to be planned after its time is skipped, and so is what was refused or is not wanted anyway', () => {
  const late = { ...context, receivedAt: now - 30 * 60_000 }
  assert.deepEqual(stands(asked({ context: late }, { hold: 30 })), ['scr_1 skipped consent', 'scr_2 skipped consent'])
  const no = { storage: { service: { consent: { all: false } } } }
  assert.deepEqual(stands(asked({ event: anEvent(now, no) }, { hold: 30 })), [
    'scr_1 skipped consent',
    'scr_2 skipped consent',
  ])
  const event = asked({ event: anEvent(now, { providers: { facebook: true } }) }, { hold: 30 })
  assert.deepEqual(stands(event), ['scr_1 skipped notSelected', 'scr_2 held consent'])
})

test('an event waits for whom it is said to wait for, and names the user that it is of by its e-mail', () => {
  const event = asked({ whose: { waitsFor: '(e-mail 1)', joined: 'usr_jane' } }, { hold: 30 })
  assert.deepEqual([event.userId, event.joined, event.held?.waitsFor], ['usr_1', 'usr_jane', '(e-mail 1)'])
})

test('of what became known of a person those are told that take it, whatever events they know; of a consent nobody is', () => {
  const user = { event: anEvent(now, { eventName: 'Search' }), context: { ...context, kind: 'user' as const } }
  assert.deepEqual(stands(asked(user, { consent: 'disabled' })), ['scr_1 pending'])
  assert.deepEqual(stands(asked(user)), ['scr_1 skipped consent'])
  assert.deepEqual(stands(asked({ context: { ...context, kind: 'consent' } }, { consent: 'disabled' })), [])
})

test('an event whose user was erased is dead for every script, and of nobody', () => {
  const tag = aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })])
  const event = planErased({ position: 7, index: 2, event: anEvent(now), context, userId: 'usr_1', tag, now })
  assert.deepEqual([stands(event), event.userId], [['scr_1 dead erased', 'scr_2 dead erased'], '(erased)'])
})
