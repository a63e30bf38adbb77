import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReplayableStatus } from '#contract/replay.ts'
import { eventPositions, parseReplayRequest } from '#control/replayRequest.ts'
import { newId } from '#kit/id.ts'
import type { ReplayFilter } from '#store/replays.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  down,
  journeyOf,
  keys,
  manyEvents,
  ok,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { windowSizes } from './concurrencyWindow.ts'

const refusal = { status: 400, headers: {}, body: '', durationMs: 1 }
const failed: readonly ReplayableStatus[] = ['dead', 'refused']
const second = 1_000

async function replay(deps: DeliveryHarness, more: Partial<ReplayFilter> = {}): Promise<string> {
  const now = deps.clock.now()
  const replayId = newId('rep', now)
  const row = {
    replayId,
    tagId: 'tag_1',
    teamId: 'team_1',
    by: 'tok_1',
    createdAt: now,
    tally: {},
    state: 'queued',
  } as const
  await deps.disk.store.write([{ add: 'replay', row: { ...row, filter: { statuses: failed, ...more } } }])
  await deps.clock.turn(second)
  return replayId
}
const read = async (deps: DeliveryHarness, replayId: string) => (await deps.disk.store.replays.get(replayId))!
const waitUntil = (deps: DeliveryHarness, replayId: string, state = 'done') =>
  until(`the replay is ${state}`, async () => {
    if ((await read(deps, replayId)).state === state) return true
    await deps.clock.turn(second / 10)
    return false
  })
const ids = (deps: DeliveryHarness) => deps.sent.map(({ json }) => json.eventId)

/** A harness with refused events. Its vendor accepts them from now on. */
async function openRefused(count = 1, scripts = [aScript('scr_1')], more: Parameters<typeof aTag>[1] = {}) {
  const harness = await openDeliveryHarness(aTag(scripts, more))
  harness.vendor.answer = () => refusal
  harness.start()
  await acceptEvents(harness, manyEvents(harness, count))
  for (let at = 0; at < count; at++) await waitForStatus(harness, 'refused payloadRefused 1', `event-${at}`)
  harness.vendor.answer = () => ok
  harness.sent.length = 0
  return harness
}

test('a refused delivery is sent again with the same event; its attempts keep counting, and the journal names the replay', async () => {
  const harness = await openRefused()
  const before = (await journeyOf(harness, 'event-0'))!
  const replayId = await replay(harness)
  await waitForStatus(harness, 'delivered 2', 'event-0')
  await waitUntil(harness, replayId)
  const after = (await journeyOf(harness, 'event-0'))!
  assert.deepEqual(
    after.deliveries[0]!.attempts.map(({ number, httpStatus }) => [number, httpStatus]),
    [
      [1, 400],
      [2, 200],
    ],
  )
  assert.deepEqual(
    [after.receivedAt, after.deliveries[0]!.deliveryId, after.deliveries[0]!.replayId],
    [before.receivedAt, before.deliveries[0]!.deliveryId, replayId],
  )
  assert.deepEqual(ids(harness), ['event-0'])
  const { tally, startedAt, endedAt } = await read(harness, replayId)
  assert.deepEqual(tally, { scr_1: { matched: 1, replayed: 1, left: {} } })
  assert.ok(startedAt !== undefined && endedAt !== undefined)
  assert.deepEqual(await harness.disk.store.queries('team_1').replayed('tag_1', [replayId]), [
    { scr_1: { delivered: 1 } },
  ])
})

test('a delivered event is not sent again, unless the replay asks for delivered ones', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'delivered 1')
  await waitUntil(harness, await replay(harness))
  assert.equal(harness.sent.length, 1)
  await waitUntil(harness, await replay(harness, { statuses: ['delivered'] }))
  await waitForStatus(harness, 'delivered 2')
  assert.equal(harness.sent.length, 2)
})

