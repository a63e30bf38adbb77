import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchIntake } from './overload.ts'

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
