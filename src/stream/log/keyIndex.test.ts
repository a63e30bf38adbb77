import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eachOf } from '#stream/dedup/keyPairs.ts'
import { openKeyIndex } from './keyIndex.ts'

const noSegments = { find: () => undefined }
const keysIn = (tables: ReturnType<ReturnType<typeof openKeyIndex>['takeTables']>) =>
  tables.flatMap(({ day, pairs }) =>
    Array.from(eachOf(pairs), ({ key, place }) => ({ day, key: (BigInt(key.high) << 32n) | BigInt(key.low), place })),
  )

test('keys are found in any number of tables, and a full one takes no more', () => {
  const keys = openKeyIndex(noSegments, 8)
  for (let n = 1n; n <= 50n; n++) keys.add(n, Number(n) + 1_000)
  assert.ok(keys.isFull())
  for (let n = 1n; n <= 50n; n++) assert.equal(keys.find(n), Number(n) + 1_000)
  keys.rotate()
  const tables = keys.takeTables()
  assert.equal(keysIn(tables).length, 50)
  assert.ok(!keys.isFull())
  keys.setSegments([], tables.length)
  assert.equal(keys.find(1n), undefined, 'it is in a segment now')
})

test('a key that was given back is not found, is not written, and can be added again before and after its table is handed over', () => {
  const keys = openKeyIndex(noSegments, 8)
  keys.add(1n, 512)
  keys.add(2n, 513)
  keys.add(3n, 514)
  keys.giveBack([1n, 2n, 99n])
  assert.equal(keys.find(1n), undefined)
  keys.add(1n, 1024)
  assert.equal(keys.find(1n), 1024)
  keys.rotate()
  const tables = keys.takeTables()
  assert.deepEqual(keysIn(tables), [
    { day: 0, key: 1n, place: 1024 },
    { day: 0, key: 3n, place: 514 },
  ])
  keys.add(2n, 1536)
  keys.setSegments([], tables.length)
  assert.equal(keys.find(2n), 1536, 'the table that was handed over did not have it')
})

test('keys of earlier days are kept with their day, in as few tables as they need', () => {
  const keys = openKeyIndex(noSegments, 8)
  keys.setDay(100)
  for (let n = 1; n <= 60; n++) keys.add(BigInt(n), n * 512, 100 - (n % 3))
  keys.rotate()
  const tables = keys.takeTables()
  assert.ok(tables.length <= 9, `${tables.length} tables`)
  for (const { day, key } of keysIn(tables)) assert.equal(day, 100 - (Number(key) % 3))
  keys.setDay(108)
  assert.deepEqual(
    [99n, 3n].map((key) => keys.find(key)),
    [undefined, undefined],
    'a key is valid for seven days',
  )
})

test('any history of added and given back keys gives the same answers as a map', () => {
  const step = fc.record({ key: fc.integer({ min: 1, max: 12 }), rotates: fc.boolean(), back: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const keys = openKeyIndex(noSegments, 4)
      const model = new Map<number, number>()
      for (const [n, { key, rotates, back }] of steps.entries()) {
        if (rotates) keys.rotate()
        const held = model.get(key)
        if (held !== undefined && back) {
          model.delete(key)
          keys.giveBack([BigInt(key)])
        } else if (held === undefined) {
          model.set(key, (n + 1) * 512)
          keys.add(BigInt(key), (n + 1) * 512)
        }
        for (let each = 1; each <= 12; each++) assert.equal(keys.find(BigInt(each)), model.get(each))
      }
    }),
  )
})
