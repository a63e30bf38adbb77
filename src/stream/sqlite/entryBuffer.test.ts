import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { StreamEntry } from '#stream/stream.ts'
import { packEntries, readNewFlags, reusableBuffer, unpackEntries } from './entryBuffer.ts'

const key = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const entries = fc.array(
  fc
    .record({
      tagId: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed()),
      payload: fc.uint8Array({ maxLength: 3000 }),
      pairs: fc.array(fc.tuple(key, key), { maxLength: 20 }),
      hasOthers: fc.boolean(),
    })
    .map(({ tagId, payload, pairs, hasOthers }): StreamEntry => {
      const [keys, others] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
      return { tagId, payload, keys, ...(hasOthers && { others }) }
    }),
  { maxLength: 20 },
)
const unsigned = (keys: BigInt64Array) => Array.from(keys, (each) => BigInt.asUintN(64, each))

test('unpacked entries equal the packed ones, with keys as signed numbers of the same bits', () => {
  fc.assert(
    fc.property(entries, (group) => {
      const out = Array.from(unpackEntries(packEntries(group)), ({ tagId, payload, keys, others }) => {
        return { tagId, payload: new Uint8Array(payload), keys: unsigned(keys), others: unsigned(others) }
      })
      assert.deepEqual(
        out,
        group.map((each) => ({ ...each, others: each.others ?? [] })),
      )
    }),
  )
})

test('the result of each event is read from the place of its key', () => {
  fc.assert(
    fc.property(entries, (group) => {
      const packed = packEntries(group)
      for (const { keys } of unpackEntries(packed)) keys.set(keys.map((key) => key & 1n))
      assert.deepEqual(
        readNewFlags(packed, group),
        group.map(({ keys }) => keys.map((key) => (key & 1n) === 1n)),
      )
    }),
  )
})

test('a reused buffer holds only the entries of the new group', () => {
  fc.assert(
    fc.property(entries, entries, (before, group) => {
      const spare = packEntries(before)
      const packed = packEntries(group, spare)
      assert.ok(packed === spare || packed.byteLength > spare.byteLength)
      assert.deepEqual(
        Array.from(unpackEntries(packed), ({ tagId }) => tagId),
        group.map(({ tagId }) => tagId),
      )
    }),
  )
})

test('an unusually large buffer is not reused', () => {
  assert.ok(reusableBuffer(packEntries([])))
  assert.equal(reusableBuffer(packEntries([{ tagId: 't', keys: [1n], payload: new Uint8Array(5_000_000) }])), undefined)
})
