import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Gauges, meterOverload, overloadOf, pressures, usualLimits, watchIntake } from './overload.ts'

/** A stream whose appends end when the test says so. */
function opened(limits = {}) {
  const open: (() => void)[] = []
  const append = () => new Promise<boolean[]>((resolve) => open.push(() => resolve([true])))
  const world = { nowMs: 0, free: 1e9 }
  const on = { clock: { now: () => world.nowMs }, freeBytes: () => world.free, limits }
  return { intake: watchIntake({ append }, on), world, commit: () => open.shift()!() }
}
const entry = (bytes: number) => ({ tagId: 'tag_1', payload: new Uint8Array(bytes), keys: [1n] })

test('while commits come back nothing is refused', async () => {
  const { intake, commit } = opened()
  assert.equal(intake.busy(), undefined)
  const appended = intake.append(entry(10))
  assert.equal(intake.busy(), undefined)
  commit()
  assert.deepEqual(await appended, [true])
  assert.equal(intake.busy(), undefined)
})

test('too many bytes on their way are refused until they are on disk', async () => {
  const { intake, commit } = opened({ openBytes: 100 })
  const appended = [intake.append(entry(60)), intake.append(entry(60))]
  assert.equal(intake.busy(), 1)
  commit()
  await appended[0]
  assert.equal(intake.busy(), undefined)
  commit()
})

test('a disk that confirms nothing for five seconds is refused, and taken again when it does', async () => {
  const { intake, world, commit } = opened()
  const appended = intake.append(entry(1))
  world.nowMs = 5_001
  assert.equal(intake.busy(), 1)
  commit()
  await appended
  assert.equal(intake.busy(), undefined)
})

test('a disk that is nearly full is refused for longer', () => {
  const { intake, world } = opened({ freeBytes: 1_000 })
  world.free = 999
  assert.equal(intake.busy(), 30)
})

test('an append that fails is no longer on its way', async () => {
  const on = { clock: { now: () => 0 }, freeBytes: () => 1e9, limits: { openBytes: 1 } }
  const intake = watchIntake({ append: () => Promise.reject(new Error('disk')) }, on)
  await assert.rejects(intake.append(entry(10)), /disk/)
  assert.equal(intake.busy(), undefined)
})

const idle: Gauges = { openBytes: 0, commitAgeMs: 0, loopDelayMs: 0, freeBytes: 1e12 }
const gauges = fc.record({
  openBytes: fc.nat(2 ** 31 - 1),
  commitAgeMs: fc.nat(20_000),
  loopDelayMs: fc.nat(5_000),
  freeBytes: fc.nat(2 ** 31 - 1),
})

test('events are refused exactly while something is beyond its limit, and the answer says what', () => {
  fc.assert(
    fc.property(gauges, (now) => {
      const beyond = {
        disk: now.freeBytes < usualLimits.freeBytes,
        commit: now.commitAgeMs > usualLimits.commitAgeMs,
        memory: now.openBytes > usualLimits.openBytes,
        eventLoop: now.loopDelayMs > usualLimits.loopDelayMs,
      }
      const told = overloadOf(now, usualLimits)
      assert.equal(told === undefined, !Object.values(beyond).includes(true))
      if (!told) return
      assert.equal(
        told.pressure,
        pressures.find((each) => beyond[each]),
      )
      assert.ok(told.afterSeconds >= 1 && told.why.length > 0)
    }),
  )
})

test('less of everything never makes it refuse', () => {
  fc.assert(
    fc.property(gauges, gauges, (one, other) => {
      const better: Gauges = {
        openBytes: Math.min(one.openBytes, other.openBytes),
        commitAgeMs: Math.min(one.commitAgeMs, other.commitAgeMs),
        loopDelayMs: Math.min(one.loopDelayMs, other.loopDelayMs),
        freeBytes: Math.max(one.freeBytes, other.freeBytes),
      }
      if (overloadOf(better, usualLimits)) assert.ok(overloadOf(one, usualLimits) && overloadOf(other, usualLimits))
    }),
  )
})

test('each pressure is told in a sentence of its own', () => {
  const why = (more: Partial<Gauges>) => overloadOf({ ...idle, ...more }, usualLimits)?.why
  assert.equal(why({ freeBytes: 12e6 }), 'the disk has 11 MB left, less than 64 MB (AGLET_MIN_FREE_MB)')
  assert.equal(why({ commitAgeMs: 6_000 }), 'the disk has confirmed nothing for 6000 ms')
  assert.equal(why({ openBytes: 80e6 }), '76 MB of events are on their way to the disk')
  assert.equal(why({ loopDelayMs: 2_000 }), 'the event loop comes 2000 ms late')
})

test('what a request brings counts until it is let go, once', () => {
  const { intake } = opened({ openBytes: 100 })
  const [one, other] = [intake.hold(), intake.hold()]
  one.add(60)
  other.add(60)
  assert.deepEqual([intake.busy(), intake.isFull()], [1, false])
  other.add(100)
  assert.equal(intake.isFull(), true)
  other.letGo()
  other.letGo()
  assert.deepEqual([intake.busy(), intake.isFull()], [undefined, false])
})

test('an event loop that comes late is refused for, and taken again at once when it does not', () => {
  let delayMs = 2_000
  const on = { clock: { now: () => 0 }, freeBytes: () => 1e9, loopDelayMs: () => delayMs }
  const intake = watchIntake({ append: async () => [] }, on)
  assert.equal(intake.overload()?.pressure, 'eventLoop')
  delayMs = 3
  assert.equal(intake.overload(), undefined)
})

test('the metrics page says by what events are refused, and how much room the disk has', () => {
  const { intake, world } = opened()
  const read = new Map<string, () => number>()
  const gauge = (name: string, _help: string, value: () => number, labels: Record<string, string> = {}) =>
    void read.set(labels.pressure ?? name, value)
  meterOverload(intake, { counter: () => ({ add() {} }), gauge }, {})
  const shown = () => Object.fromEntries([...read].map(([name, value]) => [name, value()]))
  const none = { disk: 0, commit: 0, memory: 0, eventLoop: 0 }
  assert.deepEqual(shown(), { aglet_disk_free_bytes: 1e9, ...none })
  world.free = 1
  assert.deepEqual(shown(), { aglet_disk_free_bytes: 1, ...none, disk: 1 })
})
