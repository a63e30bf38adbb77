import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maxShards } from '#postgres/shards/shardList.ts'
import { dayMs } from '#stream/stream.fixture.ts'
import {
  dayOfPosition,
  firstPosition,
  generationsAt,
  oldestGeneration,
  oldestPlace,
  positionBase,
  shardOfPosition,
} from './positions.ts'

const times = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2100, 0, 1) })

test('a position names its day, and has at most 53 bits until the year 2050', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20_000, max: 29_000 }), fc.nat(2 ** 31 - 1), (day, sequence) => {
      const position = firstPosition(day) + sequence
      assert.ok(Number.isSafeInteger(position))
      assert.equal(dayOfPosition(position), day)
    }),
  )
})

test('a position names its day and its shard, and those of a day are between its first and that of the next day', () => {
  const shards = fc.nat(maxShards - 1)
  fc.assert(
    fc.property(fc.integer({ min: 20_000, max: 29_000 }), shards, fc.nat(2 ** 32 - 1), (day, shard, sequence) => {
      const position = positionBase(day, shard) + sequence
      assert.equal(dayOfPosition(position), day)
      assert.equal(shardOfPosition(position), shard)
      assert.ok(firstPosition(day) <= position && position < firstPosition(day + 1))
    }),
  )
  assert.equal(shardOfPosition(2 ** 32 * 3), 0, 'a position of files has no shard')
})

test('two processes whose clocks differ by less than five minutes store keys in a common generation', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: -299_999, max: 299_999 }), (nowMs, differenceMs) => {
      const one = generationsAt(nowMs).stored
      const other = generationsAt(nowMs + differenceMs).stored
      assert.ok(one.some((each) => other.includes(each)))
    }),
  )
})

test('a key of the last seven days is in a generation that is stored or probed, and that is not dropped', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 7 * dayMs }), (nowMs, ageMs) => {
      const { stored, probed } = generationsAt(nowMs)
      for (const each of generationsAt(nowMs - ageMs).stored) assert.ok([...stored, ...probed].includes(each))
      assert.ok(oldestGeneration(nowMs) <= Math.min(...probed))
    }),
  )
})

test('generations are stored in their order, so that two processes do not wait for each other', () => {
  const change = 4 * 5_200 * dayMs
  assert.deepEqual(generationsAt(change - 300_001), { stored: [5_199], probed: [5_198, 5_197] })
  assert.deepEqual(generationsAt(change - 300_000), { stored: [5_199, 5_200], probed: [5_198, 5_197] })
  assert.deepEqual(generationsAt(change + 299_999), { stored: [5_199, 5_200], probed: [5_198, 5_197] })
  assert.deepEqual(generationsAt(change + 300_000), { stored: [5_200], probed: [5_199, 5_198] })
})

test('a place of seven days ago is not older than the oldest known place', () => {
  const now = Date.UTC(2026, 10, 20, 12)
  const placeAt = (ms: number) => BigInt(firstPosition(Math.floor(ms / dayMs)) + 1) << 9n
  assert.ok(placeAt(now - 7 * dayMs) >= oldestPlace(now))
  assert.ok(placeAt(now - 8 * dayMs) < oldestPlace(now))
})
