import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCheckpoints } from './checkpoints.ts'
import { openKeyIndex } from './keyIndex.ts'
import { openRecentBodies } from './recentBodies.ts'
import { openSettledPositions } from './settledPositions.ts'
import type { IndexCommand, IndexReply } from './streamIndex.ts'

/** A stream with the bodies 1 to `stored` on disk, whose index records the commands that it gets. */
function createStream(stored: number) {
  const asked: IndexCommand[] = []
  const recent = openRecentBodies()
  const keys = openKeyIndex({ find: () => undefined })
  const state = { last: stored, indexed: 0, settled: openSettledPositions(0, []), corrupt: [] }
  const store = (position: number) => {
    state.last = Math.max(state.last, position)
    const place = { segment: 1, offset: 100 * position, length: 10 }
    recent.add({ position, tagId: 'tag_1', appendedAt: 0, newIndexes: [0], payload: new Uint8Array(10), place })
    keys.add(BigInt(position), position * 512)
  }
  for (let position = 1; position <= stored; position++) store(position)
  const gate = Promise.withResolvers<void>()
  const checkpoints = openCheckpoints({
    log: { end: () => ({ segment: 1, offset: 10_000 }) },
    index: {
      async ask(message: IndexCommand): Promise<IndexReply> {
        asked.push(message)
        return { segments: [] }
      },
    },
    keys,
    recent,
    state,
    clock: { now: () => 0 },
    appended: () => gate.promise,
    betweenErasures: async (work) => work(),
  })
  return { asked, checkpoints, keys, recent, state, store, gate }
}

const checkpointOf = (asked: readonly IndexCommand[]) =>
  asked.flatMap((command) => ('checkpoint' in command ? [command] : [])).at(-1)!

test('the key of a body that fails is not written, though it was taken before the checkpoint', async () => {
  const { asked, checkpoints, keys, state, gate } = createStream(2)
  keys.add(3n, 3 * 512)
  state.last = 3
  const written = checkpoints.checkpoint()
  await new Promise(setImmediate)
  assert.deepEqual(asked, [], 'the index waits for the bodies in flight')
  keys.giveBack([3n])
  gate.resolve()
  await written
  const { keys: tables, checkpoint } = checkpointOf(asked)
  assert.deepEqual(
    tables.map(({ pairs }) => pairs.length / 4),
    [2],
  )
  assert.equal(checkpoint.position, 2, 'a body that is in flight is not counted as stored')
})

test('a body that was stored meanwhile stands in the index with its key in memory', async () => {
  const { asked, checkpoints, keys, recent, state, store, gate } = createStream(2)
  const written = checkpoints.checkpoint()
  await new Promise(setImmediate)
  store(3)
  gate.resolve()
  await written
  assert.equal(checkpointOf(asked).checkpoint.position, 3)
  assert.deepEqual([state.indexed, recent.all().length, keys.find(1n), keys.find(3n)], [3, 0, undefined, 1536])
})

test('the position of the index does not fall when an old body is the last one that was moved', async () => {
  const { checkpoints, recent, state, store, gate } = createStream(5)
  gate.resolve()
  await checkpoints.checkpoint()
  store(6)
  recent.add({ ...recent.get(6)!, position: 2 })
  await checkpoints.checkpoint()
  assert.equal(state.indexed, 6)
})
