import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at } from '#store/store.fixture.ts'
import type { UserLookupKeys, UserWrite } from '#store/users.ts'
import { openRecordedUsers } from './recordedUsers.ts'

const email = new Uint8Array([1, 2])
const write = (userId: string, lookupKeys?: UserLookupKeys): UserWrite => ({
  user: { tagId: 'tag_1', userId, sealed: new Uint8Array([9]), seenAt: at },
  ...(lookupKeys && { lookupKeys }),
})

test('a user is read from its last write until that one has its rows', () => {
  const users = openRecordedUsers()
  const [first, second] = [write('usr_1'), write('usr_1')]
  users.put(first, 1)
  users.put(second, 2)
  assert.equal(users.get('tag_1', 'usr_1')?.version, 2)
  assert.equal(users.get('tag_2', 'usr_1'), undefined)
  users.forget([first])
  assert.equal(users.get('tag_1', 'usr_1')?.version, 2, 'the later write has no rows yet')
  users.forget([second])
  assert.equal(users.get('tag_1', 'usr_1'), undefined)
})

test('the rows of an e-mail are out of date until every write that names it has its rows', () => {
  const users = openRecordedUsers()
  const writes = [write('usr_1', { claims: [email] }), write('usr_2', { confirmed: [email] })]
  for (const each of writes) users.put(each, 1)
  for (const each of writes) {
    assert.ok(users.hasEmail(email))
    assert.ok(!users.hasEmail(new Uint8Array([3])))
    users.forget([each])
  }
  assert.ok(!users.hasEmail(email))
})

test('after a write that removes e-mails, the rows of every e-mail may be out of date', () => {
  const users = openRecordedUsers()
  const removal = write('usr_1', { isUnnamed: true })
  users.put(removal, 1)
  assert.ok(users.hasEmail(email))
  users.forget([removal])
  assert.ok(!users.hasEmail(email))
})

test('the rows of custom values are out of date after a write that has some', () => {
  const users = openRecordedUsers()
  const [named, custom] = [write('usr_1', { claims: [email] }), write('usr_1', { customs: [] })]
  users.put(named, 1)
  assert.ok(!users.hasCustoms())
  users.put(custom, 2)
  assert.ok(users.hasCustoms())
  users.forget([named, custom])
  assert.ok(!users.hasCustoms())
})
