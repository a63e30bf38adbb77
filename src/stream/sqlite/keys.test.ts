import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { migrate } from '#kit/migrate.ts'
import { transact } from '#kit/sqlite.ts'
import { openSeed } from './filter.ts'
import { keysOf } from './keys.ts'
import type { Filters } from './known.ts'

const today = 20_000
const gathered = 8

function openMemory(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db, new URL('./migrations/', import.meta.url))
  return db
}
/** The n-th key: spread over all numbers, as fingerprints are. */
const keyOf = (n: number) => BigInt.asIntN(64, BigInt(n + 1) * 0x9e3779b97f4a7c15n)
const numberOf = (db: DatabaseSync, sql: string) => Number(Object.values(db.prepare(sql).get()!)[0])

/** What the next commits do: take these keys, and before that come to another day, or restart; or fail. */
const step = fc.record({
  keys: fc.array(fc.nat({ max: 600 }), { maxLength: 40 }),
  daysOn: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 3 })),
  ends: fc.constantFrom('goesOn', 'goesOn', 'restarts', 'fails', 'trims'),
})

test('a key is taken once in its day and the seven days after, through restarts, failures, merges and a clock set back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const db = openMemory()
      const model = new Map<number, { day: number; place: number }>()
      let filters: Filters = new Map()
      let day = today
      let keys = keysOf(db, day, filters, gathered)
      for (const [place, { keys: asked, daysOn, ends }] of steps.entries()) {
        const before = new Map(model)
        day += daysOn
        const work = () => {
          if (daysOn !== 0) keys = keysOf(db, day, filters, gathered)
          for (const n of asked) {
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
        if (ends === 'restarts' || ends === 'fails') keys = keysOf(db, day, filters, gathered)
      }
      db.close()
    }),
    { numRuns: 300 },
  )
})

/** Takes so many keys, some in each commit. */
function takeMany(db: DatabaseSync, day: number, from: number, to: number): void {
  const keys = keysOf(db, day, new Map(), gathered)
  for (let n = from; n < to; n++) {
    assert.ok(keys.take(keyOf(n), n))
    if (n % 5 === 4) keys.write()
  }
  keys.write()
}

test('runs are merged, so that few have to be asked, and what they were merged from is cleared away', () => {
  const db = openMemory()
  takeMany(db, today, 0, 10_000)
  assert.ok(numberOf(db, 'SELECT count(*) FROM run WHERE whole = 1') < 60)
  takeMany(db, today + 1, 10_000, 12_000)
  assert.ok(numberOf(db, `SELECT count(*) FROM run WHERE whole = 1 AND day = ${today}`) <= 2)
  const keys = keysOf(db, today + 1, new Map(), gathered)
  while (keys.drop());
  assert.equal(numberOf(db, 'SELECT count(*) FROM run WHERE whole = 0'), 0)
  const held = numberOf(db, 'SELECT sum(length(pairs)) / 16 FROM recent')
  assert.equal(numberOf(db, 'SELECT sum(length(pairs)) / 16 FROM bucket') + held, 12_000)
  for (let n = 0; n < 12_000; n++) assert.equal(keys.find(keyOf(n)), n)
})

test('keys of days gone by leave nothing behind', () => {
  const db = openMemory()
  takeMany(db, today, 0, 1000)
  const keys = keysOf(db, today + 8, new Map(), gathered)
  while (keys.drop());
  for (const table of ['recent', 'run', 'bucket', 'filter'])
    assert.equal(numberOf(db, `SELECT count(*) FROM ${table}`), 0)
})

test('a filter is as it was after a restart, and where a piece of it is missing it denies no key', () => {
  const db = openMemory()
  const filters: Filters = new Map()
  const keys = keysOf(db, today, filters, 20_000)
  for (let n = 0; n < 20_000; n++) keys.take(keyOf(n), n)
  const again: Filters = new Map()
  keysOf(db, today, again, 20_000)
  assert.deepEqual(again, filters)
  assert.ok(numberOf(db, 'SELECT count(*) FROM filter') > 2)
  db.exec('DELETE FROM filter WHERE row = (SELECT max(row) FROM filter)')
  const without: Filters = new Map()
  const left = keysOf(db, today, without, 20_000)
  assert.deepEqual([...without.values()][0]?.seeds, new Uint8Array([openSeed]))
  for (let n = 0; n < 20_000; n += 7) assert.equal(left.find(keyOf(n)), n)
})
