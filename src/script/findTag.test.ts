import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeploymentRecord } from '#store/store.ts'
import { aTag } from '../../test/fake/tag.ts'
import { findTag } from './findTag.ts'
import { createSnapshots } from './snapshot.ts'

const keys = { findTeamKey: async () => {} }
const snapshot = aTag([])
const record: DeploymentRecord = { tagId: 'tag_1', number: 1, createdAt: 1, by: 'tok_1', snapshot }

test('a tag that another process has just made is found in the store', async () => {
  const snapshots = createSnapshots()
  const store = { deployment: async () => record }
  assert.deepEqual(await findTag('tag_1', { store, snapshots, keys }), snapshot)
  assert.deepEqual(snapshots.get('tag_1'), snapshot)
})

test('a tag that is deleted while it is read does not stay', async () => {
  const snapshots = createSnapshots()
  const answers: (DeploymentRecord | undefined)[] = [record, undefined]
  const store = { deployment: async () => answers.shift() }
  assert.equal(await findTag('tag_1', { store, snapshots, keys }), undefined)
  assert.equal(snapshots.get('tag_1'), undefined)
})
