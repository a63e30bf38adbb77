import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { identifyCaller } from './callerIdentity.ts'

const none = { header: undefined, cookie: undefined, query: '' }
const newId = /^usr_[0-9a-hjkmnp-tv-z]{26}$/

test('the header takes precedence over the cookie, and the cookie over the query', () => {
  const all = { header: 'one', cookie: 'tag_user_id=two', query: 'userId=three' }
  assert.deepEqual(identifyCaller(all), { userId: 'one', hasExplicitUserId: true })
  assert.deepEqual(identifyCaller({ ...all, header: undefined }), { userId: 'two', hasExplicitUserId: true })
  const named = { userId: 'three', hasExplicitUserId: true, fromQuery: true }
  assert.deepEqual(identifyCaller({ ...all, header: undefined, cookie: 'a=b' }), named)
})

test('each request without a user id gets a new id', () => {
  const ids = Array.from({ length: 1_000 }, () => identifyCaller(none))
  assert.equal(new Set(ids.map(({ userId }) => userId)).size, 1_000)
  for (const { userId, hasExplicitUserId } of ids) assert.ok(newId.test(userId) && !hasExplicitUserId)
})

test('an empty or invalid id is ignored', () => {
  for (const header of ['', ' ', 'a b', 'a, b', 'x'.repeat(129), 'é', '<script>', 'a;b']) {
    assert.match(identifyCaller({ ...none, header }).userId, newId)
    assert.equal(identifyCaller({ ...none, header, cookie: 'tag_user_id=two' }).userId, 'two')
  }
  assert.match(identifyCaller({ ...none, query: 'userId=' }).userId, newId)
  assert.match(identifyCaller({ ...none, query: 'userid=x&UserId=y&%' }).userId, newId)
})

test('the cookie is found among others, and not inside another name or value', () => {
  const cookie = (text: string) => identifyCaller({ ...none, cookie: text }).userId
  assert.equal(cookie('a=b; tag_user_id=usr_1; c=d'), 'usr_1')
  assert.equal(cookie('a=b;tag_user_id=usr_1 '), 'usr_1')
  assert.match(cookie('not_tag_user_id=usr_1; tag_user_id_2=usr_2'), newId)
  assert.match(cookie('a="tag_user_id=usr_1"'), newId)
})

test('any valid id is used unchanged', () => {
  const ids = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/).filter((id) => id !== '.' && id !== '..')
  fc.assert(
    fc.property(ids, (id) => {
      assert.equal(identifyCaller({ ...none, header: id }).userId, id)
      assert.equal(identifyCaller({ ...none, cookie: `x=y; tag_user_id=${id}` }).userId, id)
      assert.equal(identifyCaller({ ...none, query: `a=b&userId=${encodeURIComponent(id)}` }).userId, id)
    }),
  )
})

test('the id is valid whatever the request holds', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (header, cookie, query) => {
      assert.match(identifyCaller({ header, cookie, query }).userId, /^[A-Za-z0-9_.:-]{1,128}$/)
    }),
  )
})

test('the ids . and .. count as none, because no client keeps them in a path', () => {
  for (const id of ['.', '..']) {
    assert.equal(new URL(`https://aglet.example/user/${id}`).pathname.includes(id), false)
    for (const from of [{ header: id }, { cookie: `tag_user_id=${id}` }, { query: `userId=${id}` }])
      assert.match(identifyCaller({ ...none, ...from }).userId, newId)
  }
  assert.equal(identifyCaller({ ...none, header: '...' }).userId, '...')
})
