import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plugins } from '#plugins/index.ts'
import { fingerprintBytes } from '#user/storedProfile.ts'
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

const customers = { plugin: 'newReturningCustomer' }
const bots = { plugin: 'botFilter' }
const renaming = { plugin: 'eventRename', settings: { names: { Own: 'PageView' } } }

const openWith = (chosen: object[], scripts = [aScript('scr_1')]) =>
  openDeliveryHarness(aTag(scripts, { plugins: chosen as ReturnType<typeof aTag>['plugins'] }), {
    request: ({ event: { eventId, eventName } }) => ({ url: 'https://x.example/', json: { eventId, eventName } }),
  })
const purchase = (deps: DeliveryHarness, eventId: string, more: object = {}) =>
  anEvent(deps.clock.now(), { eventName: 'Purchase', eventId, ...more })
const names = (deps: DeliveryHarness) => deps.sent.map(({ json }) => `${json.eventId} ${json.eventName}`).sort()

test('a filtered event is skipped for every script: filtered', async () => {
  const harness = await openWith([bots], [aScript('scr_1'), aScript('scr_2', { geoRegions: 'US' })])
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()), {
    origin: 'https://shop.example',
    userAgent: 'Googlebot/2.1',
  })
  await waitForStatus(harness, 'skipped filtered 0')
  await waitForStatus(harness, 'skipped filtered 0', 'event-1', 1)
  assert.equal(harness.sent.length, 0)
})

test('channels and journal have the event name that a plugin set', async () => {
  const harness = await openWith([renaming])
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventName: 'Own' }))
  await waitForStatus(harness, 'delivered 1')
  assert.deepEqual(names(harness), ['event-1 PageView'])
  assert.equal((await journeyOf(harness, 'event-1'))!.eventName, 'PageView')
})

test('an event that a plugin added is delivered like its source and has its own journey', async () => {
  const harness = await openWith([renaming, customers])
  harness.start()
  await acceptEvents(harness, purchase(harness, 'o-1'), { origin: 'https://shop.example', ip: '203.0.113.1' })
  await waitForStatus(harness, 'delivered 1', 'o-1~Purchase_NC')
  const [source, added] = [await journeyOf(harness, 'o-1'), await journeyOf(harness, 'o-1~Purchase_NC')]
  const { position: _, index: __, deliveries: ___, ...rest } = source!
  assert.deepEqual({ ...added, ...rest }, { ...added, eventName: 'Purchase' })
  await acceptEvents(harness, purchase(harness, 'o-2'))
  await waitForStatus(harness, 'delivered 1', 'o-2~Purchase_RC')
  await until('all is delivered', () => harness.sent.length === 4)
  assert.deepEqual(names(harness), [
    'o-1 Purchase',
    'o-1~Purchase_NC Purchase_NC',
    'o-2 Purchase',
    'o-2~Purchase_RC Purchase_RC',
  ])
})

test("the first of two purchases in one record is a new customer's", async () => {
  const harness = await openWith([customers])
  harness.start()
  await acceptEvents(harness, [purchase(harness, 'o-1'), purchase(harness, 'o-2')])
  await until('all is delivered', () => harness.sent.length === 4)
  assert.deepEqual(names(harness), [
    'o-1 Purchase',
    'o-1~Purchase_NC Purchase_NC',
    'o-2 Purchase',
    'o-2~Purchase_RC Purchase_RC',
  ])
})

test("an offline purchase of a user who bought in the browser is a returning customer's", async () => {
  const harness = await openWith([customers])
  harness.start()
  const userEmail = 'jane@example.com'
  await acceptEvents(harness, purchase(harness, 'o-1', { userEmail }), { origin: 'https://shop.example' })
  await waitForStatus(harness, 'delivered 1', 'o-1~Purchase_NC')
  await acceptEvents(harness, purchase(harness, 'o-2', { userEmail }), { userId: 'usr_2', hasExplicitUserId: false })
  await waitForStatus(harness, 'delivered 1', 'o-2~Purchase_RC')
})

