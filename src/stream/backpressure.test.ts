import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noMeter } from '#kit/meter.ts'
import {
  defaultOverloadLimits,
  findOverload,
  type IntakeGauges,
  meterOverload,
  openIntake,
  overloadCauses,
} from './backpressure.ts'

const megabyte = 1024 * 1024

/** An intake whose appends end when the test calls `commit`. */
function openTestIntake(limits = {}) {
  const open: (() => void)[] = []
  const append = () => new Promise<boolean[]>((resolve) => open.push(() => resolve([true])))
  const gaugesNow = { nowMs: 0, free: 1e9 }
  const deps = { clock: { now: () => gaugesNow.nowMs }, freeBytes: () => gaugesNow.free, limits }
  return { intake: openIntake({ append }, deps), gaugesNow, commit: () => open.shift()!() }
}
const entry = (bytes: number) => ({ tagId: 'tag_1', payload: new Uint8Array(bytes), keys: [1n] })

test('nothing is refused while commits succeed', async () => {
  const { intake, commit } = openTestIntake()
  assert.equal(intake.retryAfterSeconds(), undefined)
  const appended = intake.append(entry(10))
  assert.equal(intake.retryAfterSeconds(), undefined)
  commit()
  assert.deepEqual(await appended, [true])
  assert.equal(intake.retryAfterSeconds(), undefined)
})

test('events are refused while too many bytes are not on disk', async () => {
  const { intake, commit } = openTestIntake({ openBytes: 100 })
  const appended = [intake.append(entry(60)), intake.append(entry(60))]
  assert.equal(intake.retryAfterSeconds(), 1)
  commit()
  await appended[0]
  assert.equal(intake.retryAfterSeconds(), undefined)
  commit()
})

test('events are refused after five seconds without a commit, until the next commit', async () => {
  const { intake, gaugesNow, commit } = openTestIntake()
  const appended = intake.append(entry(1))
  gaugesNow.nowMs = 5_001
  assert.equal(intake.retryAfterSeconds(), 1)
  commit()
  await appended
  assert.equal(intake.retryAfterSeconds(), undefined)
})

test('the time without a commit begins with the first event that waits, and again with each commit', async () => {
  const { intake, gaugesNow, commit } = openTestIntake()
  gaugesNow.nowMs = 1_000_000
  assert.equal(intake.overload(), undefined)
  const appended = [intake.append(entry(1))]
  gaugesNow.nowMs += 4_000
  appended.push(intake.append(entry(1)))
  gaugesNow.nowMs += 1_000
  assert.equal(intake.overload(), undefined)
  gaugesNow.nowMs += 1
  assert.equal(intake.overload()?.pressure, 'commit')
  commit()
  await appended[0]
  gaugesNow.nowMs += 5_000
  assert.equal(intake.overload(), undefined)
  gaugesNow.nowMs += 1
  assert.equal(intake.overload()?.pressure, 'commit', 'the other one still waits')
  commit()
  await appended[1]
  gaugesNow.nowMs += 100_000
  assert.equal(intake.overload(), undefined, 'nothing waits')
  void intake.append(entry(1))
  assert.equal(intake.overload(), undefined)
  gaugesNow.nowMs += 5_001
  assert.equal(intake.overload()?.pressure, 'commit')
})

test('a nearly full disk has a longer Retry-After', () => {
  const { intake, gaugesNow } = openTestIntake({ freeBytes: 1_000 })
  gaugesNow.free = 999
  assert.equal(intake.retryAfterSeconds(), 30)
})

test('a failed append no longer counts as open bytes', async () => {
  const deps = { clock: { now: () => 0 }, freeBytes: () => 1e9, limits: { openBytes: 1 } }
  const intake = openIntake({ append: () => Promise.reject(new Error('disk')) }, deps)
  await assert.rejects(intake.append(entry(10)), /disk/)
  assert.equal(intake.retryAfterSeconds(), undefined)
})

const idle: IntakeGauges = { openBytes: 0, commitAgeMs: 0, loopDelayMs: 0, freeBytes: 1e12 }
const gauges = fc.record({
  openBytes: fc.nat(2 ** 31 - 1),
  commitAgeMs: fc.nat(20_000),
  loopDelayMs: fc.nat(5_000),
  freeBytes: fc.nat(2 ** 31 - 1),
})

