import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plugins } from '#plugins/index.ts'
import { until } from '../../test/fake/clock.ts'
import { accept, down, ends, type House, journeyOf, keys, ok, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const customers = { plugin: 'newReturningCustomer' }
const bots = { plugin: 'botFilter' }
const renaming = { plugin: 'eventRename', settings: { names: { Own: 'PageView' } } }

const openWith = (chosen: object[], scripts = [aScript('scr_1')]) =>
  openHouse(aTag(scripts, { plugins: chosen as ReturnType<typeof aTag>['plugins'] }), {
    request: ({ event: { eventId, eventName } }) => ({ url: 'https://x.example/', json: { eventId, eventName } }),
  })
const purchase = (on: House, eventId: string, more: object = {}) =>
  anEvent(on.clock.now(), { eventName: 'Purchase', eventId, ...more })
const names = (on: House) => on.sent.map(({ json }) => `${json.eventId} ${json.eventName}`).sort()

test('a filtered event is skipped by every script: filtered', async () => {
  const on = await openWith([bots], [aScript('scr_1'), aScript('scr_2', { geoRegions: 'US' })])
  on.start()
  await accept(on, anEvent(on.clock.now()), { origin: 'https://shop.example', userAgent: 'Googlebot/2.1' })
  await ends(on, 'skipped filtered 0')
  await ends(on, 'skipped filtered 0', 'event-1', 1)
  assert.equal(on.sent.length, 0)
})

test('channels and journal know an event by the name that a plugin gave it', async () => {
  const on = await openWith([renaming])
  on.start()
  await accept(on, anEvent(on.clock.now(), { eventName: 'Own' }))
  await ends(on, 'delivered 1')
  assert.deepEqual(names(on), ['event-1 PageView'])
  assert.equal((await journeyOf(on, 'event-1'))!.eventName, 'PageView')
})

test('an event that a plugin adds is delivered like its source and has a journey of its own', async () => {
  const on = await openWith([renaming, customers])
  on.start()
  await accept(on, purchase(on, 'o-1'), { origin: 'https://shop.example', ip: '203.0.113.1' })
  await ends(on, 'delivered 1', 'o-1~Purchase_NC')
  const [source, added] = [await journeyOf(on, 'o-1'), await journeyOf(on, 'o-1~Purchase_NC')]
  const { position: _, index: __, deliveries: ___, ...told } = source!
  assert.deepEqual({ ...added, ...told }, { ...added, eventName: 'Purchase' })
  await accept(on, purchase(on, 'o-2'))
  await ends(on, 'delivered 1', 'o-2~Purchase_RC')
  await until('all is delivered', () => on.sent.length === 4)
  assert.deepEqual(names(on), [
    'o-1 Purchase',
    'o-1~Purchase_NC Purchase_NC',
    'o-2 Purchase',
    'o-2~Purchase_RC Purchase_RC',
  ])
})

test('of two purchases in one body the first is new', async () => {
  const on = await openWith([customers])
  on.start()
  await accept(on, [purchase(on, 'o-1'), purchase(on, 'o-2')])
  await until('all is delivered', () => on.sent.length === 4)
  assert.deepEqual(names(on), [
    'o-1 Purchase',
    'o-1~Purchase_NC Purchase_NC',
    'o-2 Purchase',
    'o-2~Purchase_RC Purchase_RC',
  ])
})

test('an offline purchase of somebody who bought in the browser is one of a returning customer', async () => {
  const on = await openWith([customers])
  on.start()
  const userEmail = 'jane@example.com'
  await accept(on, purchase(on, 'o-1', { userEmail }), { origin: 'https://shop.example' })
  await ends(on, 'delivered 1', 'o-1~Purchase_NC')
  await accept(on, purchase(on, 'o-2', { userEmail }), { userId: 'usr_2', presented: false })
  await ends(on, 'delivered 1', 'o-2~Purchase_RC')
})

test('and the offline purchase that a trusted server tells of makes the next one in the browser a returning one', async () => {
  const on = await openWith([customers])
  on.start()
  const userEmail = 'jane@example.com'
  await accept(on, anEvent(on.clock.now(), { userEmail }), { origin: 'https://shop.example' })
  await ends(on, 'delivered 1')
  await accept(on, purchase(on, 'o-1', { userEmail }), { userId: 'usr_2', presented: false, trusted: true })
  await ends(on, 'delivered 1', 'o-1~Purchase_NC')
  await accept(on, purchase(on, 'o-2'), { origin: 'https://shop.example' })
  await ends(on, 'delivered 1', 'o-2~Purchase_RC')
})

test('what a trusted server tells of by an e-mail is a first purchase, whatever those did who claim the e-mail', async () => {
  const on = await openWith([customers])
  on.start()
  const userEmail = 'jane@example.com'
  await accept(on, purchase(on, 'o-1', { userEmail }), { origin: 'https://shop.example' })
  await ends(on, 'delivered 1', 'o-1~Purchase_NC')
  const shop = { presented: false, trusted: true }
  await accept(on, purchase(on, 'o-2', { userEmail }), { ...shop, userId: 'usr_2' })
  await ends(on, 'delivered 1', 'o-2~Purchase_NC')
  await accept(on, purchase(on, 'o-3', { userEmail }), { ...shop, userId: 'usr_3' })
  await ends(on, 'delivered 1', 'o-3~Purchase_RC')
})

test('a crash between the plan and its end adds nothing twice and makes nobody a returning customer', async () => {
  const on = await openWith([customers])
  const { stream } = on.disk
  on.start({ stream: { ...stream, settle: () => new Promise(() => {}) } })
  await accept(on, purchase(on, 'o-1'))
  await ends(on, 'delivered 1', 'o-1~Purchase_NC')
  await on.crash()
  on.start()
  await until('all is planned again', () => on.disk.stream.waiting() === 0)
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'delivered 1')
  assert.deepEqual(names(on), ['event-1 PageView', 'o-1 Purchase', 'o-1~Purchase_NC Purchase_NC'])
})

