import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCookie, userCookie } from './userCookie.ts'

const cookieScope = {
  host: 'd.example.com',
  path: '',
  tag: { domain: 'example.com', sameSite: 'Lax' },
  development: false,
} as const

test('on a proved host under the domain of the tag the cookie is valid for the whole domain, with the SameSite of the tag', () => {
  const expected = 'tag_user_id=usr_a; Domain=example.com; Path=/; Max-Age=34560000; SameSite=Lax; Secure'
  for (const host of ['d.example.com', 'example.com', 'D.Example.com:8443', 'a.b.example.com'])
    assert.equal(userCookie('usr_a', { ...cookieScope, host }), expected)
  const strict = { domain: 'example.com', sameSite: 'Strict' } as const
  assert.match(userCookie('usr_a', { ...cookieScope, tag: strict }), /; SameSite=Strict; Secure$/)
})

test('below a tag URL the cookie is limited to the host and the path of that URL, whatever domain the tag names', () => {
  const expected = 'tag_user_id=usr_a; Path=/t/tag_a; Max-Age=34560000; SameSite=None; Secure; Partitioned'
  for (const host of ['d.example.com', 'example.com', 'tags.aglet.test', 'badexample.com', '', undefined])
    assert.equal(userCookie('usr_a', { ...cookieScope, host, path: '/t/tag_a' }), expected)
})

test('over plain http the cookie is SameSite=Lax and not Secure', () => {
  const expected = 'tag_user_id=usr_a; Path=/t/tag_a; Max-Age=34560000; SameSite=Lax'
  assert.equal(
    userCookie('usr_a', { ...cookieScope, host: '127.0.0.1:4000', path: '/t/tag_a', development: true }),
    expected,
  )
})

test('the cookie of a loopback domain has no Domain, because browsers refuse it', () => {
  for (const domain of ['localhost', '127.0.0.1']) {
    const tag = { domain, sameSite: 'None' } as const
    const cookie = userCookie('usr_a', { ...cookieScope, host: `${domain}:4000`, tag, development: true })
    assert.equal(cookie, 'tag_user_id=usr_a; Path=/; Max-Age=34560000; SameSite=Lax')
  }
})

test('the value of a set cookie is read again', () => {
  assert.equal(readCookie(userCookie('usr_a', cookieScope)), 'usr_a')
  assert.equal(readCookie(undefined), undefined)
  assert.equal(readCookie('a=b'), undefined)
})

test('on a host of the tag outside its domain the cookie is limited to that host, at every path', () => {
  const cookie = userCookie('usr_a', { ...cookieScope, host: 'd.shop.test' })
  assert.match(cookie, /^tag_user_id=usr_a; Path=\/; .*SameSite=None; Secure; Partitioned$/)
})
