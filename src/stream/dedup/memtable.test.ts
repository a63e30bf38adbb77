import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { migrate } from '#kit/migrate.ts'
import { eachOf, halvesOf, type KeyPairs } from './keyPairs.ts'
import { openMemtable } from './memtable.ts'

const today = 20_000
const capacity = 100

/** A database, and the segments that a memtable has flushed to it. */
function opened() {
  const db = new DatabaseSync(':memory:')
  migrate(db, new URL('../sqlite/migrations/', import.meta.url))
  const segments: { day: number; places: number[] }[] = []
  const addSegment = (day: number, pairs: KeyPairs) =>
    void segments.push({ day, places: Array.from(eachOf(pairs), ({ place }) => place) })
  const logged = () => db.prepare('SELECT coalesce(sum(length(pairs)), 0) / 16 AS pairs FROM recent').get()!.pairs
  return { db, segments, logged, open: (day = today, maxKeys = capacity) => openMemtable(db, day, addSegment, maxKeys) }
}

test('every written key is in the memtable or in one segment, also after a restart', () => {
  const groups = fc.array(fc.record({ count: fc.nat({ max: 60 }), restart: fc.boolean() }), { maxLength: 30 })
  fc.assert(
    fc.property(groups, (groups) => {
      const { segments, open } = opened()
      let memtable = open()
      let next = 0
      for (const { count, restart } of groups) {
        for (let n = 0; n < count; n++, next++) memtable.add(halvesOf(BigInt(next)), next)
        memtable.write()
        if (restart) memtable = open()
      }
      const flushed = segments.flatMap(({ places }) => places)
      assert.equal(new Set(flushed).size, flushed.length)
      for (let each = 0; each < next; each++)
        assert.equal(memtable.find(halvesOf(BigInt(each))), flushed.includes(each) ? undefined : each)
    }),
  )
})

test('a full memtable is flushed, and the log holds only the keys of the memtable', () => {
  const { segments, logged, open } = opened()
  const memtable = open()
  for (let n = 0; n < 250; n++) memtable.add(halvesOf(BigInt(n)), n)
  memtable.write()
  assert.deepEqual(
    segments.map(({ day, places }) => [day, places.length]),
    [
      [today, 100],
      [today, 100],
    ],
  )
  assert.equal(logged(), 50)
})

test('a rollback removes the written keys', () => {
  const { db, open } = opened()
  db.exec('BEGIN')
  const memtable = open()
  memtable.add(halvesOf(1n), 1)
  memtable.write()
  db.exec('ROLLBACK')
  assert.equal(open().find(halvesOf(1n)), undefined)
})

test('the log of another day, or one that exceeds the capacity, is flushed at once', () => {
  const { segments, logged, open } = opened()
  const memtable = open()
  for (let n = 0; n < 60; n++) memtable.add(halvesOf(BigInt(n)), n)
  memtable.write()
  assert.equal(open(today, 50).find(halvesOf(7n)), undefined)
  const again = open()
  again.add(halvesOf(7n), 70)
  again.write()
  assert.equal(open(today + 1).find(halvesOf(7n)), undefined)
  assert.deepEqual(
    segments.map(({ day, places }) => [day, places.length]),
    [
      [today, 60],
      [today, 1],
    ],
  )
  assert.equal(logged(), 0)
})
