import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRecord, recordEvents } from '#event/record.ts'
import { DatabaseAway } from '#postgres/databaseError.ts'
import { until } from '../../test/fake/clock.ts'
import { acceptEvents, keys, manyEvents, openDeliveryHarness, waitForStatus } from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

test('a duplicate in the same record as a new event is not sent, and only its names are kept', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.start()
  const email = { userEmail: 'jane@example.com' }
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'first', ...email }))
  await waitForStatus(harness, 'delivered 1', 'first')
  const pair = ['first', 'second'].map((eventId) => anEvent(harness.clock.now(), { eventId, ...email }))
  await acceptEvents(harness, pair, { userIds: ['usr_1', 'usr_2'] })
  await waitForStatus(harness, 'delivered 1', 'second')
  const place = (await harness.disk.stream.find(keys.team('team_1').eventKey('tag_1', 'second', false)))!
  const storedEvents = async () =>
    recordEvents(openRecord((await harness.disk.stream.read(place.position))!.payload, 'tag_1', 'team_1', keys))
  await until('the repeat is purged', async () => (await storedEvents())[0]!.isErased)
  const [repeat, fresh] = await storedEvents()
  assert.deepEqual([repeat?.event.eventId, repeat?.event.userEmail], ['first', undefined])
  assert.equal(fresh?.event.userEmail, 'jane@example.com')
  assert.equal(harness.sent.length, 2)
})

test('an event is delivered while its profile update is being written, and its record is settled after that', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const writing = Promise.withResolvers<void>()
  const profiles = {
    ...harness.disk.profiles,
    change: async (...args: Parameters<typeof harness.disk.profiles.change>) => {
      const { written } = await harness.disk.profiles.change(...args)
      return { written: Promise.all([written, writing.promise]).then(() => {}) }
    },
  }
  harness.start({ profiles })
  await acceptEvents(harness, anEvent(harness.clock.now(), { userEmail: 'jane@example.com' }))
  await waitForStatus(harness, 'delivered 1')
  assert.equal(await harness.disk.stream.waiting(), 1)
  writing.resolve()
  await until('the record is settled', async () => (await harness.disk.stream.waiting()) === 0)
})

test('planning a large record yields to other work', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  let yields = 0
  let isOver = false
  const countYield = () => {
    yields++
    if (!isOver) setImmediate(countYield)
  }
  const planned: number[] = []
  const profiles = {
    ...harness.disk.profiles,
    async find(...args: Parameters<typeof harness.disk.profiles.find>) {
      planned.push(yields)
      void harness.clock.turn(1)
      return harness.disk.profiles.find(...args)
    },
  }
  await acceptEvents(harness, manyEvents(harness, 100))
  countYield()
  harness.start({ profiles })
  await waitForStatus(harness, 'delivered 1', 'event-99')
  isOver = true
  const seen = new Set(planned.slice(0, 100)) // the later events are read again, to be sent
  assert.ok(seen.size >= 10, `planned between ${seen.size} yields`)
})

test('the users of a record are read at once, and each event sees what those before it changed', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const { users } = harness.disk.store
  const asked: (readonly string[])[] = []
  const { getMany } = users
  users.getMany = (tagId, userIds) => {
    asked.push(userIds)
    return getMany(tagId, userIds)
  }
  const events = ['a', 'b', 'c'].map((eventId) => {
    const custom = { storage: { kv: { [eventId]: true } } }
    return anEvent(harness.clock.now(), { eventId, ...custom })
  })
  harness.start()
  await acceptEvents(harness, events, { userIds: ['usr_1', 'usr_2', 'usr_1'] })
  for (const eventId of ['a', 'b', 'c']) await waitForStatus(harness, 'delivered 1', eventId)
  assert.deepEqual(asked, [['usr_1', 'usr_2']])
  const profile = await harness.disk.profiles.get({ tag: aTag([]), userId: 'usr_1' })
  assert.deepEqual(Object.keys(profile!.custom), ['a', 'c'])
})

test('an event whose user cannot be read while the database is away waits for it, and is not given up', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  let failures = 3
  const profiles = {
    ...harness.disk.profiles,
    async change(...args: Parameters<typeof harness.disk.profiles.change>) {
      if (failures-- > 0) throw new DatabaseAway('no primary responds')
      return harness.disk.profiles.change(...args)
    },
  }
  harness.start({ profiles })
  await acceptEvents(harness, anEvent(harness.clock.now(), { userEmail: 'jane@example.com' }))
  await until('all failures are over', async () => {
    await harness.clock.turn(1_000)
    return failures < 0
  })
  await waitForStatus(harness, 'delivered 1')
})