test('a plugin that throws makes the event poison and stops nothing else', async () => {
  const on = await openWith([{ plugin: 'broken' }])
  const broken = { ...plugins.botFilter!, run: () => assert.fail('broken') }
  on.start({ plugins: { broken } })
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'dead poison 0')
  on.snapshots.put(aTag([aScript('scr_1')], { number: 2 }))
  await accept(on, anEvent(on.clock.now(), { eventId: 'event-2' }))
  await ends(on, 'delivered 1', 'event-2')
})

test('what waits for a retry is kept back by a filter that was set since', async () => {
  const on = await openWith([])
  on.vendor.answer = () => down
  on.start()
  await accept(on, anEvent(on.clock.now()), { origin: 'https://shop.example', userAgent: 'Googlebot/2.1' })
  await ends(on, 'pending vendorDown 1')
  on.vendor.answer = () => ok
  await on.crash()
  on.snapshots.put(aTag([aScript('scr_1')], { number: 2, plugins: [bots] }))
  on.start()
  await on.clock.turn(60_000)
  await ends(on, 'skipped filtered 1')
})

test('what a person wrote by /user passes no plugin', async () => {
  const on = await openWith([{ plugin: 'broken' }])
  on.start({ plugins: { broken: { ...plugins.botFilter!, run: () => assert.fail('broken') } } })
  await accept(on, anEvent(on.clock.now(), { eventName: 'user', data: { email: 'jane@example.com' } }), {
    kind: 'user',
  })
  const alias = keys.team('team_1').alias('tag_1', 'jane@example.com')
  const claimants = async () => (await on.disk.store.users.byEmail('tag_1', alias)).claimants
  await until('it is learnt', async () => (await claimants())[0] === 'usr_1')
})
