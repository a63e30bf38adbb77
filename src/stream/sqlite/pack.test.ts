import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Entry } from '#stream/stream.ts'
import { answersOf, pack, spareOf, unpack } from './pack.ts'

const key = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const entries = fc.array(
  fc
    .record({
      tagId: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed()),
      payload: fc.uint8Array({ maxLength: 3000 }),
      pairs: fc.array(fc.tuple(key, key), { maxLength: 20 }),
      hasOthers: fc.boolean(),
    })
    .map(({ tagId, payload, pairs, hasOthers }): Entry => {
      const [keys, others] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
      return { tagId, payload, keys, ...(hasOthers && { others }) }
    }),
  { maxLength: 20 },
)
const unsigned = (keys: BigInt64Array) => Array.from(keys, (each) => BigInt.asUintN(64, each))

test('entries come out as they went in, their keys as signed numbers of the same bits', () => {
  fc.assert(
    fc.property(entries, (group) => {
      const out = Array.from(unpack(pack(group)), ({ tagId, payload, keys, others }) => {
        return { tagId, payload: new Uint8Array(payload), keys: unsigned(keys), others: unsigned(others) }
      })
      assert.deepEqual(
        out,
        group.map((each) => ({ ...each, others: each.others ?? [] })),
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