test('only matching deliveries are sent again: by script, event name, time and place', async () => {
  const harness = await openRefused(3, [aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })])
  const none: Partial<ReplayFilter>[] = [
    { eventNames: ['Purchase'] },
    { scriptIds: ['scr_9'] },
    { to: harness.clock.now() - 3_600_000 },
    { from: harness.clock.now() + 1 },
    { places: [] },
  ]
  for (const filter of none) await waitUntil(harness, await replay(harness, filter))
  assert.equal(harness.sent.length, 0)
  const { stream } = harness.disk
  const places = await eventPositions(
    ['event-1', 'nope', 'event-1'],
    { tagId: 'tag_1', teamId: 'team_1' },
    { stream, keys },
  )
  assert.equal(places.length, 1)
  await waitUntil(
    harness,
    await replay(harness, { places, scriptIds: ['scr_2'], eventNames: ['PageView'], from: 0, to: harness.clock.now() }),
  )
  await waitForStatus(harness, 'delivered 2', 'event-1', 1)
  assert.deepEqual(
    harness.sent.map(({ to, json }) => [to, json.eventId]),
    [['facebook.example', 'event-1']],
  )
})

test('a delivery whose consent was withdrawn or whose script is not deployed is not sent, and is counted by its reason', async () => {
  const consented = { storage: { service: { consent: { all: true } } } }
  const harness = await openDeliveryHarness(
    aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })], { consent: 'enabled' }),
  )
  harness.vendor.answer = () => refusal
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now(), consented))
  await waitForStatus(harness, 'refused payloadRefused 1')
  await waitForStatus(harness, 'refused payloadRefused 1', 'event-1', 1)
  await harness.clock.turn(second)
  const withdrawn = { eventId: 'no', storage: { service: { consent: { all: true, facebook: false } } } }
  await acceptEvents(harness, anEvent(harness.clock.now(), withdrawn), { kind: 'consent' })
  await until('it is planned', async () => (await harness.disk.stream.waiting()) === 0)
  harness.snapshots.put(aTag([aScript('scr_2', { providerId: 'facebook' })], { consent: 'enabled', number: 2 }))
  const replayId = await replay(harness)
  await waitUntil(harness, replayId)
  assert.deepEqual((await read(harness, replayId)).tally, {
    scr_1: { matched: 1, replayed: 0, left: { erased: 1 } },
    scr_2: { matched: 1, replayed: 0, left: { consent: 1 } },
  })
})

test('an event that is no longer stored is not sent', async () => {
  const harness = await openRefused()
  await Promise.all(harness.workers.splice(0).map((worker) => worker.stop()))
  harness.start({ stream: { ...harness.disk.stream, read: async () => undefined } })
  const replayId = await replay(harness)
  await waitUntil(harness, replayId)
  assert.deepEqual((await read(harness, replayId)).tally, { scr_1: { matched: 1, replayed: 0, left: { expired: 1 } } })
  assert.equal(harness.sent.length, 0)
})

test('a provider gets no event that is older than its age limit', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), { maxAgeMs: 60_000 })
  harness.vendor.answer = () => refusal
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'refused payloadRefused 1')
  await harness.clock.turn(120_000)
  const replayId = await replay(harness)
  await waitUntil(harness, replayId)
  assert.deepEqual((await read(harness, replayId)).tally, { scr_1: { matched: 1, replayed: 0, left: { tooOld: 1 } } })
  assert.equal(harness.sent.length, 1)
})

test('a replay continues after a crash, and sends no delivery twice', async () => {
  const harness = await openRefused(250)
  const { replays } = harness.disk.store
  await Promise.all(harness.workers.splice(0).map((worker) => worker.stop()))
  const replayId = await replay(harness)
  let steps = 0
  const store = {
    ...harness.disk.store,
    replays: {
      ...replays,
      saveProgress: async (...step: Parameters<typeof replays.saveProgress>) =>
        steps++ === 0 ? replays.saveProgress(...step) : new Promise<void>(() => {}),
    },
  }
  harness.start({ store })
  await until('a slice is done', async () => (await read(harness, replayId)).cursor !== undefined)
  await until('the next slice has begun', () => steps === 2)
  await harness.crash()
  const { rows } = await harness.disk.store
    .queries('team_1')
    .deliveries('tag_1', { statuses: ['delivered'] }, { limit: 250 })
  const unrecorded = ids(harness).length - rows.length
  harness.start()
  await waitUntil(harness, replayId)
  await until('all are sent', async () => (await harness.disk.store.journal.pendingCount()) === 0)
  assert.deepEqual((await read(harness, replayId)).tally, { scr_1: { matched: 250, replayed: 250, left: {} } })
  assert.deepEqual(new Set(ids(harness)).size, 250)
  assert.ok(ids(harness).length <= 250 + unrecorded, 'a delivery whose outcome was recorded was sent again')
})

