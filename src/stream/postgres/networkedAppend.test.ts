import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DatabaseAway } from '#postgres/databaseError.ts'
import type { SharedStream } from '#stream/sharedStream.ts'
import { dayMs, entry, start, textOf } from '#stream/stream.fixture.ts'
import { until } from '../../../test/fake/clock.ts'
import { skipWithoutPostgres } from '../../../test/fake/postgresServer.ts'
import { setUpStreams } from './networkedStreams.fixture.ts'
import { type AppendFailure, openFaultyDatabase } from './streamOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()
const neverAborted = new AbortController().signal

describe('appends by several processes', { skip, timeout: 40_000 }, () => {
  const shared = setUpStreams()
  const lease = async (stream: SharedStream, limit = 100) =>
    (await stream.lease(limit, neverAborted)).map(({ payload }) => textOf(payload))

  test('of the same keys by two processes at once find each key new exactly once', async () => {
    const streams = await Promise.all([shared.open(), shared.open({ database: shared.openDatabase() })])
    let round = 0n
    const bodies = fc.array(fc.array(fc.bigInt(1n, 20n), { minLength: 1, maxLength: 12 }), {
      minLength: 2,
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(bodies, async (all) => {
        const base = ++round * 1_000n
        const keysOf = all.map((keys) => keys.map((key) => base + key))
        const results = await Promise.all(keysOf.map((keys, n) => streams[n % 2]!.append(entry(keys))))
        const fresh = keysOf.flatMap((keys, n) => keys.filter((_, index) => results[n]![index]))
        assert.deepEqual(fresh.toSorted(), [...new Set(keysOf.flat())].toSorted())
      }),
      { numRuns: 60 },
    )
  })

  test('around a change of generation, by processes whose clocks differ, find each key new exactly once', async () => {
    const change = Math.ceil(start / (4 * dayMs)) * 4 * dayMs
    const clocks = [change - 140_000, change + 140_000].map((now) => ({ now: () => now }))
    const streams = await Promise.all(clocks.map((each) => shared.open({ clock: each })))
    for (let key = 1n; key <= 20n; key++) {
      const results = await Promise.all(streams.map((stream) => stream.append(entry([key]))))
      assert.equal(results.flat().filter(Boolean).length, 1)
    }
    const later = await shared.open({ clock: { now: () => change + 3_600_000 } })
    assert.deepEqual(await later.append(entry([1n, 20n, 21n])), [false, false, true])
  })

  test('whose answers are lost tell which events are new, whether they were committed, or are committed late', async () => {
    const faulty = openFaultyDatabase(shared.database, /INSERT INTO todo/)
    const stream = await shared.open({ database: faulty.database })
    const other = await shared.open()
    let round = 0n
    const faults = fc.array(fc.constantFrom<AppendFailure>('away', 'lost', 'committed', 'late'), { maxLength: 3 })
    const keys = fc.array(fc.bigInt(1n, 6n), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(faults, keys, keys, async (sequence, earlier, repeated) => {
        const base = ++round * 1_000n
        const [before, now] = [earlier, repeated].map((each) => each.map((key) => base + key))
        await other.append(entry(before!))
        faulty.setFaults(sequence)
        const result = await stream.append(entry(now!))
        await faulty.settled()
        const expected = now!.map((key, index) => !before!.includes(key) && now!.indexOf(key) === index)
        assert.deepEqual(result, expected)
      }),
      { numRuns: 15 },
    )
    const leased = await other.lease(1_000, neverAborted)
    const places = leased.flatMap(({ position, newIndexes }) => newIndexes.map((index) => `${position} ${index}`))
    assert.equal(new Set(places).size, places.length)
  })

  test('are refused once they could not be stored for five seconds, and appends after that succeed', async () => {
    const faulty = openFaultyDatabase(shared.database, /INSERT INTO todo/)
    const stream = await shared.open({ database: faulty.database })
    faulty.setFaults(Array<AppendFailure>(1_000).fill('away'))
    const beganAt = performance.now()
    const first = assert.rejects(stream.append(entry([1n])), DatabaseAway)
    await until('the first is repeated', () => performance.now() > beganAt + 100)
    await Promise.all([first, assert.rejects(stream.append(entry([2n])), DatabaseAway)])
    faulty.setFaults([])
    assert.deepEqual(await stream.append(entry([1n, 2n])), [true, true])
  })

  test('of another process are leased without a restart', async () => {
    const [reader, writer] = [await shared.open(), await shared.open()]
    const waiting = lease(reader)
    await writer.append(entry([1n], 'late'))
    assert.deepEqual(await waiting, ['late'])
  })
})
