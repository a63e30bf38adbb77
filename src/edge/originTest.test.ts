import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { event, openTestEdge, snapshot } from './edge.fixture.ts'
import { originTests } from './originTest.ts'

const listed = (more: Parameters<typeof snapshot>[0], development = false) => originTests(development)(snapshot(more))

describe('the allowed origins of a tag', () => {
  test('are its domain and its subdomains over https, where it has no list', () => {
    const test = listed({})
    for (const origin of ['https://example.com', 'https://shop.example.com', 'https://a.b.example.com'])
      assert.ok(test(origin), origin)
    for (const origin of [
      'http://example.com',
      'https://example.com:8443',
      'https://badexample.com',
      'https://example.com.evil.test',
      'https://examplexcom',
      'https://evil.test/.example.com',
      'https://evil.test#.example.com',
      'https://x@.example.com',
      'http://localhost:3000',
      'https://localhost',
      'null',
      '',
    ])
      assert.ok(!test(origin), origin)
  })

  test('include the pages of this machine in development', () => {
    const test = listed({}, true)
    for (const origin of [
      'http://localhost:3000',
      'https://localhost',
      'http://127.0.0.1:80',
      'http://[::1]:5173',
      'http://app.localhost',
    ])
      assert.ok(test(origin), origin)
    for (const origin of ['http://localhost.evil.test', 'http://evil.test', 'http://127.0.0.1.evil.test', 'null'])
      assert.ok(!test(origin), origin)
  })

  test('include a loopback domain on every port over http, also in production', () => {
    const test = listed({ domain: 'localhost' })
    for (const origin of ['http://localhost', 'http://localhost:3000', 'https://localhost:3000'])
      assert.ok(test(origin), origin)
    for (const origin of ['http://127.0.0.1:3000', 'http://localhost.evil.test', 'http://localhost:x'])
      assert.ok(!test(origin), origin)
  })

  test('are exactly the list, where the tag has one', () => {
    const test = listed({ allowedOrigins: ['https://shop.example.com:8443', 'null'] }, true)
    assert.ok(test('https://shop.example.com:8443'))
    for (const origin of ['https://example.com', 'https://shop.example.com', 'http://localhost', 'null'])
      assert.ok(!test(origin), origin)
  })

  test('are compiled once for each snapshot', () => {
    const tests = originTests(false)
    const tag = snapshot()
    assert.equal(tests(tag), tests(tag))
    assert.ok(!tests(tag)('https://other.test'))
    assert.ok(tests(snapshot({ number: 2, domain: 'other.test' }))('https://other.test'))
  })
})

describe('a page of an origin', () => {
  test('that is allowed may read every response with credentials, errors included', async (t) => {
    const edge = await openTestEdge(t)
    for (const body of [event(), '{']) {
      const { headers } = await edge.ask({ body, headers: { origin: 'https://shop.example.com' } })
      assert.equal(headers['access-control-allow-origin'], 'https://shop.example.com')
      assert.equal(headers['access-control-allow-credentials'], 'true')
      assert.equal(headers.vary, 'Origin')
    }
  })

  test('that is not allowed is 403 ORIGIN_REFUSED without CORS headers, and nothing is stored', async (t) => {
    const edge = await openTestEdge(t)
    for (const origin of ['https://evil.test', 'null', '*']) {
      const { status, headers, json } = await edge.ask({ body: event(), headers: { origin } })
      assert.deepEqual([status, json.error], [403, 'ORIGIN_REFUSED'])
      assert.equal(headers['access-control-allow-origin'], undefined)
      assert.equal(headers.vary, 'Origin')
      assert.equal(headers['set-cookie'], undefined)
    }
    assert.equal(edge.appended.length, 0)
  })

  test('gets a preflight response that allows the headers of the edge and credentials', async (t) => {
    const edge = await openTestEdge(t, { deps: { brand: 'AcmeTags' } })
    const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' }
    const answer = await edge.ask({ method: 'OPTIONS', headers })
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    assert.equal(answer.headers['access-control-allow-origin'], 'https://example.com')
    assert.equal(answer.headers['access-control-allow-credentials'], 'true')
    assert.equal(answer.headers['access-control-allow-methods'], 'POST')
    const allowed = 'content-type, content-encoding, acmetagsuserid, authorization, team-id, aglet-preview'
    assert.equal(answer.headers['access-control-allow-headers'], allowed)
    assert.equal(answer.headers.vary, 'Origin')
  })

  test('that is not allowed is refused in the preflight', async (t) => {
    const edge = await openTestEdge(t)
    const { status, headers } = await edge.ask({ method: 'OPTIONS', headers: { origin: 'https://evil.test' } })
    assert.equal(status, 403)
    assert.equal(headers['access-control-allow-headers'], undefined)
  })

  test('is not required of a server, which sends none', async (t) => {
    const edge = await openTestEdge(t)
    const { status, headers } = await edge.ask({ body: event() })
    assert.equal(status, 200)
    assert.equal(headers['access-control-allow-origin'], undefined)
    assert.equal(headers.vary, 'Origin')
  })
})
