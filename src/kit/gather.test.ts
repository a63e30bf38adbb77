import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gather, type Waiting } from './gather.ts'

type Group = readonly Waiting<number, string>[]
const anySize = { limit: 1000, weigh: () => 1 }

/** Work whose groups are let go one by one. */
function held() {
  const groups: number[][] = []
  const gates: PromiseWithResolvers<void>[] = []
  const work = async (group: Group) => {
    const gate = Promise.withResolvers<void>()
    groups.push(group.map(({ unit }) => unit))
    gates.push(gate)
    await gate.promise
    for (const { unit, resolve } of group) resolve(`done ${unit}`)
  }
  return { groups, work, letGo: (n: number) => gates[n]!.resolve() }
}

test('units of one turn make one group, and each gets its own answer', async () => {
  const { groups, work, letGo } = held()
  const gathering = gather(work, anySize)
  const answers = [1, 2, 3].map((unit) => gathering.add(unit))
  await turn()
  letGo(0)
  assert.deepEqual(await Promise.all(answers), ['done 1', 'done 2', 'done 3'])
  assert.deepEqual(groups, [[1, 2, 3]])
})

test('units that come while a group is worked on make the next one', async () => {
  const { groups, work, letGo } = held()
  const gathering = gather(work, anySize)
  const first = gathering.add(1)
  await turn()
  const rest = [2, 3].map((unit) => gathering.add(unit))
  await turn()
  assert.deepEqual(groups, [[1]])
  letGo(0)
  await first
  await turn()
  assert.deepEqual(groups, [[1], [2, 3]])
  letGo(1)
  await Promise.all(rest)
})

test('a group ends where it would become too heavy, and a unit that is too heavy goes alone', async () => {
  const groups: number[][] = []
  const work = async (group: Group) => {
    groups.push(group.map(({ unit }) => unit))
    for (const { resolve } of group) resolve('')
  }
  const gathering = gather(work, { limit: 10, weigh: (unit) => unit })
  await Promise.all([4, 6, 1, 99, 99, 10, 3, 3].map((unit) => gathering.add(unit)))
  assert.deepEqual(groups, [[4, 6], [1], [99], [99], [10], [3, 3]])
})

test('a group that fails rejects what it has not answered, and the next group is worked on', async () => {
  let fails = true
  const work = async (group: Group) => {
    group[0]!.resolve('answered')
    if (fails) throw new Error('disk full')
    for (const { resolve } of group) resolve('fine')
  }
  const gathering = gather(work, anySize)
  const [one, two] = await Promise.allSettled([gathering.add(1), gathering.add(2)])
  assert.equal(one?.status, 'fulfilled')
  assert.match(String(two?.status === 'rejected' && two.reason), /disk full/)
  fails = false
  assert.deepEqual(await Promise.all([gathering.add(3), gathering.add(4)]), ['answered', 'fine'])
})

test('closing waits for what came before and refuses what comes after', async () => {
  const { work, letGo } = held()
  const gathering = gather(work, anySize)
  const before = gathering.add(1)
  let closed = false
  const closing = gathering.close().then(() => {
    closed = true
  })
  await assert.rejects(gathering.add(2), /closed/)
  await turn()
  assert.equal(closed, false)
  letGo(0)
  await closing
  assert.equal(await before, 'done 1')
})