test('events are refused exactly while a gauge exceeds its limit, and the overload names the cause', () => {
  fc.assert(
    fc.property(gauges, (now) => {
      const beyond = {
        disk: now.freeBytes < defaultOverloadLimits.freeBytes,
        commit: now.commitAgeMs > defaultOverloadLimits.commitAgeMs,
        memory: now.openBytes > defaultOverloadLimits.openBytes,
        eventLoop: now.loopDelayMs > defaultOverloadLimits.loopDelayMs,
      }
      const overload = findOverload(now, defaultOverloadLimits)
      assert.equal(overload === undefined, !Object.values(beyond).includes(true))
      if (!overload) return
      assert.equal(
        overload.pressure,
        overloadCauses.find((each) => beyond[each]),
      )
      assert.ok(overload.afterSeconds >= 1 && overload.message.length > 0)
    }),
  )
})

test('a gauge at its limit causes no overload, one beyond it does', () => {
  const limits = { openBytes: 64 * megabyte, commitAgeMs: 5_000, loopDelayMs: 1_000, freeBytes: 64 * megabyte }
  assert.deepEqual(defaultOverloadLimits, limits)
  assert.equal(findOverload(limits, limits), undefined)
  const beyond = (more: Partial<IntakeGauges>) => {
    const { pressure, afterSeconds } = findOverload({ ...limits, ...more }, limits)!
    return [pressure, afterSeconds]
  }
  assert.deepEqual(beyond({ freeBytes: limits.freeBytes - 1 }), ['disk', 30])
  assert.deepEqual(beyond({ commitAgeMs: limits.commitAgeMs + 1 }), ['commit', 1])
  assert.deepEqual(beyond({ openBytes: limits.openBytes + 1 }), ['memory', 1])
  assert.deepEqual(beyond({ loopDelayMs: limits.loopDelayMs + 1 }), ['eventLoop', 1])
})

test('lower gauges never cause an overload', () => {
  fc.assert(
    fc.property(gauges, gauges, (one, other) => {
      const better: IntakeGauges = {
        openBytes: Math.min(one.openBytes, other.openBytes),
        commitAgeMs: Math.min(one.commitAgeMs, other.commitAgeMs),
        loopDelayMs: Math.min(one.loopDelayMs, other.loopDelayMs),
        freeBytes: Math.max(one.freeBytes, other.freeBytes),
      }
      if (findOverload(better, defaultOverloadLimits))
        assert.ok(findOverload(one, defaultOverloadLimits) && findOverload(other, defaultOverloadLimits))
    }),
  )
})

test('each cause of overload has its own message', () => {
  const why = (more: Partial<IntakeGauges>) => findOverload({ ...idle, ...more }, defaultOverloadLimits)?.message
  assert.equal(why({ freeBytes: 12e6 }), 'the disk has 11 MB left, less than 64 MB (AGLET_MIN_FREE_MB)')
  assert.equal(why({ commitAgeMs: 6_000 }), 'no event has been confirmed as stored for 6000 ms')
  assert.equal(why({ openBytes: 80e6 }), '76 MB of events are waiting for the disk')
  assert.equal(why({ loopDelayMs: 2_000 }), 'the event loop is 2000 ms late')
})

test('the bytes of a request count until they are released, and are released once', () => {
  const { intake } = openTestIntake({ openBytes: 100 })
  const [one, other] = [intake.countMemory('tag_1'), intake.countMemory('tag_1')]
  one.add(60)
  other.add(60)
  assert.deepEqual([intake.retryAfterSeconds(), intake.isFull('tag_1')], [1, false])
  other.add(80)
  assert.equal(intake.isFull('tag_1'), false)
  other.add(1)
  assert.equal(intake.isFull('tag_1'), true)
  other.release()
  other.release()
  assert.deepEqual([intake.retryAfterSeconds(), intake.isFull('tag_1')], [undefined, false])
  other.add(40)
  assert.equal(intake.retryAfterSeconds(), undefined)
  other.add(1)
  assert.equal(intake.retryAfterSeconds(), 1, 'the bytes of the first one still count')
})

/** An intake of two shards: `tag_0` lies on the first, `tag_1` on the second. Appends of the first end by `commit`. */
function openShardedIntake(limits = {}) {
  const open: (() => void)[] = []
  const append = ({ tagId }: { tagId: string }) =>
    tagId === 'tag_1' ? new Promise<boolean[]>(() => {}) : new Promise<boolean[]>((end) => open.push(() => end([true])))
  const time = { nowMs: 0 }
  const shards = { count: 2, ofTag: (tagId: string) => Number(tagId.slice(4)) }
  const intake = openIntake({ append }, { clock: { now: () => time.nowMs }, freeBytes: () => 1e9, limits, shards })
  return { intake, time, commit: () => open.shift()!() }
}