test("an offline purchase from a trusted server makes the next one in the browser a returning customer's", async () => {
  const harness = await openWith([customers])
  harness.start()
  const userEmail = 'jane@example.com'
  await acceptEvents(harness, anEvent(harness.clock.now(), { userEmail }), { origin: 'https://shop.example' })
  await waitForStatus(harness, 'delivered 1')
  await acceptEvents(harness, purchase(harness, 'o-1', { userEmail }), {
    userId: 'usr_2',
    hasExplicitUserId: false,
    trusted: true,
  })
  await waitForStatus(harness, 'delivered 1', 'o-1~Purchase_NC')
  await acceptEvents(harness, purchase(harness, 'o-2'), { origin: 'https://shop.example' })
  await waitForStatus(harness, 'delivered 1', 'o-2~Purchase_RC')
})

test("a trusted purchase with only an e-mail is a new customer's, whatever the claimants of the e-mail bought", async () => {
  const harness = await openWith([customers])
  harness.start()
  const userEmail = 'jane@example.com'
  await acceptEvents(harness, purchase(harness, 'o-1', { userEmail }), { origin: 'https://shop.example' })
  await waitForStatus(harness, 'delivered 1', 'o-1~Purchase_NC')
  const shop = { hasExplicitUserId: false, trusted: true }
  await acceptEvents(harness, purchase(harness, 'o-2', { userEmail }), { ...shop, userId: 'usr_2' })
  await waitForStatus(harness, 'delivered 1', 'o-2~Purchase_NC')
  await acceptEvents(harness, purchase(harness, 'o-3', { userEmail }), { ...shop, userId: 'usr_3' })
  await waitForStatus(harness, 'delivered 1', 'o-3~Purchase_RC')
})

test('a crash after planning adds no event twice and makes no new customer a returning one', async () => {
  const harness = await openWith([customers])
  const { stream } = harness.disk
  harness.start({ stream: { ...stream, settle: () => new Promise(() => {}) } })
  await acceptEvents(harness, purchase(harness, 'o-1'))
  await waitForStatus(harness, 'delivered 1', 'o-1~Purchase_NC')
  await harness.crash()
  harness.start()
  await until('all is planned again', async () => (await harness.disk.stream.waiting()) === 0)
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'delivered 1')
  assert.deepEqual(names(harness), ['event-1 PageView', 'o-1 Purchase', 'o-1~Purchase_NC Purchase_NC'])
})

test('an event whose plugin throws is poison, and other events continue', async () => {
  const harness = await openWith([{ plugin: 'broken' }])
  const broken = { ...plugins.botFilter!, run: () => assert.fail('broken') }
  harness.start({ plugins: { broken } })
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'dead poison 0')
  harness.snapshots.put(aTag([aScript('scr_1')], { number: 2 }))
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'event-2' }))
  await waitForStatus(harness, 'delivered 1', 'event-2')
})

test('a filter that is set while a delivery waits for a retry applies to it', async () => {
  const harness = await openWith([])
  harness.vendor.answer = () => down
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()), {
    origin: 'https://shop.example',
    userAgent: 'Googlebot/2.1',
  })
  await waitForStatus(harness, 'pending vendorDown 1')
  harness.vendor.answer = () => ok
  await harness.crash()
  harness.snapshots.put(aTag([aScript('scr_1')], { number: 2, plugins: [bots] }))
  harness.start()
  await harness.clock.turn(60_000)
  await waitForStatus(harness, 'skipped filtered 1')
})

test('a user update by /user passes no plugin', async () => {
  const harness = await openWith([{ plugin: 'broken' }])
  harness.start({ plugins: { broken: { ...plugins.botFilter!, run: () => assert.fail('broken') } } })
  await acceptEvents(
    harness,
    anEvent(harness.clock.now(), { eventName: 'user', data: { email: 'jane@example.com' } }),
    {
      kind: 'user',
    },
  )
  const alias = keys.team('team_1').emailFingerprint('tag_1', 'jane@example.com')
  const claimants = async () => (await harness.disk.store.users.byEmail('tag_1', fingerprintBytes(alias))).claimants
  await until('the profile is updated', async () => (await claimants())[0] === 'usr_1')
})
