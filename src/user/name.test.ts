import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nameUser } from './name.ts'

const none = { header: undefined, cookie: undefined, query: '' }
const fresh = /^usr_[0-9a-hjkmnp-tv-z]{26}$/

test('the header names the user before the cookie, and the cookie before the query', () => {
  const all = { header: 'one', cookie: 'tag_user_id=two', query: 'userId=three' }
  assert.deepEqual(nameUser(all), { userId: 'one', presented: true })
  assert.deepEqual(nameUser({ ...all, header: undefined }), { userId: 'two', presented: true })
  const named = { userId: 'three', presented: true, fromQuery: true }
  assert.deepEqual(nameUser({ ...all, header: undefined, cookie: 'a=b' }), named)
})

test('a request that names nobody gets a fresh id, never the same', () => {
  const ids = Array.from({ length: 1_000 }, () => nameUser(none))
  assert.equal(new Set(ids.map(({ userId }) => userId)).size, 1_000)
  for (const { userId, presented } of ids) assert.ok(fresh.test(userId) && !presented)
})

test('an empty id, and one of no sane form, counts as none', () => {
  for (const header of ['', ' ', 'a b', 'a, b', 'x'.repeat(129), 'é', '<script>', 'a;b']) {
    assert.match(nameUser({ ...none, header }).userId, fresh)
    assert.equal(nameUser({ ...none, header, cookie: 'tag_user_id=two' }).userId, 'two')
  }
  assert.match(nameUser({ ...none, query: 'userId=' }).userId, fresh)
  assert.match(nameUser({ ...none, query: 'userid=x&UserId=y&%' }).userId, fresh)
})

test('the cookie is found among others, and not in the name of another', () => {
  const cookie = (text: string) => nameUser({ ...none, cookie: text }).userId
  assert.equal(cookie('a=b; tag_user_id=usr_1; c=d'), 'usr_1')
  assert.equal(cookie('a=b;tag_user_id=usr_1 '), 'usr_1')
  assert.match(cookie('not_tag_user_id=usr_1; tag_user_id_2=usr_2'), fresh)
  assert.match(cookie('a="tag_user_id=usr_1"'), fresh)
})

test('any sane id comes back as it was presented', () => {
  const ids = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/)
  fc.assert(
    fc.property(ids, (id) => {
      assert.equal(nameUser({ ...none, header: id }).userId, id)
      assert.equal(nameUser({ ...none, cookie: `x=y; tag_user_id=${id}` }).userId, id)
      assert.equal(nameUser({ ...none, query: `a=b&userId=${encodeURIComponent(id)}` }).userId, id)
    }),
  )
})

test('whatever is presented, the id is sane', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (header, cookie, query) => {
      assert.match(nameUser({ header, cookie, query }).userId, /^[A-Za-z0-9_.:-]{1,128}$/)
    }),
  )
})
