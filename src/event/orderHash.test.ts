import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { orderHash } from './orderHash.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const hashOf = (orderId: unknown, tagId = 'tag_1') => orderHash({ tagId, teamId: 'team_1' }, orderId, keys)

test('the ways to write one order id have one hash, which differs for each tag and order', () => {
  const hash = hashOf('1001')
  assert.match(hash!, /^[0-9a-f]+$/)
  for (const same of [1001, ' #1001', 'gid://shopify/Order/1001?key=x']) assert.equal(hashOf(same), hash)
  assert.notEqual(hashOf('1002'), hash)
  assert.notEqual(hashOf('1001', 'tag_2'), hash)
})

test('a value that is no order id has no hash', () => {
  for (const none of ['', '#', ' ', null, undefined, true, {}, ['1001']]) assert.equal(hashOf(none), undefined)
})
