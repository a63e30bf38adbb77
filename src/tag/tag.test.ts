import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#contract/fault.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { Conflict, type StoreChange } from '#store/store.ts'
import { createTag } from './tag.ts'

const by = { by: 'tok_1' }

function openTags(write: (changes: readonly StoreChange[]) => Promise<void> = async () => {}) {
  const live: Snapshot[] = []
  const deps = {
    clock: { now: () => 1_790_000_000_000 },
    store: { write },
    snapshots: { put: (snapshot: Snapshot) => void live.push(snapshot) },
    tagUrl: (tagId: string) => `https://aglet.example/${tagId}`,
  }
  return { live, create: () => createTag(deps, 'team_1', by, { name: 'Shop', domain: 'shop.example' }) }
}

test('a new tag is live at once, without scripts, as its first deployment', async () => {
  const written: StoreChange[] = []
  const { live, create } = openTags(async (changes) => void written.push(...changes))
  const { tagId, tagUrl } = await create()
  assert.equal(tagUrl, `https://aglet.example/${tagId}`)
  assert.deepEqual(
    live.map(({ number, scripts, teamId }) => ({ number, scripts, teamId })),
    [{ number: 1, scripts: [], teamId: 'team_1' }],
  )
  const stored = written.flatMap((change) => ('add' in change && change.add === 'deployment' ? [change.row] : []))
  assert.deepEqual(
    stored.map(({ number, snapshot }) => ({ number, snapshot })),
    [{ number: 1, snapshot: live[0] }],
  )
})

test('a name that a tag of the team already has is refused, and the tag is not live', async () => {
  const { live, create } = openTags(() => Promise.reject(new Conflict('tag.name')))
  await assert.rejects(create(), (error) => error instanceof Fault && error.code === 'NAME_TAKEN')
  assert.deepEqual(live, [])
})

test('any other error of the store is no fault of the name', async () => {
  for (const error of [new Conflict('other'), new Error('the disk is full')]) {
    const { live, create } = openTags(() => Promise.reject(error))
    await assert.rejects(create(), error)
    assert.deepEqual(live, [])
  }
})
