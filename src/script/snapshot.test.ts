import assert from 'node:assert/strict'
import { test } from 'node:test'
import { servedHosts } from '#tag/servedHosts.ts'
import { aScript, aTag } from '../../test/fake/tag.ts'
import { liveSnapshots } from './snapshot.ts'

const paused = (scriptId: string) => aScript(scriptId, { paused: true })

test('a snapshot is live until a newer one is put; an older one never replaces it', () => {
  const snapshots = liveSnapshots([aTag([], { number: 2 })])
  snapshots.put(aTag([], { number: 1, name: 'old' }))
  assert.equal(snapshots.get('tag_1')?.name, 'shop')
  snapshots.put(aTag([], { number: 3, name: 'new' }))
  assert.equal(snapshots.get('tag_1')?.name, 'new')
})

test('a script is paused as the live snapshot of its tag says', () => {
  const snapshots = liveSnapshots([aTag([paused('a'), aScript('b')])])
  assert.deepEqual([snapshots.isPaused('a'), snapshots.isPaused('b'), snapshots.isPaused('c')], [true, false, false])
  snapshots.put(aTag([aScript('a'), paused('b')], { number: 2 }))
  assert.deepEqual([snapshots.isPaused('a'), snapshots.isPaused('b')], [false, true])
  snapshots.put(aTag([], { number: 3 }))
  assert.equal(snapshots.isPaused('b'), false)
})

test('a tag that is dropped is gone with its pauses, and others stay', () => {
  const snapshots = liveSnapshots([aTag([paused('a')]), aTag([paused('b')], { tagId: 'tag_2' })])
  snapshots.drop('tag_1')
  assert.equal(snapshots.get('tag_1'), undefined)
  assert.deepEqual([snapshots.isPaused('a'), snapshots.isPaused('b')], [false, true])
})

test('a host name leads to the tag that DNS has shown, while the tag that is live names it', () => {
  const named = (tagId: string, number: number, ...hosts: string[]) => aTag([], { tagId, number, hosts })
  const claim = (tagId: string, provedAt?: number) => {
    const host = 'a.example'
    return { tagId, host, claimedAt: 1, ...(provedAt !== undefined && { provedSince: 1, provedAt }) }
  }
  const hosts = servedHosts([claim('tag_1', 5), claim('tag_2')])
  const snapshots = liveSnapshots([named('tag_1', 1, 'a.example'), named('tag_2', 1, 'a.example', 'b.example')], hosts)
  const owners = () => ['a.example', 'b.example', ''].map((host) => snapshots.ofHost(host)?.tagId)
  assert.deepEqual(owners(), ['tag_1', undefined, undefined])
  assert.deepEqual([hosts.isReady('a.example'), hosts.isReady('b.example')], [true, false])
  hosts.put('a.example', [claim('tag_1', 5), claim('tag_2', 6)])
  assert.deepEqual(owners(), ['tag_2', undefined, undefined])
  snapshots.put(named('tag_2', 2, 'b.example'))
  assert.deepEqual(owners(), [undefined, undefined, undefined], 'it no longer names it')
  hosts.put('a.example', [claim('tag_1', 6)])
  assert.deepEqual(owners(), ['tag_1', undefined, undefined])
  snapshots.drop('tag_1')
  assert.deepEqual(owners(), [undefined, undefined, undefined])
  hosts.put('a.example', [{ ...claim('tag_2', 7), isMissing: true }])
  assert.equal(hosts.isReady('a.example'), false)
  hosts.put('a.example', [])
  assert.equal(hosts.tagOf('a.example'), undefined)
})
