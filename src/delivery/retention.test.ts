import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualKeep } from '#journal/keep.ts'
import { silent } from '#kit/log.ts'
import { until } from '../../test/fake/clock.ts'
import { accept, down, ends, type House, journeyOf, keys, manyEvents, ok, openHouse } from '../../test/fake/house.ts'
import { aScript, aTag } from '../../test/fake/tag.ts'
import { cutoffsOf, dropOld } from './retention.ts'

const day = 86_400_000

/** One pass over all that is old, so much later. */
async function later(on: House, byMs: number): Promise<void> {
  on.clock.set(byMs)
  let isDone = false
  const world = { ...on.disk, clock: on.clock, keep: usualKeep, log: silent }
  const pass = dropOld(world, new AbortController().signal).then(() => {
    isDone = true
  })
  await until('all is looked through', async () => {
    await on.clock.turn(5)
    return isDone
  })
  await pass
}

test('events go after seven days, those that failed stay as long as they may be replayed, the journal after thirty', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  const worker = on.start()
  const [fine, refused] = manyEvents(on, 2)
  await accept(on, fine!)
  await ends(on, 'delivered 1', 'event-0')
  on.vendor.answer = () => ({ ...down, status: 400 })
  await accept(on, refused!)
  await ends(on, 'refused payloadRefused 1', 'event-1')
  await worker.stop()
  on.workers.length = 0

  const { stream, store } = on.disk
  const places = ['event-0', 'event-1'].map((eventId) =>
    stream.find(keys.team('team_1').eventKey('tag_1', eventId, false)),
  )
  const [fineAt, refusedAt] = await Promise.all(places)
  /** Whether the event is there, its bodies, and its row in the journal. */
  const left = async (place: typeof fineAt) => {
    const [ref] = await store.journal.packsOf([{ tagId: 'tag_1', ...place! }])
    const isIn = await store.journal.event('tag_1', place!.position, place!.index)
    return [await stream.read(place!.position), ref && (await store.journal.pack(ref.no)), isIn].map(Boolean)
  }
  await later(on, 6 * day)
  assert.deepEqual(
    [await left(fineAt), await left(refusedAt)],
    [
      [true, true, true],
      [true, true, true],
    ],
  )
  await later(on, 2 * day)
  assert.deepEqual(
    [await left(fineAt), await left(refusedAt)],
    [
      [false, false, true],
      [true, true, true],
    ],
  )
  await later(on, 23 * day)
  assert.deepEqual(
    [await left(fineAt), await left(refusedAt)],
    [
      [false, false, false],
      [false, false, false],
    ],
  )
})

test('bodies are kept of all attempts, of those that failed, or of none', async () => {
  for (const [bodies, kept] of [
    ['all', [true, true]],
    ['failed', [false, true]],
    ['none', [false, false]],
  ] as const) {
    const on = await openHouse(aTag([aScript('scr_1')]))
    on.vendor.answer = ({ json }) => (json.eventId === 'event-1' ? { ...down, status: 400, body: 'no' } : ok)
    on.start({ keep: { ...usualKeep, bodies } })
    await accept(on, manyEvents(on, 2))
    await ends(on, 'delivered 1', 'event-0')
    await ends(on, 'refused payloadRefused 1', 'event-1')
    const events = await Promise.all(['event-0', 'event-1'].map((eventId) => journeyOf(on, eventId)))
    assert.deepEqual(
      events.map((event) => event?.deliveries[0]?.attempts[0]?.bodies !== undefined),
      kept,
    )
  }
})

test('what failed is never dropped before the rest of the journal', () => {
  const { journalMs, failuresMs, bodiesMs } = cutoffsOf(
    { ...usualKeep, failuresMs: 3 * day, journalMs: 5 * day },
    100 * day,
  )
  assert.deepEqual([journalMs, failuresMs, bodiesMs], [95 * day, 95 * day, 95 * day])
})