test('slow senders of one team do not have another team refused, and a team alone may use all memory', () => {
  const limits = { openBytes: 1_000 }
  const teamOf = (tagId: string) => tagId.slice(0, 6)
  const deps = { clock: { now: () => 0 }, freeBytes: () => 1e9, limits, teamOf }
  const intake = openIntake({ append: async () => [] }, deps)
  const slow = Array.from({ length: 10 }, (_, n) => intake.countMemory(`team_1 ${n}`))
  for (const each of slow) each.add(100)
  assert.equal(intake.retryAfterSeconds('team_1 0'), undefined)
  slow[0]!.add(1)
  assert.equal(intake.retryAfterSeconds('team_1 10'), 1, 'another tag of the team')
  assert.equal(intake.retryAfterSeconds('team_2 0'), undefined)
  const other = intake.countMemory('team_2 0')
  other.add(250)
  assert.equal(intake.retryAfterSeconds('team_2 0'), undefined)
  other.add(1)
  assert.equal(intake.retryAfterSeconds('team_2 0'), 1, 'it holds more than a small part now')
  for (const each of slow) each.release()
  assert.equal(intake.retryAfterSeconds('team_2 0'), undefined)
  assert.equal(intake.retryAfterSeconds('team_1 0'), undefined)
})

test('a team that uses little memory has half of it as a reserve; without teams, each tag has', () => {
  const deps = { clock: { now: () => 0 }, freeBytes: () => 1e9, limits: { openBytes: 1_000 } }
  const intake = openIntake({ append: async () => [] }, deps)
  const loud = intake.countMemory('tag_1')
  loud.add(1_500)
  assert.deepEqual([intake.retryAfterSeconds('tag_1'), intake.retryAfterSeconds('tag_2')], [1, undefined])
  loud.add(1)
  assert.equal(intake.retryAfterSeconds('tag_2'), 1)
})

test('a shard that stores nothing for five seconds has its own tags refused, and no others', async () => {
  const { intake, time, commit } = openShardedIntake()
  void intake.append({ ...entry(1), tagId: 'tag_1' })
  time.nowMs = 5_001
  assert.equal(intake.overload('tag_1')?.pressure, 'commit')
  assert.deepEqual([intake.retryAfterSeconds('tag_0'), intake.retryAfterSeconds()], [undefined, undefined])
  const appended = intake.append({ ...entry(1), tagId: 'tag_0' })
  commit()
  await appended
  assert.equal(intake.retryAfterSeconds('tag_1'), 1, 'a commit of another shard is none of this one')
  void intake.append({ ...entry(1), tagId: 'tag_0' })
  time.nowMs = 10_002
  assert.equal(intake.overload()?.pressure, 'commit', 'no shard stores anything')
})

test('a shard that stores nothing fills a part of the memory, and leaves the rest to the others', () => {
  const { intake } = openShardedIntake({ openBytes: 300 })
  const waits = intake.countMemory('tag_1')
  waits.add(100)
  assert.equal(intake.overload('tag_1'), undefined)
  waits.add(1)
  assert.equal(intake.overload('tag_1')?.pressure, 'memory')
  assert.deepEqual([intake.isFull('tag_1'), intake.retryAfterSeconds('tag_0')], [false, undefined])
  waits.add(99)
  assert.equal(intake.isFull('tag_1'), false)
  waits.add(1)
  assert.deepEqual([intake.isFull('tag_1'), intake.isFull('tag_0')], [true, false])
  assert.equal(intake.retryAfterSeconds('tag_0'), undefined)
  waits.release()
  assert.deepEqual([intake.retryAfterSeconds('tag_1'), intake.isFull('tag_1')], [undefined, false])
})

test('events are refused while the event loop is late', () => {
  let delayMs = 2_000
  const deps = { clock: { now: () => 0 }, freeBytes: () => 1e9, loopDelayMs: () => delayMs }
  const intake = openIntake({ append: async () => [] }, deps)
  assert.equal(intake.overload()?.pressure, 'eventLoop')
  delayMs = 3
  assert.equal(intake.overload(), undefined)
})

test('the metrics name the cause for which events are refused, and the free space on the disk', () => {
  const { intake, gaugesNow } = openTestIntake()
  const read = new Map<string, () => number>()
  const gauge = (name: string, _help: string, value: () => number, labels: Record<string, string> = {}) =>
    void read.set(String(labels.pressure ?? name), value)
  meterOverload(intake, { ...noMeter, gauge }, {})
  const metrics = () => Object.fromEntries([...read].map(([name, value]) => [name, value()]))
  const none = { disk: 0, commit: 0, memory: 0, eventLoop: 0 }
  assert.deepEqual(metrics(), { aglet_disk_free_bytes: 1e9, ...none })
  gaugesNow.free = 1
  assert.deepEqual(metrics(), { aglet_disk_free_bytes: 1, ...none, disk: 1 })
})
