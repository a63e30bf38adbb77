import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '#kit/clock.ts'
import { spaceLaws } from './spaces.suite.ts'
import { dayMs, entry, type StreamStorage, start, textOf } from './stream.fixture.ts'
import type { Stream } from './stream.ts'

/** The laws of every stream. `makeStorage` returns an empty storage. */
export function streamLaws(adapter: string, makeStorage: () => Promise<StreamStorage>): void {
  spaceLaws(adapter, makeStorage)
  describe(`a stream on ${adapter}`, () => {
    const at = { now: start }
    const clock: Clock = { now: () => at.now, wait: async () => {} }
    const neverAborted = new AbortController().signal
    let storage: StreamStorage
    let stream: Stream

    beforeEach(async () => {
      at.now = start
      storage = await makeStorage()
      stream = await storage.open(clock)
    })
    afterEach(async () => {
      await stream.close()
      await storage.remove()
    })
    const reopen = async () => {
      await stream.close()
      stream = await storage.open(clock)
    }
    const lease = async (limit = 100) => (await stream.lease(limit, neverAborted)).map(({ payload }) => textOf(payload))

    describe('bodies', () => {
      test('are leased in order of arrival, up to the limit', async () => {
        for (const n of [1, 2, 3]) await stream.append(entry([BigInt(n)], `body ${n}`))
        assert.deepEqual(await lease(2), ['body 1', 'body 2'])
        assert.deepEqual(await lease(2), ['body 3'])
      })

      test('appended concurrently keep the order of the calls', async () => {
        const names = Array.from({ length: 50 }, (_, n) => `body ${n}`)
        await Promise.all(names.map((name, n) => stream.append(entry([BigInt(n + 1)], name))))
        assert.deepEqual(await lease(), names)
      })

      test('are leased unchanged', async () => {
        const payload = Uint8Array.from({ length: 70_000 }, (_, n) => n % 251)
        await stream.append({ tagId: 'tag_ä', keys: [1n, 2n ** 64n - 1n], payload })
        const [leased] = await stream.lease(1, neverAborted)
        assert.equal(leased?.tagId, 'tag_ä')
        assert.deepEqual(leased?.newIndexes, [0, 1])
        assert.deepEqual(new Uint8Array(leased.payload), payload)
      })

      test('of more than 500 events are refused', async () => {
        await assert.rejects(stream.append(entry(Array.from({ length: 501 }, (_, n) => BigInt(n + 1)))), RangeError)
        const fresh = await stream.append(entry(Array.from({ length: 500 }, (_, n) => BigInt(n + 1))))
        assert.equal(fresh.filter(Boolean).length, 500)
      })

      test('are leased once to concurrent callers', async () => {
        const leases = [lease(1), lease(1)]
        await stream.append(entry([1n], 'one'))
        await stream.append(entry([2n], 'two'))
        assert.deepEqual((await Promise.all(leases)).flat().sort(), ['one', 'two'])
      })

      test('are read by their position, leased or not', async () => {
        await stream.append(entry([1n], 'one'))
        const [leased] = await stream.lease(1, neverAborted)
        assert.deepEqual(await stream.read(leased!.position), leased)
        assert.equal(await stream.read(leased!.position + 1), undefined)
      })

      test('are kept over a restart, with their payload and the indexes of their new events', async () => {
        await stream.append(entry([1n], 'one'))
        await stream.append(entry([1n, 2n, 2n, 3n], 'two'))
        await reopen()
        const leased = await stream.lease(10, neverAborted)
        assert.deepEqual(
          leased.map(({ payload, newIndexes }) => [textOf(payload), newIndexes]),
          [
            ['one', [0]],
            ['two', [1, 3]],
          ],
        )
      })
    })

    describe('lease', () => {
      test('waits until a body is appended', async () => {
        let woken = false
        const waiting = lease().finally(() => {
          woken = true
        })
        await turn()
        assert.equal(woken, false)
        await stream.append(entry([1n], 'late'))
        assert.deepEqual(await waiting, ['late'])
      })

      test('is empty once aborted, before or while it waits', async () => {
        const aborter = new AbortController()
        const waiting = stream.lease(1, aborter.signal)
        aborter.abort()
        assert.deepEqual(await waiting, [])
        await stream.append(entry([1n], 'one'))
        assert.deepEqual(await stream.lease(1, aborter.signal), [])
        assert.deepEqual(await lease(), ['one'])
      })

      test('is fair between owners, and keeps the order of the bodies of each owner', async () => {
        const named = (tagId: string, n: number) => ({ ...entry([BigInt(n)], `${tagId} ${n}`), tagId })
        for (let n = 1; n <= 100; n++) await stream.append(named('loud', n))
        for (let n = 101; n <= 103; n++) await stream.append(named('quiet', n))
        const turns = { ownerOf: (tagId: string) => tagId, events: 40 }
        const leased = (await stream.lease(100, neverAborted, turns)).map(({ payload }) => textOf(payload))
        assert.equal(leased.length, 40)
        const of = (name: string) => leased.filter((text) => text.startsWith(name))
        assert.deepEqual(of('quiet'), ['quiet 101', 'quiet 102', 'quiet 103'])
        assert.deepEqual(
          of('loud'),
          Array.from({ length: 37 }, (_, n) => `loud ${n + 1}`),
        )
        assert.equal((await stream.lease(100, neverAborted)).length, 63)
      })

      test('rejects when the stream is closed', async () => {
        const waiting = assert.rejects(stream.lease(1, neverAborted), /closed/)
        await stream.close()
        await waiting
      })
    })

    describe('settle', () => {
      const appended = async (count: number) => {
        await Promise.all(
          Array.from({ length: count }, (_, n) => stream.append(entry([BigInt(n + 1)], `body ${n + 1}`))),
        )
        return (await stream.lease(count, neverAborted)).map(({ position }) => position)
      }

      test('prevents a new lease of the settled bodies after a restart, and of no others', async () => {
        const positions = await appended(4)
        await stream.settle(positions.slice(0, 2))
        await reopen()
        assert.deepEqual(await lease(), ['body 3', 'body 4'])
      })

      test('works for bodies after one that is not settled', async () => {
        const positions = await appended(5)
        await stream.settle([positions[3]!, positions[1]!])
        await reopen()
        assert.deepEqual(await lease(), ['body 1', 'body 3', 'body 5'])
        await stream.settle([positions[0]!])
        await stream.settle([positions[2]!, positions[4]!])
        await reopen()
        assert.equal(await stream.waiting(), 0)
        assert.deepEqual(await stream.lease(1, AbortSignal.abort()), [])
      })

      test('changes the number of waiting bodies, which is the same after a restart', async () => {
        const positions = await appended(5)
        assert.equal(await stream.waiting(), 5)
        await stream.settle([positions[4]!, positions[0]!])
        assert.equal(await stream.waiting(), 3)
        await stream.settle([positions[0]!, positions[0]!])
        assert.equal(await stream.waiting(), 3)
        await reopen()
        assert.equal(await stream.waiting(), 3)
      })

      test('does not delete a body', async () => {
        const [position] = await appended(1)
        await stream.settle([position!])
        assert.equal(textOf((await stream.read(position!))!.payload), 'body 1')
      })

      test('of an unknown position changes nothing', async () => {
        await stream.settle([1, 99])
        await stream.append(entry([1n], 'one'))
        assert.equal(await stream.waiting(), 1)
        assert.deepEqual(await lease(), ['one'])
      })
    })

    describe('an event', () => {
      test('is new once: in a body, in concurrent appends, on a day', async () => {
        assert.deepEqual(await stream.append(entry([1n, 2n, 1n])), [true, true, false])
        const moment = await Promise.all([stream.append(entry([3n])), stream.append(entry([3n, 4n]))])
        assert.deepEqual(moment, [[true], [false, true]])
        assert.deepEqual(await stream.append(entry([4n])), [false])
      })

      test('of a hundred concurrent calls is new in exactly one', async () => {
        const answers = await Promise.all(Array.from({ length: 100 }, () => stream.append(entry([5n]))))
        assert.equal(answers.flat().filter(Boolean).length, 1)
        assert.equal(await stream.waiting(), 1)
      })

      test('is a duplicate after a restart', async () => {
        await stream.append(entry([6n]))
        await reopen()
        assert.deepEqual(await stream.append(entry([6n, 7n])), [false, true])
      })

      test('that is a duplicate is not leased, and a body of duplicates is not stored', async () => {
        await stream.append(entry([1n, 2n], 'first'))
        await stream.append(entry([2n, 1n], 'repeats'))
        await stream.append(entry([2n, 3n], 'mixed'))
        const leased = await stream.lease(10, neverAborted)
        assert.deepEqual(
          leased.map(({ payload, newIndexes }) => [textOf(payload), newIndexes]),
          [
            ['first', [0, 1]],
            ['mixed', [1]],
          ],
        )
      })

      test('with the key 0n is never new and stores no key', async () => {
        assert.deepEqual(await stream.append(entry([0n, 8n, 0n])), [false, true, false])
        assert.deepEqual(await stream.append(entry([0n])), [false])
        assert.equal(await stream.find(0n), undefined)
      })

      test('is identified by all 64 bits of its key', async () => {
        const keys = [1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 63n + 1n, 2n ** 64n - 1n, 2n ** 53n, 2n ** 53n + 1n]
        assert.deepEqual(
          await stream.append(entry(keys)),
          keys.map(() => true),
        )
        assert.deepEqual(
          await stream.append(entry(keys)),
          keys.map(() => false),
        )
      })

      test('is a duplicate for seven days, and new after that', async () => {
        await stream.append(entry([9n]))
        for (const days of [1, 3, 7]) {
          at.now = start + days * dayMs
          assert.deepEqual(await stream.append(entry([9n, BigInt(100 + days)])), [false, true])
        }
        at.now = start + 8 * dayMs
        assert.deepEqual(await stream.append(entry([9n, 107n])), [true, false])
      })

      test('is a duplicate when the clock was set back in between', async () => {
        at.now = start + dayMs
        await stream.append(entry([9n]))
        at.now = start
        assert.deepEqual(await stream.append(entry([9n])), [false])
        assert.deepEqual(await stream.append(entry([10n])), [true])
      })

      test('is found by its key, with the position of its body and its index', async () => {
        const last = 2n ** 64n - 1n
        await stream.append(entry([1n], 'one'))
        await stream.append(entry([1n, 2n, last], 'two'))
        const place = await stream.find(last)
        assert.equal(place?.index, 2)
        assert.equal(textOf((await stream.read(place!.position))!.payload), 'two')
        assert.equal((await stream.find(1n))?.index, 0)
        assert.equal(await stream.find(77n), undefined)
      })

      test('is found for seven days, and at its latest place once it was new again', async () => {
        await stream.append(entry([1n], 'old'))
        at.now = start + 7 * dayMs
        assert.equal((await stream.find(1n))?.index, 0)
        at.now = start + 8 * dayMs
        await stream.append(entry([5n, 1n], 'new'))
        assert.equal((await stream.find(1n))?.index, 1)
      })
    })

    describe('rewrite', () => {
      test('replaces the payload of a body durably, and changes nothing else of it', async () => {
        await stream.append(entry([1n, 2n], 'one'))
        await stream.append(entry([3n], 'two'))
        const before = stream.rewritten()
        const { position } = (await stream.find(1n))!
        await stream.rewrite(position, (payload) => Buffer.from(`${textOf(payload)}, erased, and longer than it was`))
        assert.equal(stream.rewritten(), before + 1)
        await reopen()
        const [first, second] = await stream.lease(10, neverAborted)
        assert.equal(textOf(first!.payload), 'one, erased, and longer than it was')
        assert.deepEqual([first!.position, first!.newIndexes], [position, [0, 1]])
        assert.equal(textOf(second!.payload), 'two')
        assert.equal((await stream.find(2n))?.index, 1)
        assert.deepEqual(await stream.append(entry([1n])), [false])
      })

      test('of an unknown body does nothing', async () => {
        await stream.rewrite(7, () => assert.fail('there is nothing to change'))
        assert.equal(await stream.read(7), undefined)
        assert.equal(stream.rewritten(), 0)
      })

      test('runs several changes of a body one after the other, each on the result of the one before', async () => {
        await stream.append(entry([1n], ''))
        const { position } = (await stream.find(1n))!
        const add = (text: string) => stream.rewrite(position, (payload) => Buffer.from(textOf(payload) + text))
        await Promise.all(['a', 'b', 'c'].map(add))
        assert.equal(textOf((await stream.read(position))!.payload), 'abc')
      })
    })

    describe('trim', () => {
      test('deletes older settled bodies, and neither younger nor unsettled ones', async () => {
        for (const n of [1, 2, 3, 4]) {
          at.now = start + n * dayMs
          await stream.append(entry([BigInt(n)], `body ${n}`))
        }
        const positions = (await stream.lease(10, neverAborted)).map(({ position }) => position)
        await stream.settle([positions[0]!, positions[1]!, positions[3]!])
        await stream.trim(start + 2 * dayMs)
        const left = await Promise.all(positions.map((position) => stream.read(position)))
        assert.deepEqual(
          left.map((body) => body !== undefined),
          [false, true, true, true],
        )
        assert.equal(await stream.waiting(), 1)
      })

      test('keeps bodies that are still needed, unless they are older than lastMs', async () => {
        const keys = Array.from({ length: 450 }, (_, n) => BigInt(n + 1))
        await stream.append(entry([1000n]))
        at.now = start + dayMs
        await Promise.all(keys.map((key) => stream.append(entry([key]))))
        const positions = (await stream.lease(1000, neverAborted)).map(({ position }) => position)
        await stream.settle(positions)
        const leases: number[][] = []
        const needed = async (from: number, to: number) => {
          leases.push([from, to])
          return [positions[0]!, positions[1]!, positions[300]!]
        }
        at.now = start + 3 * dayMs
        await stream.trim(start + 2 * dayMs, { lastMs: start + dayMs, needed })
        const left = await Promise.all(positions.map((position) => stream.read(position)))
        assert.deepEqual(
          left.flatMap((body, place) => (body ? [place] : [])),
          [1, 300],
        )
        assert.deepEqual([leases.flat().at(0), leases.flat().at(-1)], [positions[1], positions.at(-1)])
      })

      test('deletes any number of bodies, and later positions follow the last of them', async () => {
        const keys = Array.from({ length: 1000 }, (_, n) => BigInt(n + 1))
        await Promise.all(keys.map((key) => stream.append(entry([key]))))
        const positions = (await stream.lease(1000, neverAborted)).map(({ position }) => position)
        await stream.settle(positions)
        at.now = start + dayMs
        await stream.trim(at.now)
        assert.equal(await stream.read(positions[0]!), undefined)
        assert.equal(await stream.read(positions.at(-1)!), undefined)
        await reopen()
        await stream.append(entry([2000n], 'next'))
        const [next] = await stream.lease(1, neverAborted)
        assert.ok(next!.position > positions.at(-1)!)
      })

      test('deletes expired keys, and keeps those of seven days', async () => {
        await stream.append(entry([1n]))
        at.now = start + dayMs
        await stream.append(entry([2n]))
        at.now = start + 8 * dayMs
        await stream.trim(0)
        assert.equal(await stream.find(1n), undefined)
        assert.equal((await stream.find(2n))?.index, 0)
        assert.deepEqual(await stream.append(entry([1n, 2n])), [true, false])
      })
    })

    test('close keeps the appended bodies and refuses later appends', async () => {
      const appended = stream.append(entry([1n], 'last'))
      await Promise.all([appended, stream.close()])
      await assert.rejects(stream.append(entry([2n])), /closed/)
      stream = await storage.open(clock)
      assert.deepEqual(await lease(), ['last'])
    })
  })
}
