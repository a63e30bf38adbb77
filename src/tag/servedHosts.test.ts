import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HostClaim } from '#store/store.ts'
import { createServedHosts } from './servedHosts.ts'

const proved = (host: string, tagId: string, provedAt = 5): HostClaim => ({
  ...{ host, tagId, claimedAt: 1, provedSince: provedAt, provedAt },
})

test('a host is served for the tag that proved its claim last, and not for one that only claims it', () => {
  const hosts = createServedHosts([
    proved('a.example', 'tag_1'),
    proved('a.example', 'tag_2', 6),
    { host: 'b.example', tagId: 'tag_1', claimedAt: 1 },
  ])
  assert.deepEqual(['a.example', 'b.example', 'c.example'].map(hosts.tagOf), ['tag_2', undefined, undefined])
  assert.deepEqual(hosts.claims(), [proved('a.example', 'tag_2', 6)])
})

test('a host is ready if it is served and DNS has a record of it', () => {
  const hosts = createServedHosts([
    proved('a.example', 'tag_1'),
    { ...proved('gone.example', 'tag_1'), isMissing: true },
    { host: 'b.example', tagId: 'tag_1', claimedAt: 1 },
  ])
  assert.deepEqual(['a.example', 'gone.example', 'b.example', 'c.example'].map(hosts.isReady), [
    true,
    false,
    false,
    false,
  ])
})

test('new claims to a host replace those before; without a proved one it is no longer served', () => {
  const hosts = createServedHosts([proved('a.example', 'tag_1')])
  hosts.put('a.example', [proved('a.example', 'tag_2')])
  assert.equal(hosts.tagOf('a.example'), 'tag_2')
  hosts.put('a.example', [{ host: 'a.example', tagId: 'tag_2', claimedAt: 1 }])
  assert.equal(hosts.tagOf('a.example'), undefined)
  assert.deepEqual(hosts.claims(), [])
})
