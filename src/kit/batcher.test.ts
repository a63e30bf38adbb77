import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createBatcher, type PendingItem } from './batcher.ts'

type Group = readonly PendingItem<number, string>[]
const anySize = { limit: 1000, weigh: () => 1 }

/** Work whose groups are finished by the test, one by one. */
function controlledWork() {
  const groups: number[][] = []
  const gates: PromiseWithResolvers<void>[] = []
  const work = async (group: Group) => {
    const gate = Promise.withResolvers<void>()
    groups.push(group.map(({ unit }) => unit))
    gates.push(gate)
    await gate.promise
    for (const { unit, resolve } of group) resolve(`done ${unit}`)
  }
  return { groups, work, finish: (n: number) => gates[n]!.resolve() }
}

test('units of one turn of the event loop form one group, and each gets its own result', async () => {
  const { groups, work, finish } = controlledWork()
  const batcher = createBatcher(work, anySize)
  const answers = [1, 2, 3].map((unit) => batcher.add(unit))
  await nextTurn()
  finish(0)
  assert.deepEqual(await Promise.all(answers), ['done 1', 'done 2', 'done 3'])
  assert.deepEqual(groups, [[1, 2, 3]])
})

test('units that are added while a group is processed form the next group', async () => {
  const { groups, work, finish } = controlledWork()
  const batcher = createBatcher(work, anySize)
  const first = batcher.add(1)
  await nextTurn()
  const rest = [2, 3].map((unit) => batcher.add(unit))
  await nextTurn()
  assert.deepEqual(groups, [[1]])
  finish(0)
  await first
  await nextTurn()
  assert.deepEqual(groups, [[1], [2, 3]])
  finish(1)
  await Promise.all(rest)
})

test('a group is at most as heavy as the limit, and a heavier unit forms a group of its own', async () => {
  const groups: number[][] = []
  const work = async (group: Group) => {
    groups.push(group.map(({ unit }) => unit))
    for (const { resolve } of group) resolve('')
  }
  const batcher = createBatcher(work, { limit: 10, weigh: (unit) => unit })
  await Promise.all([4, 6, 1, 99, 99, 10, 3, 3].map((unit) => batcher.add(unit)))
  assert.deepEqual(groups, [[4, 6], [1], [99], [99], [10], [3, 3]])
})

test('a failed group rejects its unresolved units, and the next group is processed', async () => {
  let fails = true
  const work = async (group: Group) => {
    group[0]!.resolve('answered')
    if (fails) throw new Error('disk full')
    for (const { resolve } of group) resolve('fine')
  }
  const batcher = createBatcher(work, anySize)
  const [one, two] = await Promise.allSettled([batcher.add(1), batcher.add(2)])
  assert.equal(one?.status, 'fulfilled')
  assert.match(String(two?.status === 'rejected' && two.reason), /disk full/)
  fails = false
  assert.deepEqual(await Promise.all([batcher.add(3), batcher.add(4)]), ['answered', 'fine'])
})

test('close waits for earlier units and rejects later ones', async () => {
  const { work, finish } = controlledWork()
  const batcher = createBatcher(work, anySize)
  const before = batcher.add(1)
  let closed = false
  const closing = batcher.close().then(() => {
    closed = true
  })
  await assert.rejects(batcher.add(2), /closed/)
  await nextTurn()
  assert.equal(closed, false)
  finish(0)
  await closing
  assert.equal(await before, 'done 1')
})
