import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRetention } from '#journal/retentionPolicy.ts'
import { silentLog } from '#kit/log.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
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
import { cutoffsOf, dropOld, runRetention } from './runRetention.ts'

const day = 86_400_000

/** Runs the retention once, with the clock advanced by `byMs`. */
async function later(deps: DeliveryHarness, byMs: number): Promise<void> {
  deps.clock.set(byMs)
  let isDone = false
  const retentionDeps = {
    ...deps.disk,
    snapshots: deps.snapshots,
    clock: deps.clock,
    keep: defaultRetention,
    log: silentLog,
  }
  const pass = dropOld(retentionDeps, new AbortController().signal).then(() => {
    isDone = true
  })
  await until('the retention has run', async () => {
    await deps.clock.turn(5)
    return isDone
  })
  await pass
}

test('events are dropped after seven days, failed ones when they can no longer be replayed, the journal after thirty', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const worker = harness.start()
  const [fine, refused] = manyEvents(harness, 2)
  await acceptEvents(harness, fine!)
  await waitForStatus(harness, 'delivered 1', 'event-0')
  harness.vendor.answer = () => ({ ...down, status: 400 })
  await acceptEvents(harness, refused!)
  await waitForStatus(harness, 'refused payloadRefused 1', 'event-1')
  await worker.stop()
  harness.workers.length = 0

  const { stream, store } = harness.disk
  const places = ['event-0', 'event-1'].map((eventId) =>
    stream.find(keys.team('team_1').eventKey('tag_1', eventId, false)),
  )
  const [fineAt, refusedAt] = await Promise.all(places)
  /** Whether the event, its exchanges and its journal row exist. */
  const left = async (place: typeof fineAt) => {
    const [ref] = await store.journal.exchangePackRefs([{ tagId: 'tag_1', ...place! }])
    const isIn = await store.journal.event('tag_1', place!.position, place!.index)
    return [await stream.read(place!.position), ref && (await store.journal.exchangePack(ref.no)), isIn].map(Boolean)
  }
  await later(harness, 6 * day)
  assert.deepEqual(
    [await left(fineAt), await left(refusedAt)],
    [
      [true, true, true],
      [true, true, true],
    ],
  )
  await later(harness, 2 * day)
  assert.deepEqual(
    [await left(fineAt), await left(refusedAt)],
    [
      [false, false, true],
      [true, true, true],
    ],
  )
  await later(harness, 23 * day)
  assert.deepEqual(
    [await left(fineAt), await left(refusedAt)],
    [
      [false, false, false],
      [false, false, false],
    ],
  )
})

test('above the rate of the operator the bodies of successes are not kept, those of failures always are', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = ({ json }) => (json.eventId === 'event-2' ? { ...down, status: 400, body: 'no' } : ok)
  harness.start({ keep: { ...defaultRetention, bodiesPerSecond: 1 } })
  const kept: boolean[] = []
  for (const n of [0, 1, 2]) {
    await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: `event-${n}` }))
    await waitForStatus(harness, n === 2 ? 'refused payloadRefused 1' : 'delivered 1', `event-${n}`)
    const event = await journeyOf(harness, `event-${n}`)
    kept.push(event?.deliveries[0]?.attempts[0]?.bodies !== undefined)
  }
  assert.deepEqual(kept, [true, false, true])
})

test('bodies are kept of all attempts, of failed ones, or of none', async () => {
  for (const [bodies, kept] of [
    ['all', [true, true]],
    ['failed', [false, true]],
    ['none', [false, false]],
  ] as const) {
    const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
    harness.vendor.answer = ({ json }) => (json.eventId === 'event-1' ? { ...down, status: 400, body: 'no' } : ok)
    harness.start({ keep: { ...defaultRetention, bodies } })
    await acceptEvents(harness, manyEvents(harness, 2))
    await waitForStatus(harness, 'delivered 1', 'event-0')
    await waitForStatus(harness, 'refused payloadRefused 1', 'event-1')
    const events = await Promise.all(['event-0', 'event-1'].map((eventId) => journeyOf(harness, eventId)))
    assert.deepEqual(
      events.map((event) => event?.deliveries[0]?.attempts[0]?.bodies !== undefined),
      kept,
    )
  }
})

test('failures are never dropped before the rest of the journal', () => {
  const { journalMs, failuresMs, bodiesMs } = cutoffsOf(
    { ...defaultRetention, failuresMs: 3 * day, journalMs: 5 * day },
    100 * day,
  )
  assert.deepEqual([journalMs, failuresMs, bodiesMs], [95 * day, 95 * day, 95 * day])
})

test('the retention runs once an hour, also while the store fails; a process without the lease asks again each minute', async () => {
  const away = () => Promise.reject(new Error('the database is away'))
  const failing = new Proxy({}, { get: () => away }) as never
  for (const [isMine, pauseMs] of [
    [true, 3_600_000],
    [false, 60_000],
  ] as const) {
    const clock = turnedClock()
    const askedAt: number[] = []
    const leases = {
      async holds() {
        askedAt.push(clock.now())
        return isMine
      },
    }
    const stopping = new AbortController()
    const parts = { store: failing, stream: failing, snapshots: failing }
    const running = runRetention({ ...parts, clock, keep: defaultRetention, log: silentLog, leases }, stopping.signal)
    await until('it waits', () => clock.sleeping() === 1)
    await clock.turn(pauseMs - 1)
    assert.equal(askedAt.length, 1)
    await clock.turn(1)
    assert.equal(askedAt.length, 2)
    stopping.abort()
    await running
  }
})
