import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openRecord } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { until } from '../../test/fake/clock.ts'
import { accept, down, ends, type House, journeyOf, keys, ok, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const minute = 60_000
const holding = (more: Partial<Snapshot> = {}, scripts = [aScript('scr_1')]) =>
  openHouse(aTag(scripts, { consent: 'enabled', hold: 30, ...more }))
const consent = (maps: object) => ({ storage: { service: { consent: maps } } })
const lacking = (on: House, eventId: string) => anEvent(on.clock.now(), { eventId })

/** What `POST /consent` puts into the stream. */
const agree = (on: House, maps: object, more: Parameters<typeof accept>[2] = {}) => {
  const eventId = `consent-${on.clock.now()}`
  const event = anEvent(on.clock.now(), { eventName: 'consent', eventId, ...consent(maps) })
  return accept(on, event, { kind: 'consent', ...more })
}
const arrived = (on: House) => on.sent.map(({ json }) => json.eventId)

describe('an event that lacks consent, on a tag that holds', () => {
  test('waits, and is delivered in its order when the consent comes', async () => {
    const on = await holding()
    on.start()
    for (const eventId of ['a', 'b', 'c']) await accept(on, lacking(on, eventId))
    for (const eventId of ['a', 'b', 'c']) await ends(on, 'held consent 0', eventId)
    assert.deepEqual((await journeyOf(on, 'a'))?.consent, { source: 'none' })
    await on.clock.turn(5 * minute)
    const agreedAt = on.clock.now()
    await agree(on, { all: true })
    await accept(on, anEvent(on.clock.now(), { eventId: 'd' }))
    for (const eventId of ['a', 'b', 'c', 'd']) await ends(on, 'delivered 1', eventId)
    assert.deepEqual(arrived(on), ['a', 'b', 'c', 'd'])
    assert.deepEqual((await journeyOf(on, 'a'))?.consent, {
      source: 'stored',
      at: agreedAt,
      decided: { consent: { all: true } },
    })
  })

  test('reaches a vendor that answers slowly and out of order in its order, each after the one before it ended', async () => {
    const on = await holding()
    const ids = ['a', 'b', 'c', 'd', 'e']
    on.start()
    for (const eventId of ids) {
      await on.clock.turn(10)
      await accept(on, lacking(on, eventId))
    }
    await ends(on, 'held consent 0', 'e')
    const waiting = new Map<string, () => void>()
    on.vendor.answer = ({ json }) =>
      new Promise((answer) => waiting.set(json.eventId, () => answer(ids.indexOf(json.eventId) % 2 ? ok : down)))
    await agree(on, { all: true })
    for (const [n, eventId] of ids.entries()) {
      await until(`${eventId} is sent`, () => waiting.has(eventId))
      await on.clock.turn(100)
      assert.deepEqual(arrived(on), ids.slice(0, n + 1))
      waiting.get(eventId)!()
    }
  })

  test('is found by a consent that comes while it is still being written down', async () => {
    const on = await holding()
    const writing = Promise.withResolvers<void>()
    const { journal } = on.disk.store
    let groups = 0
    const plan: typeof journal.plan = async (events) => {
      groups++
      if (groups === 1) await writing.promise
      await journal.plan(events)
    }
    on.start({ store: { ...on.disk.store, journal: { ...journal, plan } } })
    await accept(on, lacking(on, 'a'))
    await until('it is being written', () => groups === 1)
    await agree(on, { all: true })
    await until('the consent is known', async () => {
      const profile = await on.disk.people.get({ tag: { tagId: 'tag_1', teamId: 'team_1' }, userId: 'usr_1' })
      return profile?.consent !== undefined
    })
    writing.resolve()
    await ends(on, 'delivered 1', 'a')
  })

  test('waits for the consent that the next event brings as well', async () => {
    const on = await holding()
    on.start()
    await accept(on, lacking(on, 'a'))
    await ends(on, 'held consent 0', 'a')
    await accept(on, anEvent(on.clock.now(), { eventId: 'b', ...consent({ all: true }) }))
    await ends(on, 'delivered 1', 'b')
    await ends(on, 'delivered 1', 'a')
    assert.deepEqual(arrived(on), ['a', 'b'])
  })

  test('is let go also where event and consent come in one body', async () => {
    const on = await holding()
    await accept(on, [lacking(on, 'a'), anEvent(on.clock.now(), { eventId: 'b', ...consent({ all: true }) })])
    on.start()
    await ends(on, 'delivered 1', 'a')
    await ends(on, 'delivered 1', 'b')
  })

  test('is skipped when the consent is refused, and nothing but its names is kept', async () => {
    const on = await holding()
    on.start()
    await accept(on, anEvent(on.clock.now(), { eventId: 'a', userEmail: 'jane@example.com' }))
    await ends(on, 'held consent 0', 'a')
    await agree(on, { all: false })
    await ends(on, 'skipped consent 0', 'a')
    const place = (await on.disk.stream.find(keys.team('team_1').eventKey('tag_1', 'a', false)))!
    const bodyOf = async () =>
      openRecord((await on.disk.stream.read(place.position))!.payload, 'tag_1', 'team_1', keys)[0]!.body
    await until('it is purged', async () => !JSON.stringify(await bodyOf()).includes('jane'))
    assert.deepEqual([await bodyOf()].flat(), [
      { eventId: 'a', eventName: 'PageView', timestamp: place && on.clock.now() },
    ])
    assert.deepEqual(on.sent, [])
  })

  test('is delivered only where the consent allows it', async () => {
    const on = await holding({}, [aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })])
    on.start()
    await accept(on, lacking(on, 'a'))
    await ends(on, 'held consent 0', 'a', 1)
    await agree(on, { eventSink: true })
    await ends(on, 'delivered 1', 'a')
    await ends(on, 'skipped consent 0', 'a', 1)
  })

  test('is skipped when its time is over without a consent', async () => {
    const on = await holding({ hold: 2 })
    on.start()
    await accept(on, lacking(on, 'a'))
    await ends(on, 'held consent 0', 'a')
    await on.clock.turn(2 * minute - 1)
    await ends(on, 'held consent 0', 'a')
    await on.clock.turn(1_001)
    await ends(on, 'skipped consent 0', 'a')
    await agree(on, { all: true })
    await accept(on, lacking(on, 'b'))
    await ends(on, 'delivered 1', 'b')
    assert.deepEqual(arrived(on), ['b'])
  })

  test('does not wait for the consent of somebody else', async () => {
    const on = await holding()
    on.start()
    await accept(on, lacking(on, 'a'))
    await ends(on, 'held consent 0', 'a')
    await agree(on, { all: true }, { userId: 'usr_2' })
    await accept(on, anEvent(on.clock.now(), { eventId: 'b', ...consent({ all: true }) }), { userId: 'usr_2' })
    await ends(on, 'delivered 1', 'b')
    await ends(on, 'held consent 0', 'a')
  })

  test('waits through a restart', async () => {
    const on = await holding()
    on.start()
    await accept(on, lacking(on, 'a'))
    await ends(on, 'held consent 0', 'a')
    await on.crash()
    on.start()
    await agree(on, { all: true })
    await ends(on, 'delivered 1', 'a')
    assert.deepEqual(arrived(on), ['a'])
  })

  test('that was let go before a crash is delivered after it, once', async () => {
    const on = await holding()
    on.vendor.answer = () => down
    on.start()
    await accept(on, lacking(on, 'a'))
    await ends(on, 'held consent 0', 'a')
    await agree(on, { all: true })
    await ends(on, 'pending vendorDown 1', 'a')
    await on.crash()
    on.vendor.answer = () => ok
    on.start()
    await on.clock.turn(6_000)
    await ends(on, 'delivered 2', 'a')
  })

  test('is dead: erased when its script or its tag is gone meanwhile', async () => {
    const on = await holding({ hold: 1 })
    on.start()
    await accept(on, lacking(on, 'a'))
    await ends(on, 'held consent 0', 'a')
    on.snapshots.put(aTag([], { consent: 'enabled', hold: 1, number: 2 }))
    await on.clock.turn(minute + 1_000)
    await ends(on, 'dead erased 0', 'a')
  })
})

test('on a tag that does not hold, an event that lacks consent is skipped at once', async () => {
  const on = await holding({ hold: 'off' })
  on.start()
  await accept(on, lacking(on, 'a'))
  await ends(on, 'skipped consent 0', 'a')
  await agree(on, { all: true })
  await accept(on, lacking(on, 'b'))
  await ends(on, 'delivered 1', 'b')
  assert.deepEqual(arrived(on), ['b'])
})

test('an event whose own consent refuses is not held', async () => {
  const on = await holding()
  on.start()
  await accept(on, anEvent(on.clock.now(), { eventId: 'a', ...consent({ all: false }) }))
  await ends(on, 'skipped consent 0', 'a')
})
