import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDomain, parseOrigins } from './domain.ts'

for (const text of [
  'example.com',
  'Shop.Example.CO.UK',
  'xn--bcher-kva.example',
  'localhost',
  'a.localhost',
  '127.0.0.1',
]) {
  test(`${text} is a domain, kept in lower case`, () =>
    assert.deepEqual(parseDomain(text), { domain: text.toLowerCase() }))
}

const none = [
  '',
  '.',
  'com',
  'example.com.',
  '.example.com',
  'a..b',
  '-a.com',
  'a-.com',
  'https://example.com',
  'a.com/x',
]
for (const text of [...none, 'a.com:80', 'user@a.com', 'a b.com', '10.0.0.1', '1.2.3', `${'a'.repeat(64)}.com`]) {
  test(`"${text}" is not a domain`, () => {
    const read = parseDomain(text)
    assert.ok('issues' in read && read.issues[0]?.path === 'domain')
  })
}

test('a domain is always a host that a URL leaves unchanged', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zA-Z0-9.-]{1,40}$/), (text) => {
      const read = parseDomain(text)
      if ('domain' in read) assert.equal(new URL(`http://${read.domain}`).hostname, read.domain)
    }),
  )
})

test('origins are kept as browsers send them, each once', () => {
  const read = parseOrigins(['https://Shop.Example.com:443', 'https://shop.example.com', 'http://localhost:3000'])
  assert.deepEqual(read, { origins: ['https://shop.example.com', 'http://localhost:3000'] })
})

for (const text of ['https://a b', 'https://user:pw@a.com', 'https://a.com?x', 'https://a.com#x', 'https://']) {
  test(`${text} is not an origin, and the issue has its path`, () => {
    const read = parseOrigins(['https://a.com', text])
    assert.ok('issues' in read && read.issues[0]?.path === 'allowedOrigins.1')
  })
}
