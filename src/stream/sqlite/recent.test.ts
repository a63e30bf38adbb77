import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { migrate } from '#kit/migrate.ts'
import { eachOf, halvesOf, type Pairs } from './pairs.ts'
import { openRecent } from './recent.ts'

const today = 20_000
const gathered = 100

/** A database, and what has left the recent keys: pairs by day. */
function opened() {
  const db = new DatabaseSync(':memory:')
  migrate(db, new URL('./migrations/', import.meta.url))
  const left: { day: number; places: number[] }[] = []
  const leave = (day: number, pairs: Pairs) =>
    void left.push({ day, places: Array.from(eachOf(pairs), ({ place }) => place) })
  const logged = () => db.prepare('SELECT coalesce(sum(length(pairs)), 0) / 16 AS pairs FROM recent').get()!.pairs
  return { db, left, logged, open: (day = today, most = gathered) => openRecent(db, day, leave, most) }
}

test('every key that was written is found or has left, once, also after a restart', () => {
  const groups = fc.array(fc.record({ count: fc.nat({ max: 60 }), restart: fc.boolean() }), { maxLength: 30 })
  fc.assert(
    fc.property(groups, (groups) => {
      const { left, open } = opened()
      let recent = open()
      let next = 0
      for (const { count, restart } of groups) {
        for (let n = 0; n < count; n++, next++) recent.add(halvesOf(BigInt(next)), next)
        recent.write()
        if (restart) recent = open()
      }
      const gone = left.flatMap(({ places }) => places)
      assert.equal(new Set(gone).size, gone.length)
      for (let each = 0; each < next; each++)
        assert.equal(recent.find(halvesOf(BigInt(each))), gone.includes(each) ? undefined : each)
    }),
  )
})

test('keys leave as soon as they are many, and the log is as short as what is held', () => {
  const { left, logged, open } = opened()
  const recent = open()
  for (let n = 0; n < 250; n++) recent.add(halvesOf(BigInt(n)), n)
  recent.write()
  assert.deepEqual(
    left.map(({ day, places }) => [day, places.length]),
    [
      [today, 100],
      [today, 100],
    ],
  )
  assert.equal(logged(), 50)
})

test('what was not written is gone after a rollback', () => {
  const { db, open } = opened()
  db.exec('BEGIN')
  const recent = open()
  recent.add(halvesOf(1n), 1)
  recent.write()
  db.exec('ROLLBACK')
  assert.equal(open().find(halvesOf(1n)), undefined)
})

test('the keys of a day gone by leave at once, and so do more than are held', () => {
  const { left, logged, open } = opened()
  const recent = open()
  for (let n = 0; n < 60; n++) recent.add(halvesOf(BigInt(n)), n)
  recent.write()
  assert.equal(open(today, 50).find(halvesOf(7n)), undefined)
  const again = open()
  again.add(halvesOf(7n), 70)
  again.write()
  assert.equal(open(today + 1).find(halvesOf(7n)), undefined)
  assert.deepEqual(
    left.map(({ day, places }) => [day, places.length]),
    [
      [today, 60],
      [today, 1],
    ],
  )
  assert.equal(logged(), 0)
})
