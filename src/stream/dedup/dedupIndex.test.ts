import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { migrate } from '#kit/migrate.ts'
import { transact } from '#kit/sqlite.ts'
import { cases } from '../../../test/fake/cases.ts'
import { type DedupIndex, openDedupIndex, type SegmentFilters } from './dedupIndex.ts'
import { matchAllSeed, mayContain } from './fuseFilter.ts'
import { createHashTable } from './hashTable.ts'
import { halvesOf } from './keyPairs.ts'
import { openSegments } from './segments.ts'

const today = 20_000

function openMemory(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db, new URL('../log/migrations/', import.meta.url))
  return db
}
const numberOf = (db: DatabaseSync, sql: string) => Number(Object.values(db.prepare(sql).get()!)[0])

/** The n-th key. The keys are spread over all numbers, as fingerprints are. */
const keyOf = (n: number) => BigInt.asIntN(64, BigInt(n + 1) * 0x9e3779b97f4a7c15n)
function pairsOf(numbers: readonly number[], placeOf: (n: number) => number) {
  const table = createHashTable(numbers.length)
  for (const n of numbers) table.add(halvesOf(keyOf(n)), placeOf(n))
  return table.from(0).slice()
}
function find(db: DatabaseSync, index: DedupIndex, n: number): number | undefined {
  const key = halvesOf(keyOf(n))
  for (const { segment, filter } of index.searched()) {
    const place = mayContain(filter, key) ? openSegments(db).find(segment, key) : undefined
    if (place !== undefined) return place
  }
  return undefined
}

/** One commit: it may move to another day, adds keys, and ends with success, a restart, a failure or a cleanup. */
const step = fc.record({
  keys: fc.uniqueArray(fc.nat({ max: 200 }), { maxLength: 40 }),
  daysOn: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 3 })),
  ends: fc.constantFrom('succeeds', 'succeeds', 'restarts', 'fails', 'trims'),
})

test('a key is found on its day and the seven days after, across restarts, failures, merges and a clock set back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const db = openMemory()
      let model = new Map<number, { day: number; place: number }>()
      let filters: SegmentFilters = new Map()
      let day = today
      let index = openDedupIndex(db, day, filters)
      for (const [at, { keys, daysOn, ends }] of steps.entries()) {
        const before = new Map(model)
        day += daysOn
        const work = () => {
          if (daysOn !== 0) index = openDedupIndex(db, day, filters)
          const isKnown = (n: number) => (model.get(n)?.day ?? Number.NEGATIVE_INFINITY) >= day - 7
          for (const n of keys) assert.equal(find(db, index, n), isKnown(n) ? model.get(n)!.place : undefined)
          const added = keys.filter((n) => !isKnown(n))
          if (added.length > 0)
            index.addSegment(
              day,
              pairsOf(added, () => at + 1),
            )
          for (const n of added) model.set(n, { day, place: at + 1 })
          index.merge(added.length)
          if (ends === 'trims') while (index.drop());
          if (ends === 'fails') throw new Error('the disk is full')
        }
        if (ends !== 'fails') transact(db, work)
        else {
          assert.throws(() => transact(db, work), /full/)
          model = before
        }
        if (ends === 'restarts') filters = new Map()
        if (ends === 'restarts' || ends === 'fails') index = openDedupIndex(db, day, filters)
      }
      db.close()
    }),
    { numRuns: cases(200) },
  )
})

/** Adds the keys `from` up to `to` on a day, eight in each segment. */
function addMany(db: DatabaseSync, day: number, from: number, to: number): void {
  const index = openDedupIndex(db, day, new Map())
  for (let n = from; n < to; n += 8) {
    const numbers = Array.from({ length: 8 }, (_, at) => n + at)
    index.addSegment(
      day,
      pairsOf(numbers, (each) => each + 1),
    )
    index.merge(numbers.length)
  }
}

test('segments are merged, so that a lookup reads few, and the merged ones are deleted', () => {
  const db = openMemory()
  addMany(db, today, 0, 4_000)
  assert.ok(numberOf(db, 'SELECT count(*) FROM run WHERE whole = 1') < 40)
  addMany(db, today + 1, 4_000, 4_800)
  assert.ok(numberOf(db, `SELECT count(*) FROM run WHERE whole = 1 AND day = ${today}`) <= 2)
  const index = openDedupIndex(db, today + 1, new Map())
  while (index.drop());
  assert.equal(numberOf(db, 'SELECT count(*) FROM run WHERE whole = 0'), 0)
  assert.equal(numberOf(db, 'SELECT sum(length(pairs)) / 16 FROM bucket'), 4_800)
  for (let n = 0; n < 4_800; n++) assert.equal(find(db, index, n), n + 1)
})

test('expired keys leave no rows', () => {
  const db = openMemory()
  addMany(db, today, 0, 400)
  const lastDay = openDedupIndex(db, today + 7, new Map())
  while (lastDay.drop());
  assert.equal(find(db, lastDay, 0), 1)
  const index = openDedupIndex(db, today + 8, new Map())
  while (index.drop());
  for (const table of ['run', 'bucket', 'filter']) assert.equal(numberOf(db, `SELECT count(*) FROM ${table}`), 0)
})

test('a filter is equal after a restart, and one with a missing part matches every key', () => {
  const db = openMemory()
  const filters: SegmentFilters = new Map()
  const numbers = Array.from({ length: 20_000 }, (_, n) => n)
  openDedupIndex(db, today, filters).addSegment(
    today,
    pairsOf(numbers, (n) => n + 1),
  )
  const again: SegmentFilters = new Map()
  openDedupIndex(db, today, again)
  assert.deepEqual(again, filters)
  assert.ok(numberOf(db, 'SELECT count(*) FROM filter') > 2)
  assert.ok(numberOf(db, 'SELECT max(length(pairs)) / 16 FROM bucket') < 200, 'a lookup reads one small bucket')
  db.exec('DELETE FROM filter WHERE row = (SELECT max(row) FROM filter)')
  const without: SegmentFilters = new Map()
  const index = openDedupIndex(db, today, without)
  assert.deepEqual([...without.values()][0]?.seeds, new Uint8Array([matchAllSeed]))
  for (let n = 0; n < 20_000; n += 7) assert.equal(find(db, index, n), n + 1)
})
