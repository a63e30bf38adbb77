import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openRecentRecords } from './recentRecords.ts'
import type { SizedRecordPart } from './record.ts'

const payload = (n: number) => {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setUint32(12, n)
  return bytes
}
const parts = (n: number, bytes = 100): SizedRecordPart[] => [
  { context: {} as SizedRecordPart['context'], body: { n }, bytes },
]

test('a record is taken once, by its payload and its tag', () => {
  const recent = openRecentRecords()
  recent.keep(payload(1), 'tag_a', parts(1))
  recent.keep(payload(2), 'tag_a', parts(2))
  assert.equal(recent.take(payload(1), 'tag_b'), undefined)
  assert.deepEqual(recent.take(payload(1), 'tag_a'), parts(1))
  assert.equal(recent.take(payload(1), 'tag_a'), undefined)
  assert.deepEqual(recent.take(payload(2), 'tag_a'), parts(2))
})

test('the newest records are kept, and never more bytes than the maximum, however well they compress', () => {
  const lengths = fc.array(fc.integer({ min: 16, max: 400 }), { maxLength: 40 })
  fc.assert(
    fc.property(lengths, (sizes) => {
      const recent = openRecentRecords(1_000)
      const payloads = sizes.map((size, n) => [payload(n), parts(n, size)] as const)
      for (const [each, own] of payloads) recent.keep(each, 'tag_a', own)
      let room = 1_000
      const expected = new Set<number>()
      for (const [n, size] of [...sizes.entries()].reverse()) {
        room -= size
        if (room < 0) break
        expected.add(n)
      }
      for (const [n, [each, own]] of payloads.entries())
        assert.deepEqual(recent.take(each, 'tag_a'), expected.has(n) ? own : undefined)
    }),
  )
})
