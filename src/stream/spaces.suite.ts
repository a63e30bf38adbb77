import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Clock } from '#kit/clock.ts'
import { dayMs, entry, type StreamStorage, start, textOf } from './stream.fixture.ts'
import type { Stream } from './stream.ts'

/** The laws of every stream for events that are also checked against the keys of another id space. */
export function spaceLaws(adapter: string, makeStorage: () => Promise<StreamStorage>): void {
  describe(`an event on ${adapter} that is compared with the keys of another space`, () => {
    const at = { now: start }
    const clock: Clock = { now: () => at.now, wait: async () => {} }
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
    /** Two keys of one id: `own` is checked in its own space only, `both` in both spaces. */
    const [own, both] = [5n, 2n ** 63n + 5n]
    const inOwn = (payload?: string) => stream.append(entry([own], payload))
    const inBoth = (payload?: string) => stream.append(entry([both], payload, [own]))

    test('is a duplicate of an earlier event there, and stores no key in that space', async () => {
      assert.deepEqual(await inBoth(), [true])
      assert.deepEqual(await inOwn(), [true])
      assert.deepEqual([await inOwn(), await inBoth()], [[false], [false]])
      assert.deepEqual(await stream.append(entry([6n])), [true])
      assert.deepEqual(await stream.append(entry([2n ** 63n + 6n], 'body', [6n])), [false])
    })

    test('is found at its own place, as is the other event, also after a restart', async () => {
      await inBoth('one')
      await inOwn('other')
      await reopen()
      const texts = [own, both].map(async (key) => {
        const place = await stream.find(key)
        return textOf((await stream.read(place!.position))!.payload)
      })
      assert.deepEqual(await Promise.all(texts), ['other', 'one'])
      assert.deepEqual([await inOwn(), await inBoth()], [[false], [false]])
    })

    test('is decided by the order of arrival, also in one body and in concurrent appends', async () => {
      assert.deepEqual(await stream.append(entry([both, own, both], 'body', [own, 0n, own])), [true, true, false])
      assert.deepEqual(await stream.append(entry([7n, 8n, 9n], 'body', [0n, 7n, 0n])), [true, false, true])
      const moment = await Promise.all([
        stream.append(entry([10n])),
        stream.append(entry([11n, 12n], 'body', [10n, 13n])),
        stream.append(entry([13n])),
      ])
      assert.deepEqual(moment, [[true], [false, true], [true]])
    })

    test('is new again when the key of the other event has expired', async () => {
      await inOwn()
      at.now = start + 7 * dayMs
      assert.deepEqual(await inBoth(), [false])
      at.now = start + 8 * dayMs
      assert.deepEqual(await inBoth(), [true])
    })

    test('is refused where the numbers of keys and further keys differ', async () => {
      await assert.rejects(stream.append(entry([1n, 2n], 'body', [3n])), RangeError)
      assert.deepEqual(await stream.append(entry([1n, 2n])), [true, true])
    })
  })
}
