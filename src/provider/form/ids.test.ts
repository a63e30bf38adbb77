import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toUlid, toUuid, uuid5 } from './ids.ts'

const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'

test('a UUID of a name is the one that RFC 9562 shows', () => {
  assert.equal(uuid5('www.example.com', dns), '2ed6657d-e927-568b-95e1-2665a8aea6a2')
})

test('a UUID stays itself, in lower case; any other id always makes the same one', () => {
  assert.equal(toUuid('C73BCDCC-2644-4A43-9F5E-0F6A0F2B8C11'), 'c73bcdcc-2644-4a43-9f5e-0f6a0f2b8c11')
  const ids = new Set<string>()
  const seen = new Set<string>()
  fc.assert(
    fc.property(fc.string(), (id) => {
      ids.add(id)
      assert.match(toUuid(id), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.equal(toUuid(id), toUuid(id))
      seen.add(toUuid(id))
    }),
  )
  assert.equal(seen.size, ids.size)
})

test('a ULID stays itself, in upper case; any other id makes one that begins with its time', () => {
  assert.equal(toUlid('01arz3ndektsv4rrffq69g5fav', 0), '01ARZ3NDEKTSV4RRFFQ69G5FAV')
  // The time in the example of https://github.com/ulid/spec
  assert.equal(toUlid('evt-1', 1_469_918_176_385).slice(0, 10), '01ARYZ6S41')
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 0, max: 2 ** 48 - 1 }), (id, atMs) => {
      assert.match(toUlid(id, atMs), /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
      assert.equal(toUlid(id, atMs), toUlid(id, atMs))
    }),
  )
  assert.notEqual(toUlid('evt-1', 0), toUlid('evt-2', 0))
})
