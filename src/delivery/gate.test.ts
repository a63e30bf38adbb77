import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualKeep } from '#journal/keep.ts'
import { until } from '../../test/fake/clock.ts'
import { accept, down, ends, journeyOf, manyEvents, ok, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const rejected = { ...down, status: 401 }
const hourMs = 3_600_000
const withKey = (number: number, version: number) =>
  aTag([aScript('scr_1', { secrets: { KEY: { secretId: 'sec_1', version } } })], { number })

const kinds = (on: Awaited<ReturnType<typeof openHouse>>) => on.told.map(({ kind, reason }) => `${kind} ${reason}`)

test('a rejected key pauses the channel: what comes waits without an attempt, and its owner is told once', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => rejected
  on.start()
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'pending keyRejected 1')
  await accept(on, manyEvents(on, 20, 2))
  await on.clock.turn(60_000)
  await ends(on, 'pending keyRejected 0', 'event-21')
  assert.equal(on.sent.length, 1)
  assert.deepEqual(on.told, [
    { kind: 'paused', tagId: 'tag_1', scriptId: 'scr_1', reason: 'keyRejected', at: on.clock.now() - 60_000 },
  ])
})

test('one delivery an hour finds out whether the key is good again; then all go', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => rejected
  on.start()
  await accept(on, manyEvents(on, 5))
  await ends(on, 'pending keyRejected 1', 'event-0')
  const before = on.sent.length
  on.clock.set(hourMs)
  await on.clock.turn(1_000)
  await until('it is tried again', () => on.sent.length === before + 1)
  on.vendor.answer = () => ok
  on.clock.set(hourMs)
  for (let n = 0; n < 5; n++) {
    await on.clock.turn(1_000)
    await until(
      `event-${n} is delivered`,
      async () => (await journeyOf(on, `event-${n}`))!.deliveries[0]!.status === 'delivered',
    )
  }
  assert.deepEqual(kinds(on), ['paused keyRejected', 'resumed keyRejected'])
})

test('a restart keeps the pause of a rejected key', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => rejected
  on.start()
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'pending keyRejected 1')
  await until('it is on record', async () => (await on.disk.store.journal.pauses()).length === 1)
  await on.crash()
  on.start()
  await accept(on, anEvent(on.clock.now(), { eventId: 'event-2' }))
  await ends(on, 'pending keyRejected 0', 'event-2')
  await on.clock.turn(60_000)
  assert.equal(on.sent.length, 1)
})

test('another secret of the script lets the channel go on at once', async () => {
  const on = await openHouse(withKey(1, 1))
  await on.disk.store.journal.pause({
    scriptId: 'scr_1',
    tagId: 'tag_1',
    reason: 'keyRejected',
    since: on.clock.now(),
    until: on.clock.now() + hourMs,
    times: 1,
    secrets: JSON.stringify({ KEY: { secretId: 'sec_1', version: 1 } }),
  })
  on.start()
  await on.clock.turn(5_000)
  assert.deepEqual(kinds(on), [])
  on.snapshots.put(withKey(2, 2))
  await until('it goes on', async () => {
    await on.clock.turn(1_000)
    return kinds(on).includes('resumed keyRejected')
  })
  await until('it is on record', async () => (await on.disk.store.journal.pauses()).length === 0)
})

test('who resumes the channel by hand lets it go on at once', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => rejected
  on.start()
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'pending keyRejected 1')
  await until('it is on record', async () => (await on.disk.store.journal.pauses()).length === 1)
  on.vendor.answer = () => ok
  await on.disk.store.write([{ drop: 'pause', scriptId: 'scr_1' }])
  await until('it is delivered', async () => {
    await on.clock.turn(1_000)
    return (await journeyOf(on, 'event-1'))!.deliveries[0]!.status === 'delivered'
  })
})

test('a vendor that is down is left alone after ten failures, and what waits loses no attempt', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => down
  on.start()
  await accept(on, manyEvents(on, 16))
  await until('it was tried', () => on.sent.length === 16)
  await until('its breaker is open', () => kinds(on).length === 1)
  await accept(on, manyEvents(on, 30, 16))
  await ends(on, 'pending vendorDown 0', 'event-45')
  await on.clock.turn(9_000)
  assert.equal(on.sent.length, 16)
  on.vendor.answer = () => ok
  await until('all are delivered', async () => {
    await on.clock.turn(1_000)
    return (await on.disk.store.journal.pending()) === 0
  })
  assert.deepEqual(kinds(on), ['paused vendorDown', 'recovered vendorDown'])
  assert.equal((await journeyOf(on, 'event-45'))!.deliveries[0]!.attempts.length, 1)
})

/** A channel whose key was rejected six days ago: three events wait, and no probe is due for another day. */
async function sixDaysStopped() {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => rejected
  const worker = on.start()
  await accept(on, manyEvents(on, 3))
  await ends(on, 'pending keyRejected 1', 'event-0')
  await until('it is on record', async () => (await on.disk.store.journal.pauses()).length === 1)
  await worker.stop()
  on.clock.set(6 * 24 * hourMs)
  await on.disk.store.journal.pause({
    ...(await on.disk.store.journal.pauses())[0]!,
    until: on.clock.now() + 24.5 * hourMs,
  })
  return on
}

test('what a stopped channel has kept waiting for a week is given up without an attempt: dead, expired', async () => {
  const on = await sixDaysStopped()
  const before = on.sent.length
  on.clock.set(24 * hourMs)
  on.start()
  await until('they have ended', async () => {
    await on.clock.turn(1_000)
    return (await on.disk.store.journal.pending()) === 0
  })
  assert.ok(on.sent.length - before <= 3)
  await until('it is told', () => on.told.some(({ kind, reason }) => kind === 'dead' && reason === 'expired'))
})

test('where events are kept for two weeks, what waits for another key is delivered in the second', async () => {
  const on = await sixDaysStopped()
  on.clock.set(7 * 24 * hourMs)
  on.vendor.answer = () => ok
  const before = on.sent.length
  on.start({ keep: { ...usualKeep, eventsMs: 14 * 24 * hourMs } })
  await until('they have ended', async () => {
    await on.clock.turn(1_000)
    return (await on.disk.store.journal.pending()) === 0
  })
  const taken = on.sent.slice(before).map(({ json }) => json.eventId)
  assert.deepEqual(taken.sort(), ['event-0', 'event-1', 'event-2'])
  assert.ok(!on.told.some(({ kind }) => kind === 'dead'))
})
