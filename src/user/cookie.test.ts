import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCookie, userCookie } from './cookie.ts'

const place = {
  host: 'd.example.com',
  path: '/t/tag_a',
  tag: { domain: 'example.com', sameSite: 'Lax' },
  development: false,
} as const

test('under the domain of the tag the cookie is of the whole domain, with the SameSite of the tag', () => {
  const expected = 'tag_user_id=usr_a; Domain=example.com; Path=/; Max-Age=34560000; SameSite=Lax; Secure'
  for (const host of ['d.example.com', 'example.com', 'D.Example.com:8443', 'a.b.example.com'])
    assert.equal(userCookie('usr_a', { ...place, host }), expected)
  const strict = { domain: 'example.com', sameSite: 'Strict' } as const
  assert.match(userCookie('usr_a', { ...place, tag: strict }), /; SameSite=Strict; Secure$/)
})

test('elsewhere the cookie is of the host alone, of the path of the tag URL, and partitioned', () => {
  const expected = 'tag_user_id=usr_a; Path=/t/tag_a; Max-Age=34560000; SameSite=None; Secure; Partitioned'
  for (const host of ['tags.aglet.test', 'badexample.com', 'example.com.evil.test', '', undefined])
    assert.equal(userCookie('usr_a', { ...place, host }), expected)
})

test('over plain http the cookie is not Secure, and SameSite=Lax', () => {
  const expected = 'tag_user_id=usr_a; Path=/t/tag_a; Max-Age=34560000; SameSite=Lax'
  assert.equal(userCookie('usr_a', { ...place, host: '127.0.0.1:4000', development: true }), expected)
})

test('a loopback domain is named in no cookie, because browsers refuse it', () => {
  for (const domain of ['localhost', '127.0.0.1']) {
    const tag = { domain, sameSite: 'None' } as const
    const cookie = userCookie('usr_a', { ...place, host: `${domain}:4000`, tag, development: true })
    assert.equal(cookie, 'tag_user_id=usr_a; Path=/; Max-Age=34560000; SameSite=Lax')
  }
})

test('a cookie that was set is read again', () => {
  assert.equal(readCookie(userCookie('usr_a', place)), 'usr_a')
  assert.equal(readCookie(undefined), undefined)
  assert.equal(readCookie('a=b'), undefined)
})

test('on a host name of the tag that is not under its domain the cookie is of that host, at every path', () => {
  const cookie = userCookie('usr_a', { ...place, host: 'd.shop.test', path: '' })
  assert.match(cookie, /^tag_user_id=usr_a; Path=\/; .*SameSite=None; Secure; Partitioned$/)
})
