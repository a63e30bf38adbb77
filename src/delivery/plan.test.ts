import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readConsent } from '#consent/consent.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Place } from '#contract/journey.ts'
import type { EventContext } from '#event/record.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import { plan, planPoison } from './plan.ts'

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
const german: Place = { country: 'DE', source: 'request' }

function planned(event: TagEvent, tag: Snapshot, place: Place = german) {
  const consent = readConsent({ event, context, tag, brand: 'Service' })
  return plan({ position: 7, index: 2, event, context, tag, consent, place, now }, providers)
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
  const { deliveries } = planPoison({ position: 1, index: 0, event: anEvent(now), context, tag, now })
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
