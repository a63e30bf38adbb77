import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Replayable } from '#contract/replay.ts'
import { newId } from '#kit/id.ts'
import type { ReplayFilter } from '#store/replays.ts'
import { until } from '../../test/fake/clock.ts'
import { accept, down, ends, type House, journeyOf, keys, manyEvents, ok, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { placesOf, readAsked } from './replayAsk.ts'
import { sizes } from './window.ts'

const refusing = { status: 400, headers: {}, body: '', durationMs: 1 }
const failed: readonly Replayable[] = ['dead', 'refused']
const second = 1_000

async function replay(on: House, more: Partial<ReplayFilter> = {}): Promise<string> {
  const now = on.clock.now()
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
  await on.disk.store.write([{ add: 'replay', row: { ...row, filter: { statuses: failed, ...more } } }])
  await on.clock.turn(second)
  return replayId
}
const read = async (on: House, replayId: string) => (await on.disk.store.replays.get(replayId))!
const done = (on: House, replayId: string, state = 'done') =>
  until(`the replay is ${state}`, async () => {
    if ((await read(on, replayId)).state === state) return true
    await on.clock.turn(second / 10)
    return false
  })
const ids = (on: House) => on.sent.map(({ json }) => json.eventId)

/** Events that their channel refused; then it would take them. */
async function refused(count = 1, scripts = [aScript('scr_1')], more: Parameters<typeof aTag>[1] = {}) {
  const on = await openHouse(aTag(scripts, more))
  on.vendor.answer = () => refusing
  on.start()
  await accept(on, manyEvents(on, count))
  for (let at = 0; at < count; at++) await ends(on, 'refused payloadRefused 1', `event-${at}`)
  on.vendor.answer = () => ok
  on.sent.length = 0
  return on
}

test('what was refused is sent again: the same event, its attempts go on counting, and the journal says by which replay', async () => {
  const on = await refused()
  const before = (await journeyOf(on, 'event-0'))!
  const replayId = await replay(on)
  await ends(on, 'delivered 2', 'event-0')
  await done(on, replayId)
  const after = (await journeyOf(on, 'event-0'))!
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
  assert.deepEqual(ids(on), ['event-0'])
  const { tally, startedAt, endedAt } = await read(on, replayId)
  assert.deepEqual(tally, { scr_1: { matched: 1, replayed: 1, left: {} } })
  assert.ok(startedAt !== undefined && endedAt !== undefined)
  assert.deepEqual(await on.disk.store.queries('team_1').replayed([replayId]), [{ scr_1: { delivered: 1 } }])
})

test('what was delivered is not sent again, unless it is asked for', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.start()
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'delivered 1')
  await done(on, await replay(on))
  assert.equal(on.sent.length, 1)
  await done(on, await replay(on, { statuses: ['delivered'] }))
  await ends(on, 'delivered 2')
  assert.equal(on.sent.length, 2)
})

test('only what is asked for is sent: by script, name, time and place', async () => {
  const on = await refused(3, [aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })])
  const none: Partial<ReplayFilter>[] = [
    { eventNames: ['Purchase'] },
    { scriptIds: ['scr_9'] },
    { to: on.clock.now() - 3_600_000 },
    { from: on.clock.now() + 1 },
    { places: [] },
  ]
  for (const filter of none) await done(on, await replay(on, filter))
  assert.equal(on.sent.length, 0)
  const { stream } = on.disk
  const places = await placesOf(['event-1', 'nope', 'event-1'], { tagId: 'tag_1', teamId: 'team_1' }, { stream, keys })
  assert.equal(places.length, 1)
  await done(
    on,
    await replay(on, { places, scriptIds: ['scr_2'], eventNames: ['PageView'], from: 0, to: on.clock.now() }),
  )
  await ends(on, 'delivered 2', 'event-1', 1)
  assert.deepEqual(
    on.sent.map(({ to, json }) => [to, json.eventId]),
    [['facebook.example', 'event-1']],
  )
})

test('what its user has withdrawn since, or is deployed no more, is left and counted by its reason', async () => {
  const consented = { storage: { service: { consent: { all: true } } } }
  const on = await openHouse(
    aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })], { consent: 'enabled' }),
  )
  on.vendor.answer = () => refusing
  on.start()
  await accept(on, anEvent(on.clock.now(), consented))
  await ends(on, 'refused payloadRefused 1')
  await ends(on, 'refused payloadRefused 1', 'event-1', 1)
  await on.clock.turn(second)
  const withdrawn = { eventId: 'no', storage: { service: { consent: { all: true, facebook: false } } } }
  await accept(on, anEvent(on.clock.now(), withdrawn), { kind: 'consent' })
  await until('it is planned', () => on.disk.stream.waiting() === 0)
  on.snapshots.put(aTag([aScript('scr_2', { providerId: 'facebook' })], { consent: 'enabled', number: 2 }))
  const replayId = await replay(on)
  await done(on, replayId)
  assert.deepEqual((await read(on, replayId)).tally, {
    scr_1: { matched: 1, replayed: 0, left: { erased: 1 } },
    scr_2: { matched: 1, replayed: 0, left: { consent: 1 } },
  })
})