test('a stopped replay reverts unsent deliveries to their earlier status after those in flight have ended', async () => {
  const all = windowSizes.max + 44 // more than the window of one channel
  const harness = await openRefused(all)
  const gate = Promise.withResolvers<void>()
  harness.vendor.answer = () => gate.promise.then(() => down)
  const replayId = await replay(harness)
  await until('attempts are in flight', () => harness.sent.length > 0)
  await waitUntil(harness, replayId, 'sending')
  await harness.disk.store.write([{ stop: 'replay', replayId }])
  await harness.clock.turn(second)
  assert.equal((await read(harness, replayId)).state, 'stopping', 'attempts are in flight')
  // An attempt may be counted but not begun when the runner checks; the runner checks again a second later.
  await until('what waits is put back', async () => {
    await harness.clock.turn(second)
    return (await harness.disk.store.journal.pendingCount()) <= harness.sent.length
  })
  gate.resolve()
  await until('they have ended', async () => {
    await harness.clock.turn(second)
    return (await read(harness, replayId)).state === 'stopped'
  })
  assert.equal(await harness.disk.store.journal.pendingCount(), 0)
  const statuses = await Promise.all(
    Array.from({ length: all }, async (_, at) => (await journeyOf(harness, `event-${at}`))!.deliveries[0]!),
  )
  assert.deepEqual(
    new Set(statuses.map(({ status, reason }) => `${status} ${reason}`)),
    new Set(['refused payloadRefused']),
  )
  assert.ok(harness.sent.length < all, 'waiting deliveries were not sent')
  await harness.disk.store.write([{ stop: 'replay', replayId }])
  assert.equal((await read(harness, replayId)).state, 'stopped')
})

test('one replay of a tag runs at a time; the next waits for its end', async () => {
  const harness = await openRefused(250)
  await Promise.all(harness.workers.splice(0).map((worker) => worker.stop()))
  const first = await replay(harness)
  const next = await replay(harness)
  const states: string[] = []
  const { replays } = harness.disk.store
  harness.start({
    store: {
      ...harness.disk.store,
      replays: {
        ...replays,
        async saveProgress(replayId, step) {
          states.push(`${replayId === first ? 'first' : 'next'} ${step.state}`)
          await replays.saveProgress(replayId, step)
        },
      },
    },
  })
  await waitUntil(harness, first)
  await harness.clock.turn(second)
  await waitUntil(harness, next)
  assert.ok(states.lastIndexOf('first running') < states.findIndex((each) => each.startsWith('next')), `${states}`)
  assert.ok(states.includes('first sending') && states.includes('next sending'), `${states}`)
})

test('the filter of a replay request is parsed', () => {
  const from = Date.UTC(2026, 10, 20)
  assert.deepEqual(parseReplayRequest({ from: '2026-11-20', to: `${from + 1}` }), {
    statuses: failed,
    from,
    to: from + 1,
  })
  assert.deepEqual(parseReplayRequest({ from: 1, to: 2, force: true }).statuses, ['dead', 'refused', 'delivered'])
  assert.deepEqual(parseReplayRequest({ eventIds: ['a'], status: 'skipped' }), { statuses: ['skipped'] })
  const wrong: Parameters<typeof parseReplayRequest>[0][] = [
    {},
    { from: 1 },
    { from: 2, to: 1 },
    { from: 'yesterday', to: 1 },
    { from: 1, to: 2, status: 'delivered' },
  ]
  for (const each of wrong) assert.throws(() => parseReplayRequest(each), { fault: 'badRequest' }, JSON.stringify(each))
})
