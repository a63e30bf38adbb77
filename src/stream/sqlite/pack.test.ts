import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Entry } from '#stream/stream.ts'
import { answersOf, pack, spareOf, unpack } from './pack.ts'

const entries = fc.array(
  fc.record<Entry>({
    tagId: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed()),
    payload: fc.uint8Array({ maxLength: 3000 }),
    keys: fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 20 }),
  }),
  { maxLength: 20 },
)

test('entries come out as they went in, their keys as signed numbers of the same bits', () => {
  fc.assert(
    fc.property(entries, (group) => {
      const out = Array.from(unpack(pack(group)), ({ tagId, payload, keys }) => {
        return { tagId, payload: new Uint8Array(payload), keys: Array.from(keys, (key) => BigInt.asUintN(64, key)) }
      })
      assert.deepEqual(
        out,
        group.map((each) => ({ ...each })),
      )
    }),
  )
})

test('each event gets the answer that was written in the place of its key', () => {
  fc.assert(
    fc.property(entries, (group) => {
      const packed = pack(group)
      for (const { keys } of unpack(packed)) keys.set(keys.map((key) => key & 1n))
      assert.deepEqual(
        answersOf(packed, group),
        group.map(({ keys }) => keys.map((key) => (key & 1n) === 1n)),
      )
    }),
  )
})

test('memory of a group that is done is used again, and what it held before does not show', () => {
  fc.assert(
    fc.property(entries, entries, (before, group) => {
      const spare = pack(before)
      const packed = pack(group, spare)
      assert.ok(packed === spare || packed.byteLength > spare.byteLength)
      assert.deepEqual(
        Array.from(unpack(packed), ({ tagId }) => tagId),
        group.map(({ tagId }) => tagId),
      )
    }),
  )
})

test('an unusually large piece of memory is not kept', () => {
  assert.ok(spareOf(pack([])))
  assert.equal(spareOf(pack([{ tagId: 't', keys: [1n], payload: new Uint8Array(5_000_000) }])), undefined)
})
