import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServedHosts } from '#tag/servedHosts.ts'
import { aScript, aTag } from '../../test/fake/tag.ts'
import { createSnapshots } from './snapshot.ts'

test('a snapshot is live until a newer one replaces it; an older one never does', () => {
  const snapshots = createSnapshots([aTag([], { number: 2 })])
  snapshots.put(aTag([], { number: 1, name: 'old' }))
  assert.equal(snapshots.get('tag_1')?.name, 'shop')
  snapshots.put(aTag([], { number: 3, name: 'new' }))
  assert.equal(snapshots.get('tag_1')?.name, 'new')
})

test('a script is paused until it is resumed, whatever is deployed meanwhile', () => {
  const snapshots = createSnapshots([aTag([aScript('a'), aScript('b')])], createServedHosts(), ['a'])
  assert.deepEqual([snapshots.isPaused('a'), snapshots.isPaused('b'), snapshots.isPaused('c')], [true, false, false])
  snapshots.put(aTag([], { number: 2 }))
  snapshots.put(aTag([aScript('a')], { number: 3 }))
  assert.equal(snapshots.isPaused('a'), true)
  snapshots.setPaused('a', false)
  snapshots.setPaused('b', true)
  assert.deepEqual([snapshots.isPaused('a'), snapshots.isPaused('b')], [false, true])
})

test('a dropped tag is removed with its pauses, and others stay', () => {
  const tags = [aTag([aScript('a')]), aTag([aScript('b')], { tagId: 'tag_2' })]
  const snapshots = createSnapshots(tags, createServedHosts(), ['a', 'b'])
  snapshots.drop('tag_1')
  assert.equal(snapshots.get('tag_1'), undefined)
  assert.deepEqual([snapshots.isPaused('a'), snapshots.isPaused('b')], [false, true])
})

test('a host name belongs to the tag that DNS proves, as long as its live snapshot names the host', () => {
  const named = (tagId: string, number: number, ...hosts: string[]) => aTag([], { tagId, number, hosts })
  const claim = (tagId: string, provedAt?: number) => {
    const host = 'a.example'
    return { tagId, host, claimedAt: 1, ...(provedAt !== undefined && { provedSince: 1, provedAt }) }
  }
  const hosts = createServedHosts([claim('tag_1', 5), claim('tag_2')])
  const snapshots = createSnapshots(
    [named('tag_1', 1, 'a.example'), named('tag_2', 1, 'a.example', 'b.example')],
    hosts,
  )
  const owners = () => ['a.example', 'b.example', ''].map((host) => snapshots.byHost(host)?.tagId)
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
