import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openRecentRecords } from './recentRecords.ts'
import type { RecordPart } from './record.ts'

const payload = (n: number, length = 100) => {
  const bytes = new Uint8Array(length)
  new DataView(bytes.buffer).setUint32(length - 4, n)
  return bytes
}
const parts = (n: number): RecordPart[] => [{ context: {} as RecordPart['context'], body: { n } }]

test('a record is taken once, by its payload and its tag', () => {
  const recent = openRecentRecords()
  recent.keep(payload(1), 'tag_a', parts(1))
  recent.keep(payload(2), 'tag_a', parts(2))
  assert.equal(recent.take(payload(1), 'tag_b'), undefined)
  assert.deepEqual(recent.take(payload(1), 'tag_a'), parts(1))
  assert.equal(recent.take(payload(1), 'tag_a'), undefined)
  assert.deepEqual(recent.take(payload(2), 'tag_a'), parts(2))
})

test('the newest records are kept, and never more bytes than the maximum', () => {
  const lengths = fc.array(fc.integer({ min: 16, max: 400 }), { maxLength: 40 })
  fc.assert(
    fc.property(lengths, (sizes) => {
      const recent = openRecentRecords(1_000)
      const payloads = sizes.map((size, n) => payload(n, size))
      for (const [n, each] of payloads.entries()) recent.keep(each, 'tag_a', parts(n))
      let room = 1_000
      const expected = new Set<number>()
      for (const [n, { length }] of [...payloads.entries()].reverse()) {
        room -= length
        if (room < 0) break
        expected.add(n)
      }
      for (const [n, each] of payloads.entries())
        assert.deepEqual(recent.take(each, 'tag_a'), expected.has(n) ? parts(n) : undefined)
    }),
  )
})
