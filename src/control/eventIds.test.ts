import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { type EventContext, sealRecord } from '#event/record.ts'
import type { TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { readEventIdsAt } from './eventIds.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const tag = { tagId: 'tag_1', teamId: 'team_1' } as TagRecord
const otherTag = { tagId: 'tag_2', teamId: 'team_1' } as TagRecord

/** A stream with `perBatch` events at each position; counts the reads of each position. */
function openStream(perBatch: number) {
  const reads = new Map<number, number>()
  let rewrites = 0
  let suffix = ''
  const context = { tagId: 'tag_1', teamId: 'team_1', userId: 'usr_1', receivedAt: 1 } as EventContext
  const stream = {
    rewritten: () => rewrites,
    async read(position: number) {
      reads.set(position, (reads.get(position) ?? 0) + 1)
      const events = Array.from({ length: perBatch }, (_, n) => ({ eventId: `${position}-${n}${suffix}` }))
      const body = Buffer.from(JSON.stringify(events))
      return { tagId: 'tag_1', payload: sealRecord([{ context, body }], tag, keys) }
    },
  }
  return {
    deps: { stream, keys } as unknown as ControlDeps,
    readsOf: (position: number) => reads.get(position) ?? 0,
    rewrite() {
      rewrites++
      suffix = ' rewritten'
    },
  }
}

test('the event ids of a batch are in order, and the batch is opened once for all that ask', async () => {
  const { deps, readsOf } = openStream(3)
  assert.deepEqual(await readEventIdsAt(deps, tag, 7), ['7-0', '7-1', '7-2'])
  assert.deepEqual(await readEventIdsAt(deps, tag, 7), ['7-0', '7-1', '7-2'])
  assert.equal(readsOf(7), 1)
})

test('after an erasure has rewritten batches, a batch is opened again', async () => {
  const { deps, rewrite } = openStream(1)
  await readEventIdsAt(deps, tag, 7)
  rewrite()
  assert.deepEqual(await readEventIdsAt(deps, tag, 7), ['7-0 rewritten'])
})

test('the ids of a batch are shown to its own tag only', async () => {
  const { deps } = openStream(2)
  await readEventIdsAt(deps, tag, 7)
  assert.deepEqual(await readEventIdsAt(deps, otherTag, 7), [])
  assert.deepEqual(await readEventIdsAt(deps, tag, 7), ['7-0', '7-1'])
})

test('at most 20,000 ids are kept, and the oldest batch goes first', async () => {
  const { deps, readsOf } = openStream(5_000)
  for (const position of [1, 2, 3, 4]) await readEventIdsAt(deps, tag, position)
  await readEventIdsAt(deps, tag, 1)
  assert.equal(readsOf(1), 1)
  await readEventIdsAt(deps, tag, 5)
  for (const position of [2, 3, 4, 5]) await readEventIdsAt(deps, tag, position)
  assert.deepEqual([2, 3, 4, 5].map(readsOf), [1, 1, 1, 1])
  await readEventIdsAt(deps, tag, 1)
  assert.equal(readsOf(1), 2)
})
