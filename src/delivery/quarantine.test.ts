import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Keyring } from '#account/keyring.ts'
import { newId } from '#kit/id.ts'
import { unreadable } from '#store/plannedEvent.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  journeyOf,
  keys,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

/** Replays all failed deliveries once the earlier replays have ended. */
async function replayFailed({ disk, clock }: DeliveryHarness): Promise<void> {
  await until('no replay is under way', async () => {
    await clock.turn(1_000)
    return (await disk.store.replays.unfinished()).length === 0
  })
  const createdAt = clock.now()
  const row = { replayId: newId('rep', createdAt), tagId: 'tag_1', teamId: 'team_1', by: 'tok_1', createdAt, tally: {} }
  const filter = { statuses: ['dead', 'refused'] as const }
  await disk.store.write([{ add: 'replay', row: { ...row, state: 'queued', filter } }])
  await clock.turn(1_000)
}

/** Keys that open no record until `isMended` is set. */
function brokenKeys() {
  const state = { isMended: false }
  const team: Keyring['team'] = (teamId) => ({
    ...keys.team(teamId),
    openEvent(...args) {
      if (!state.isMended) throw new Error('the key is not there')
      return keys.team(teamId).openEvent(...args)
    },
  })
  return { state, keys: { ...keys, team } }
}

const isLogged = ({ lines }: DeliveryHarness, message: string, times = 1) =>
  lines.filter((line) => line.message === message).length >= times

test('a record that fails its tries is in the journal with its reason, and a replay delivers it after the cause is mended', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]))
  const broken = brokenKeys()
  harness.start({ keys: broken.keys })
  const events = ['event-1', 'event-2'].map((eventId) => anEvent(harness.clock.now(), { eventId }))
  await acceptEvents(harness, events)
  for (let tries = 1; tries < 3; tries++) {
    await until('it was tried', () => isLogged(harness, 'could not decrypt a record', tries))
    await harness.clock.turn(1_000)
  }
  for (const script of [0, 1]) await waitForStatus(harness, 'dead poison 0', 'event-2', script)
  await until('it is settled', async () => (await harness.disk.stream.waiting()) === 0)
  assert.equal((await journeyOf(harness, 'event-1'))?.userId, unreadable)

  await replayFailed(harness)
  await until('the replay found it unreadable', () => isLogged(harness, 'could not replay an event', 2))
  await waitForStatus(harness, 'dead poison 0')

  broken.state.isMended = true
  await replayFailed(harness)
  for (const eventId of ['event-1', 'event-2'])
    for (const script of [0, 1]) await waitForStatus(harness, 'delivered 1', eventId, script)
  const { eventName, userId, place } = (await journeyOf(harness, 'event-1'))!
  assert.deepEqual([eventName, userId, place.country], ['PageView', 'usr_1', undefined])
  assert.equal(harness.sent.length, 4)
})

test('an event that could not be planned is delivered by a replay after the cause is mended', async () => {
  let isBroken = true
  const customEventName = (eventName: string) => {
    if (isBroken) throw new TypeError('mapper')
    return eventName
  }
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), { customEventName })
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventName: 'Odd' }))
  await waitForStatus(harness, 'dead poison 0')
  isBroken = false
  await replayFailed(harness)
  await waitForStatus(harness, 'delivered 1')
})

test('a user update that could not be planned is in the journal, dead for the channels that take user updates', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]), {
    acceptsUserEvents: true,
  })
  const locate = () => {
    throw new TypeError('the file of locations is broken')
  }
  harness.start({ locate })
  const update = anEvent(harness.clock.now(), { eventName: 'user', data: { tier: 'gold' } })
  await acceptEvents(harness, update, { kind: 'user', origin: 'https://shop.example', ip: '192.0.2.1' })
  await waitForStatus(harness, 'dead poison 0')
  assert.equal((await journeyOf(harness, 'event-1'))?.deliveries.length, 1)
})

test('what fails once the worker has lost its slots is no error, and the next worker delivers the event', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const worker = harness.start({
    locate() {
      worker.lost()
      throw new Error('the database is closed')
    },
  })
  await acceptEvents(harness, anEvent(harness.clock.now()), { origin: 'https://shop.example', ip: '192.0.2.1' })
  await until('it was tried', () =>
    harness.lines.some(({ message }) => message === 'this worker has stopped; another one plans an event'),
  )
  await worker.stop()
  assert.deepEqual(
    harness.lines.filter(({ level }) => level === 'error'),
    [],
  )
  assert.equal(await journeyOf(harness, 'event-1'), undefined)
  await harness.crash()
  harness.start()
  await waitForStatus(harness, 'delivered 1')
})
