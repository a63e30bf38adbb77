import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeploymentRecord, HostClaim } from '#store/store.ts'
import { createServedHosts } from '#tag/servedHosts.ts'
import { aTag } from '../../test/fake/tag.ts'
import { findHost, findTag } from './findTag.ts'
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

const host = 'd.example.com'
const claim: HostClaim = { tagId: 'tag_1', host, claimedAt: 1, provedSince: 1, provedAt: 1 }
const withHost = { ...snapshot, number: 2, hosts: [host] }
const deployment = async () => ({ ...record, number: 2, snapshot: withHost })

/** A process that knows the tag without the host. `answers`: the claims that the store returns, in order. */
function beforeTheHost(...answers: HostClaim[][]) {
  const servedHosts = createServedHosts()
  const snapshots = createSnapshots([snapshot], servedHosts)
  const store = { deployment, hostClaims: async () => answers.shift() ?? [] }
  return { servedHosts, snapshots, store, keys }
}

test('a host that another process has just given to a tag is found, with the newest deployment of the tag', async () => {
  const deps = beforeTheHost([claim], [claim])
  assert.deepEqual(await findHost(host, deps), withHost)
  assert.deepEqual(deps.snapshots.byHost(host), withHost)
})

test('a host that nobody has proved, or that is lost while it is read, is not served', async () => {
  const unproved: HostClaim = { tagId: 'tag_1', host, claimedAt: 1 }
  for (const answers of [[], [[unproved], [unproved]], [[claim], []]]) {
    const deps = beforeTheHost(...answers)
    assert.equal(await findHost(host, deps), undefined)
    assert.equal(deps.snapshots.byHost(host), undefined)
  }
})
