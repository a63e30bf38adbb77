import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openRecord } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  down,
  journeyOf,
  keys,
  ok,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const minute = 60_000
const openHarness = (more: Partial<Snapshot> = {}, scripts = [aScript('scr_1')]) =>
  openDeliveryHarness(aTag(scripts, { consent: 'enabled', hold: 30, ...more }))
const consent = (maps: object) => ({ storage: { service: { consent: maps } } })
const withoutConsent = (deps: DeliveryHarness, eventId: string) => anEvent(deps.clock.now(), { eventId })

/** Appends what `POST /consent` appends to the stream. */
const agree = (deps: DeliveryHarness, maps: object, more: Parameters<typeof acceptEvents>[2] = {}) => {
  const eventId = `consent-${deps.clock.now()}`
  const event = anEvent(deps.clock.now(), { eventName: 'consent', eventId, ...consent(maps) })
  return acceptEvents(deps, event, { kind: 'consent', ...more })
}
const arrived = (deps: DeliveryHarness) => deps.sent.map(({ json }) => json.eventId)

describe('an event that lacks consent, on a tag that holds events,', () => {
  test('is held, and is delivered in order when the consent comes', async () => {
    const harness = await openHarness()
    harness.start()
    for (const eventId of ['a', 'b', 'c']) await acceptEvents(harness, withoutConsent(harness, eventId))
    for (const eventId of ['a', 'b', 'c']) await waitForStatus(harness, 'held consent 0', eventId)
    assert.deepEqual((await journeyOf(harness, 'a'))?.consent, { source: 'none' })
    await harness.clock.turn(5 * minute)
    const agreedAt = harness.clock.now()
    await agree(harness, { all: true })
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'd' }))
    for (const eventId of ['a', 'b', 'c', 'd']) await waitForStatus(harness, 'delivered 1', eventId)
    assert.deepEqual(arrived(harness), ['a', 'b', 'c', 'd'])
    assert.deepEqual((await journeyOf(harness, 'a'))?.consent, {
      source: 'stored',
      at: agreedAt,
      decided: { consent: { all: true } },
    })
  })

  test('is held while the visitor has not answered, whatever the defaults of the page are, and follows the answer', async () => {
    const harness = await openHarness()
    harness.start()
    const defaults = { storage: { service: { consentState: 'unanswered', consent: { all: true } } } }
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'a', ...defaults }))
    await waitForStatus(harness, 'held consent 0', 'a')
    assert.deepEqual((await journeyOf(harness, 'a'))?.consent, { source: 'none', state: 'unanswered' })
    await agree(harness, { all: true })
    await waitForStatus(harness, 'delivered 1', 'a')
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'b', ...defaults }))
    await waitForStatus(harness, 'delivered 1', 'b') // the stored answer stays
  })

  test('reaches a slow vendor in order, each after the previous one ended', async () => {
    const harness = await openHarness()
    const ids = ['a', 'b', 'c', 'd', 'e']
    harness.start()
    for (const eventId of ids) {
      await harness.clock.turn(10)
      await acceptEvents(harness, withoutConsent(harness, eventId))
    }
    await waitForStatus(harness, 'held consent 0', 'e')
    const waiting = new Map<string, () => void>()
    harness.vendor.answer = ({ json }) =>
      new Promise((answer) => waiting.set(json.eventId, () => answer(ids.indexOf(json.eventId) % 2 ? ok : down)))
    await agree(harness, { all: true })
    for (const [n, eventId] of ids.entries()) {
      await until(`${eventId} is sent`, () => waiting.has(eventId))
      await harness.clock.turn(100)
      assert.deepEqual(arrived(harness), ids.slice(0, n + 1))
      waiting.get(eventId)!()
    }
  })

  test('is released by a consent that comes while the event is still being written', async () => {
    const harness = await openHarness()
    const writing = Promise.withResolvers<void>()
    const { journal } = harness.disk.store
    let groups = 0
    const plan: typeof journal.plan = async (events) => {
      groups++
      if (groups === 1) await writing.promise
      await journal.plan(events)
    }
    harness.start({ store: { ...harness.disk.store, journal: { ...journal, plan } } })
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await until('it is being written', () => groups === 1)
    await agree(harness, { all: true })
    await until('the consent is known', async () => {
      const profile = await harness.disk.profiles.get({ tag: { tagId: 'tag_1', teamId: 'team_1' }, userId: 'usr_1' })
      return profile?.consent !== undefined
    })
    writing.resolve()
    await waitForStatus(harness, 'delivered 1', 'a')
  })

  test('is released by the consent of the next event as well', async () => {
    const harness = await openHarness()
    harness.start()
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await waitForStatus(harness, 'held consent 0', 'a')
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'b', ...consent({ all: true }) }))
    await waitForStatus(harness, 'delivered 1', 'b')
    await waitForStatus(harness, 'delivered 1', 'a')
    assert.deepEqual(arrived(harness), ['a', 'b'])
  })

  test('is released also if event and consent come in one record', async () => {
    const harness = await openHarness()
    await acceptEvents(harness, [
      withoutConsent(harness, 'a'),
      anEvent(harness.clock.now(), { eventId: 'b', ...consent({ all: true }) }),
    ])
    harness.start()
    await waitForStatus(harness, 'delivered 1', 'a')
    await waitForStatus(harness, 'delivered 1', 'b')
  })

  test('is skipped when the consent is refused, and only its names are kept', async () => {
    const harness = await openHarness()
    harness.start()
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'a', userEmail: 'jane@example.com' }))
    await waitForStatus(harness, 'held consent 0', 'a')
    await agree(harness, { all: false })
    await waitForStatus(harness, 'skipped consent 0', 'a')
    const place = (await harness.disk.stream.find(keys.team('team_1').eventKey('tag_1', 'a', false)))!
    const bodyOf = async () =>
      openRecord((await harness.disk.stream.read(place.position))!.payload, 'tag_1', 'team_1', keys)[0]!.body
    await until('it is purged', async () => !JSON.stringify(await bodyOf()).includes('jane'))
    assert.deepEqual([await bodyOf()].flat(), [
      { eventId: 'a', eventName: 'PageView', timestamp: place && harness.clock.now() },
    ])
    assert.deepEqual(harness.sent, [])
  })

  test('is not purged by a worker whose refusal comes after the release by another one', async () => {
    const harness = await openHarness()
    const { journal } = harness.disk.store
    const { release } = journal
    let isOver = false
    journal.release = async (events) => {
      const pending = ({ deliveryId, scriptId }: (typeof events)[number]['deliveries'][number]) =>
        ({ deliveryId, scriptId, status: 'pending' }) as const
      await release(events.map((each) => ({ ...each, deliveries: each.deliveries.map(pending) })))
      await release(events)
      isOver = true
    }
    harness.start()
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'a', userEmail: 'jane@example.com' }))
    await waitForStatus(harness, 'held consent 0', 'a')
    await agree(harness, { all: false })
    await until('both have decided', () => isOver)
    await harness.clock.turn(2 * minute)
    const place = (await harness.disk.stream.find(keys.team('team_1').eventKey('tag_1', 'a', false)))!
    const record = openRecord((await harness.disk.stream.read(place.position))!.payload, 'tag_1', 'team_1', keys)
    assert.match(JSON.stringify(record[0]!.body), /jane/)
  })

  test('is delivered only to the channels that the consent allows', async () => {
    const harness = await openHarness({}, [aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })])
    harness.start()
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await waitForStatus(harness, 'held consent 0', 'a', 1)
    await agree(harness, { eventSink: true })
    await waitForStatus(harness, 'delivered 1', 'a')
    await waitForStatus(harness, 'skipped consent 0', 'a', 1)
  })

  test('is skipped when its hold ends without a consent', async () => {
    const harness = await openHarness({ hold: 2 })
    harness.start()
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await waitForStatus(harness, 'held consent 0', 'a')
    await harness.clock.turn(2 * minute - 1)
    await waitForStatus(harness, 'held consent 0', 'a')
    await harness.clock.turn(1_001)
    await waitForStatus(harness, 'skipped consent 0', 'a')
    await agree(harness, { all: true })
    await acceptEvents(harness, withoutConsent(harness, 'b'))
    await waitForStatus(harness, 'delivered 1', 'b')
    assert.deepEqual(arrived(harness), ['b'])
  })

  test('is delivered when its hold ends if its tag requires consent no longer', async () => {
    const harness = await openHarness({ hold: 2 })
    harness.start()
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await waitForStatus(harness, 'held consent 0', 'a')
    harness.snapshots.put(aTag([aScript('scr_1')], { hold: 2, number: 2 }))
    await harness.clock.turn(2 * minute + 1_000)
    await waitForStatus(harness, 'delivered 1', 'a')
  })

  test('is not released by the consent of another user', async () => {
    const harness = await openHarness()
    harness.start()
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await waitForStatus(harness, 'held consent 0', 'a')
    await agree(harness, { all: true }, { userId: 'usr_2' })
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'b', ...consent({ all: true }) }), {
      userId: 'usr_2',
    })
    await waitForStatus(harness, 'delivered 1', 'b')
    await waitForStatus(harness, 'held consent 0', 'a')
  })

  test('stays held through a restart', async () => {
    const harness = await openHarness()
    harness.start()
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await waitForStatus(harness, 'held consent 0', 'a')
    await harness.crash()
    harness.start()
    await agree(harness, { all: true })
    await waitForStatus(harness, 'delivered 1', 'a')
    assert.deepEqual(arrived(harness), ['a'])
  })

  test('that was released before a crash is delivered after it, once', async () => {
    const harness = await openHarness()
    harness.vendor.answer = () => down
    harness.start()
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await waitForStatus(harness, 'held consent 0', 'a')
    await agree(harness, { all: true })
    await waitForStatus(harness, 'pending vendorDown 1', 'a')
    await harness.crash()
    harness.vendor.answer = () => ok
    harness.start()
    await harness.clock.turn(6_000)
    await waitForStatus(harness, 'delivered 2', 'a')
  })

  test('is dead: erased if its script or its tag is deleted meanwhile', async () => {
    const harness = await openHarness({ hold: 1 })
    harness.start()
    await acceptEvents(harness, withoutConsent(harness, 'a'))
    await waitForStatus(harness, 'held consent 0', 'a')
    harness.snapshots.put(aTag([], { consent: 'enabled', hold: 1, number: 2 }))
    await harness.clock.turn(minute + 1_000)
    await waitForStatus(harness, 'dead erased 0', 'a')
  })
})

test('an event that lacks consent is skipped at once on a tag that does not hold events', async () => {
  const harness = await openHarness({ hold: 'off' })
  harness.start()
  await acceptEvents(harness, withoutConsent(harness, 'a'))
  await waitForStatus(harness, 'skipped consent 0', 'a')
  await agree(harness, { all: true })
  await acceptEvents(harness, withoutConsent(harness, 'b'))
  await waitForStatus(harness, 'delivered 1', 'b')
  assert.deepEqual(arrived(harness), ['b'])
})

test('an event whose own consent refuses is not held', async () => {
  const harness = await openHarness()
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'a', ...consent({ all: false }) }))
  await waitForStatus(harness, 'skipped consent 0', 'a')
})
