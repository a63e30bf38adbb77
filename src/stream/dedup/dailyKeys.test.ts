import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { migrate } from '#kit/migrate.ts'
import { transact } from '#kit/sqlite.ts'
import { cases } from '../../../test/fake/cases.ts'
import { openDailyKeys } from './dailyKeys.ts'
import type { SegmentFilters } from './dedupIndex.ts'
import { matchAllSeed } from './fuseFilter.ts'

const today = 20_000
const capacity = 8

function openMemory(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db, new URL('../sqlite/migrations/', import.meta.url))
  return db
}
/** The n-th key. The keys are spread over all numbers, as fingerprints are. */
const keyOf = (n: number) => BigInt.asIntN(64, BigInt(n + 1) * 0x9e3779b97f4a7c15n)
const numberOf = (db: DatabaseSync, sql: string) => Number(Object.values(db.prepare(sql).get()!)[0])

/** One commit: it may move to another day, adds keys, and ends with success, a restart, a failure or a cleanup. */
const step = fc.record({
  keys: fc.array(fc.nat({ max: 600 }), { maxLength: 40 }),
  daysOn: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 3 })),
  ends: fc.constantFrom('succeeds', 'succeeds', 'restarts', 'fails', 'trims'),
})

test('a key is accepted once in its day and the seven days after, across restarts, failures, merges and a clock set back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const db = openMemory()
      const model = new Map<number, { day: number; place: number }>()
      let filters: SegmentFilters = new Map()
      let day = today
      let keys = openDailyKeys(db, day, filters, capacity)
      for (const [place, { keys: numbers, daysOn, ends }] of steps.entries()) {
        const before = new Map(model)
        day += daysOn
        const work = () => {
          if (daysOn !== 0) keys = openDailyKeys(db, day, filters, capacity)
          for (const n of numbers) {
            const known = model.get(n)
            const isKnown = known !== undefined && known.day >= day - 7
            assert.equal(keys.find(keyOf(n)), isKnown ? known.place : undefined)
            assert.equal(keys.take(keyOf(n), place), !isKnown)
            if (!isKnown) model.set(n, { day, place })
          }
          keys.write()
          if (ends === 'trims') while (keys.drop());
          if (ends === 'fails') throw new Error('the disk is full')
        }
        if (ends !== 'fails') transact(db, work)
        else {
          assert.throws(() => transact(db, work), /full/)
          model.clear()
          for (const [n, known] of before) model.set(n, known)
        }
        if (ends === 'restarts') filters = new Map()
        if (ends === 'restarts' || ends === 'fails') keys = openDailyKeys(db, day, filters, capacity)
      }
      db.close()
    }),
    { numRuns: cases(300) },
  )
})

/** Adds the keys `from` up to `to`, five in each write. */
function takeMany(db: DatabaseSync, day: number, from: number, to: number): void {
  const keys = openDailyKeys(db, day, new Map(), capacity)
  for (let n = from; n < to; n++) {
    assert.ok(keys.take(keyOf(n), n))
    if (n % 5 === 4) keys.write()
  }
  keys.write()
}

test('segments are merged, so that a lookup reads few, and the source segments are deleted', () => {
  const db = openMemory()
  takeMany(db, today, 0, 10_000)
  assert.ok(numberOf(db, 'SELECT count(*) FROM run WHERE whole = 1') < 60)
  takeMany(db, today + 1, 10_000, 12_000)
  assert.ok(numberOf(db, `SELECT count(*) FROM run WHERE whole = 1 AND day = ${today}`) <= 2)
  const keys = openDailyKeys(db, today + 1, new Map(), capacity)
  while (keys.drop());
  assert.equal(numberOf(db, 'SELECT count(*) FROM run WHERE whole = 0'), 0)
  const inMemtable = numberOf(db, 'SELECT sum(length(pairs)) / 16 FROM recent')
  assert.equal(numberOf(db, 'SELECT sum(length(pairs)) / 16 FROM bucket') + inMemtable, 12_000)
  for (let n = 0; n < 12_000; n++) assert.equal(keys.find(keyOf(n)), n)
})

test('expired keys leave no rows', () => {
  const db = openMemory()
  takeMany(db, today, 0, 1000)
  const keys = openDailyKeys(db, today + 8, new Map(), capacity)
  while (keys.drop());
  for (const table of ['recent', 'run', 'bucket', 'filter'])
    assert.equal(numberOf(db, `SELECT count(*) FROM ${table}`), 0)
})

test('a filter is equal after a restart, and a slice with a missing chunk matches every key', () => {
  const db = openMemory()
  const filters: SegmentFilters = new Map()
  const keys = openDailyKeys(db, today, filters, 20_000)
  for (let n = 0; n < 20_000; n++) keys.take(keyOf(n), n)
  const again: SegmentFilters = new Map()
  openDailyKeys(db, today, again, 20_000)
  assert.deepEqual(again, filters)
  assert.ok(numberOf(db, 'SELECT count(*) FROM filter') > 2)
  db.exec('DELETE FROM filter WHERE row = (SELECT max(row) FROM filter)')
  const without: SegmentFilters = new Map()
  const reopened = openDailyKeys(db, today, without, 20_000)
  assert.deepEqual([...without.values()][0]?.seeds, new Uint8Array([matchAllSeed]))
  for (let n = 0; n < 20_000; n += 7) assert.equal(reopened.find(keyOf(n)), n)
})
