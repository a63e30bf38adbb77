import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Clock } from '#kit/clock.ts'
import { dayMs, entry, type StreamHome, start, textOf } from './stream.fixture.ts'
import type { Stream } from './stream.ts'

/** What every stream obeys where events are compared with the keys of another space of ids. */
export function spaceLaws(adapter: string, makeHome: () => Promise<StreamHome>): void {
  describe(`an event on ${adapter} that is compared with the keys of another space`, () => {
    const at = { now: start }
    const clock: Clock = { now: () => at.now, wait: async () => {} }
    let home: StreamHome
    let stream: Stream

    beforeEach(async () => {
      at.now = start
      home = await makeHome()
      stream = await home.open(clock)
    })
    afterEach(async () => {
      await stream.close()
      await home.remove()
    })
    const reopen = async () => {
      await stream.close()
      stream = await home.open(clock)
    }
    /** Two keys of one id: of the space that is compared with itself alone, and of the one that is compared with both. */
    const [own, both] = [5n, 2n ** 63n + 5n]
    const inOwn = (payload?: string) => stream.append(entry([own], payload))
    const inBoth = (payload?: string) => stream.append(entry([both], payload, [own]))

    test('is a repeat of one that came there before, and takes no key of that space itself', async () => {
      assert.deepEqual(await inBoth(), [true])
      assert.deepEqual(await inOwn(), [true])
      assert.deepEqual([await inOwn(), await inBoth()], [[false], [false]])
      assert.deepEqual(await stream.append(entry([6n])), [true])
      assert.deepEqual(await stream.append(entry([2n ** 63n + 6n], 'body', [6n])), [false])
    })

    test('is found beside the other, each at its own place, also after a restart', async () => {
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

    test('is decided by the order in which both came, also in one body and in one moment', async () => {
      assert.deepEqual(await stream.append(entry([both, own, both], 'body', [own, 0n, own])), [true, true, false])
      assert.deepEqual(await stream.append(entry([7n, 8n, 9n], 'body', [0n, 7n, 0n])), [true, false, true])
      const moment = await Promise.all([
        stream.append(entry([10n])),
        stream.append(entry([11n, 12n], 'body', [10n, 13n])),
        stream.append(entry([13n])),
      ])
      assert.deepEqual(moment, [[true], [false, true], [true]])
    })

    test('is fresh again when the day of the other is gone by', async () => {
      await inOwn()
      at.now = start + 7 * dayMs
      assert.deepEqual(await inBoth(), [false])
      at.now = start + 8 * dayMs
      assert.deepEqual(await inBoth(), [true])
    })

    test('has one other key for each key: anything else is refused', async () => {
      await assert.rejects(stream.append(entry([1n, 2n], 'body', [3n])), RangeError)
      assert.deepEqual(await stream.append(entry([1n, 2n])), [true, true])
    })
  })
}
