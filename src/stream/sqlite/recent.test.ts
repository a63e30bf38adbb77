import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { migrate } from '#kit/migrate.ts'
import { tableOf } from './days.ts'
import { openRecent } from './recent.ts'

const today = 20_000
const gathered = 100

function openMemory(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db, new URL('./migrations/', import.meta.url))
  return db
}
const rowsOf = (db: DatabaseSync, day: number) => {
  const rows = db.prepare(`SELECT key, place FROM ${tableOf(day)}`)
  rows.setReadBigInts(true)
  return rows.all() as { key: bigint; place: bigint }[]
}
const logged = (db: DatabaseSync) =>
  db.prepare('SELECT coalesce(sum(length(pairs)), 0) / 16 AS pairs FROM recent').get()?.pairs as number

test('every key that was written is found, in memory or in its table, also after a restart', () => {
  const group = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.record({ group, restart: fc.boolean() }), { maxLength: 30 }), (groups) => {
      const db = openMemory()
      const model = new Map<bigint, number>()
      let recent = openRecent(db, today, gathered)
      for (const { group, restart } of groups) {
        for (const key of group) {
          if (model.has(key)) continue
          model.set(key, model.size)
          recent.add(key, model.get(key)!)
        }
        recent.write()
        if (restart) recent = openRecent(db, today, gathered)
      }
      const moved = new Map(rowsOf(db, today).map(({ key, place }) => [key, Number(place)]))
      for (const [key, place] of model) assert.equal(recent.find(key) ?? moved.get(key), place)
      db.close()
    }),
    { numRuns: 200 },
  )
})

test('keys move into their table, and the log stays short', () => {
  const db = openMemory()
  const recent = openRecent(db, today, gathered)
  for (let n = 0; n < 10_000; n++) {
    recent.add(BigInt.asIntN(64, BigInt(n) * 0x9e3779b97f4a7c15n), n)
    if (n % 20 === 19) recent.write()
  }
  assert.ok(rowsOf(db, today).length > 10_000 - 4 * gathered)
  assert.ok(logged(db) <= 4 * gathered, `${logged(db)} pairs in the log`)
})

test('what was not written is gone after a rollback', () => {
  const db = openMemory()
  openRecent(db, today, gathered)
  db.exec('BEGIN')
  const recent = openRecent(db, today, gathered)
  recent.add(1n, 1)
  recent.write()
  db.exec('ROLLBACK')
  assert.equal(openRecent(db, today, gathered).find(1n), undefined)
})

test('the keys of a day gone by move to the table of that day', () => {
  const db = openMemory()
  const recent = openRecent(db, today, gathered)
  recent.add(7n, 70)
  recent.write()
  assert.equal(openRecent(db, today + 1, gathered).find(7n), undefined)
  assert.deepEqual(
    rowsOf(db, today).map(({ key, place }) => [key, place]),
    [[7n, 70n]],
  )
  assert.equal(logged(db), 0)
})
