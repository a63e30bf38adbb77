import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AttemptName } from './attempts.ts'
import { at, type StoreLocation } from './store.fixture.ts'
import type { Store } from './store.ts'

const nameOf = (text: string, max: number): AttemptName => ({
  name: new Uint8Array(Buffer.from(text)),
  max,
  windowMs: 1_000,
})

/** The laws of every store for attempts to sign in. Two handles are open, like two processes. */
export function attemptLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('attempts to sign in', () => {
    let location: StoreLocation
    let handles: Store[]
    const attempts = (handle: number) => handles[handle % handles.length]!.attempts
    before(async () => {
      location = await createLocation()
      handles = [await location.open(), await location.open()]
    })
    after(async () => {
      for (const handle of handles) await handle.close()
      await location.remove()
    })

    test('of many attempts at once at all handles, the maximum is counted, and the others are told how long to wait', async () => {
      const name = nameOf('at once', 5)
      const waits = await Promise.all(Array.from({ length: 24 }, (_, n) => attempts(n).count(name, at)))
      assert.deepEqual(waits.toSorted(), [...Array(5).fill(0), ...Array(19).fill(1_000)])
      assert.equal(await attempts(1).count(name, at + 400), 600)
      assert.equal(await attempts(0).count(nameOf('another', 5), at), 0)
    })

    test('a window begins with its first attempt, and a new one after its end', async () => {
      const name = nameOf('window', 2)
      assert.deepEqual([await attempts(0).count(name, at), await attempts(1).count(name, at + 900)], [0, 0])
      assert.equal(await attempts(0).count(name, at + 999), 1)
      assert.deepEqual([await attempts(1).count(name, at + 1_000), await attempts(0).count(name, at + 1_500)], [0, 0])
      assert.equal(await attempts(1).count(name, at + 1_600), 400)
    })

    test('an attempt that is taken back counts no longer, and never less than none', async () => {
      const name = nameOf('undo', 2)
      for (const handle of [0, 1]) await attempts(handle).count(name, at)
      await attempts(1).undo(name.name)
      assert.deepEqual([await attempts(0).count(name, at), await attempts(0).count(name, at)], [0, 1_000])
      for (const handle of [0, 1, 0]) await attempts(handle).undo(name.name)
      assert.equal(await attempts(1).count(name, at + 300), 0)
      assert.equal(await attempts(0).count(name, at + 300), 0)
      assert.equal(await attempts(1).count(name, at + 300), 1_000, 'the window began with the first that counts')
    })

    test('attempts above the maximum of a slowed name wait longer each time, and for all handles together', async () => {
      const name = { ...nameOf('slowed', 2), delay: { firstMs: 100, maxMs: 500 } }
      const waits: number[] = []
      const first = await Promise.all(Array.from({ length: 9 }, (_, n) => attempts(n).count(name, at)))
      assert.deepEqual(first.toSorted(), [0, 0, ...Array(7).fill(100)])
      let now = at
      for (let n = 0; n < 5; n++) {
        const wait = await attempts(n).count(name, now)
        waits.push(wait)
        assert.equal(await attempts(n + 1).count(name, now + wait - 1), 1)
        now += wait
        assert.equal(await attempts(n).count(name, now), 0)
      }
      assert.deepEqual(waits, [100, 400, 500, 500, 500])
      now += 500 + 1_000
      for (const handle of [0, 1]) assert.equal(await attempts(handle).count(name, now), 0, 'and begins again')
    })

    test('a reset takes all attempts of a name back', async () => {
      const name = nameOf('reset', 1)
      await attempts(0).count(name, at)
      await attempts(1).reset(name.name)
      assert.equal(await attempts(0).count(name, at), 0)
    })

    test('what has expired is swept, and nothing else', async () => {
      const [old, young] = [nameOf('old', 1), nameOf('young', 1)]
      await attempts(0).count(old, at)
      await attempts(0).count(young, at + 500)
      await Promise.all([0, 1].map((handle) => attempts(handle).sweep(at + 1_000, 100)))
      assert.equal(await attempts(1).count(young, at + 900), 600)
      assert.equal(await attempts(1).count(old, at + 900), 0)
    })

    test('above the maximum of names those that expire first are swept', async () => {
      const names = Array.from({ length: 6 }, (_, n) => nameOf(`many ${n}`, 1))
      const later = at + 1_000_000
      for (const [n, name] of names.entries()) assert.equal(await attempts(n).count(name, later + n), 0)
      await attempts(0).sweep(later, 4)
      const waits = await Promise.all(names.map((name, n) => attempts(n).count(name, later + 6)))
      assert.deepEqual(
        waits.map((wait) => wait > 0),
        [false, false, true, true, true, true],
      )
    })
  })
}