test('an event that is kept no longer is left', async () => {
  const on = await refused()
  await Promise.all(on.workers.splice(0).map((worker) => worker.stop()))
  on.start({ stream: { ...on.disk.stream, read: async () => undefined } })
  const replayId = await replay(on)
  await done(on, replayId)
  assert.deepEqual((await read(on, replayId)).tally, { scr_1: { matched: 1, replayed: 0, left: { expired: 1 } } })
  assert.equal(on.sent.length, 0)
})

test('a provider gets no event that is older than it takes', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]), { maxAgeMs: 60_000 })
  on.vendor.answer = () => refusing
  on.start()
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'refused payloadRefused 1')
  await on.clock.turn(120_000)
  const replayId = await replay(on)
  await done(on, replayId)
  assert.deepEqual((await read(on, replayId)).tally, { scr_1: { matched: 1, replayed: 0, left: { tooOld: 1 } } })
  assert.equal(on.sent.length, 1)
})

test('a replay goes on after a crash, and no delivery is made twice by it', async () => {
  const on = await refused(250)
  const { replays } = on.disk.store
  await Promise.all(on.workers.splice(0).map((worker) => worker.stop()))
  const replayId = await replay(on)
  let steps = 0
  const store = {
    ...on.disk.store,
    replays: {
      ...replays,
      step: async (...step: Parameters<typeof replays.step>) =>
        steps++ === 0 ? replays.step(...step) : new Promise<void>(() => {}),
    },
  }
  on.start({ store })
  await until('a slice is done', async () => (await read(on, replayId)).reached !== undefined)
  await until('it hangs in the next', () => steps === 2)
  await on.crash()
  on.start()
  await done(on, replayId)
  await until('all are sent', async () => (await on.disk.store.journal.pending()) === 0)
  assert.deepEqual((await read(on, replayId)).tally, { scr_1: { matched: 250, replayed: 250, left: {} } })
  assert.deepEqual(new Set(ids(on)).size, 250)
  assert.ok(ids(on).length <= 250 + 64, 'more was sent twice than was under way at the crash')
})

test('a replay that is stopped leaves what it has not sent as it stood before; what is under way ends first', async () => {
  const all = sizes.most + 44 // more than one channel has under way
  const on = await refused(all)
  const gate = Promise.withResolvers<void>()
  on.vendor.answer = () => gate.promise.then(() => down)
  const replayId = await replay(on)
  await until('attempts are under way', () => on.sent.length > 0)
  await done(on, replayId, 'sending')
  await on.disk.store.write([{ stop: 'replay', replayId }])
  await on.clock.turn(second)
  assert.equal((await read(on, replayId)).state, 'stopping', 'attempts are under way')
  await until('what waits is put back', async () => (await on.disk.store.journal.pending()) <= on.sent.length)
  gate.resolve()
  await until('they have ended', async () => {
    await on.clock.turn(second)
    return (await read(on, replayId)).state === 'stopped'
  })
  assert.equal(await on.disk.store.journal.pending(), 0)
  const statuses = await Promise.all(
    Array.from({ length: all }, async (_, at) => (await journeyOf(on, `event-${at}`))!.deliveries[0]!),
  )
  assert.deepEqual(
    new Set(statuses.map(({ status, reason }) => `${status} ${reason}`)),
    new Set(['refused payloadRefused']),
  )
  assert.ok(on.sent.length < all, 'what waited was not sent')
  await on.disk.store.write([{ stop: 'replay', replayId }])
  assert.equal((await read(on, replayId)).state, 'stopped')
})

test('one replay of a tag goes on at a time; the next waits for its end', async () => {
  const on = await refused(250)
  await Promise.all(on.workers.splice(0).map((worker) => worker.stop()))
  const first = await replay(on)
  const next = await replay(on)
  const states: string[] = []
  const { replays } = on.disk.store
  on.start({
    store: {
      ...on.disk.store,
      replays: {
        ...replays,
        async step(replayId, step) {
          states.push(`${replayId === first ? 'first' : 'next'} ${step.state}`)
          await replays.step(replayId, step)
        },
      },
    },
  })
  await done(on, first)
  await on.clock.turn(second)
  await done(on, next)
  assert.ok(states.lastIndexOf('first running') < states.findIndex((each) => each.startsWith('next')), `${states}`)
  assert.ok(states.includes('first sending') && states.includes('next sending'), `${states}`)
})

test('what is asked for is read as it is meant', () => {
  const from = Date.UTC(2026, 10, 20)
  assert.deepEqual(readAsked({ from: '2026-11-20', to: `${from + 1}` }), { statuses: failed, from, to: from + 1 })
  assert.deepEqual(readAsked({ from: 1, to: 2, force: true }).statuses, ['dead', 'refused', 'delivered'])
  assert.deepEqual(readAsked({ eventIds: ['a'], status: 'skipped' }), { statuses: ['skipped'] })
  const wrong: Parameters<typeof readAsked>[0][] = [
    {},
    { from: 1 },
    { from: 2, to: 1 },
    { from: 'yesterday', to: 1 },
    { from: 1, to: 2, status: 'delivered' },
  ]
  for (const each of wrong) assert.throws(() => readAsked(each), { fault: 'badRequest' }, JSON.stringify(each))
})
