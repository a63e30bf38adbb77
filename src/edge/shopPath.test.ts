import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import { event, openTestEdge, tagId } from './edge.fixture.ts'
import { forwardedPrefix } from './forwardedPrefix.ts'
import { at, openSource } from './source.fixture.ts'

const proxied = { trustProxy: { ranges: ['127.0.0.0/8'] } } as const
const origin = 'https://example.com'
const onShop = { host: 'example.com', origin, 'x-forwarded-prefix': '/metrics', 'x-forwarded-for': '203.0.113.9' }
const cookieOf = (headers: object) => `${(headers as { 'set-cookie'?: string[] })['set-cookie']}`

test('below a path of the shop the cookie is limited to that path, as the browser sees it', async (t) => {
  const { ask } = await openTestEdge(t, { deps: proxied })
  const got = await ask({ body: event(), headers: onShop })
  assert.equal(got.status, 200, got.text)
  assert.match(cookieOf(got.headers), /^tag_user_id=[^;]+; Path=\/metrics; /)
  assert.doesNotMatch(cookieOf(got.headers), /Domain/)
})

test('on a host name of the shop that the tag has proved the cookie is that of the whole domain', async (t) => {
  const { ask } = await openTestEdge(t, { tag: { hosts: ['example.com'] }, deps: proxied })
  for (const path of [at('/tag'), '/tag']) {
    const got = await ask({ path, body: event({ eventId: path }), headers: onShop })
    assert.equal(got.status, 200, got.text)
    assert.match(cookieOf(got.headers), /^tag_user_id=[^;]+; Domain=example\.com; Path=\/; /)
  }
  for (const path of ['/t/tag_01jd0000000000000000000009/tag', `/t/${tagId}x/tag`, `//t/${tagId}/tag`])
    assert.equal((await ask({ path, body: event(), headers: onShop })).status, 404, path)
})

test('a path that anybody but a trusted proxy forwards is not believed', async (t) => {
  const { ask } = await openTestEdge(t, { deps: { trustProxy: { ranges: ['10.0.0.0/8'] } } })
  assert.match(cookieOf((await ask({ body: event(), headers: onShop })).headers), new RegExp(`Path=/t/${tagId};`))
})

test('the address that a trusted proxy forwards is that of the visitor; a spoofed one before it is not', async (t) => {
  const { ask, lastRecord } = await openTestEdge(t, { deps: proxied })
  await ask({ body: event(), headers: { ...onShop, 'x-forwarded-for': '1.2.3.4, 203.0.113.9' } })
  assert.equal(lastRecord().context.ip, '203.0.113.9')
})

test('settings of an SDK below a path of the shop name that path', async (t) => {
  const { send } = await openSource(t, 'segment', ['event:write'], {}, proxied)
  const { origin: _, ...headers } = onShop
  const got = await send(`/projects/${tagId}/settings`, undefined, headers, 'GET')
  assert.equal(got.json.integrations['Segment.io'].apiHost, 'example.com/metrics/v1')
  assert.match(`${got.headers.vary}`, /X-Forwarded-Prefix/)
})

const from = (prefix: string, remoteAddress = '127.0.0.1') =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-prefix': prefix } }) as never

test('a path with dots, encoded or empty parts, or signs of other fields is none', () => {
  const prefixOf = forwardedPrefix(['127.0.0.1/32'])
  for (const good of ['/metrics', '/a/b-c/d_e', '/v1.2', '/a~b']) assert.equal(prefixOf(from(good)), good)
  const bad = `/ // /. /.. /../x /a/../b /a//b /a/ metrics /%2e%2e /a%2fb /a;Domain=x /a,b /a?b /a#b /a\\b /é /.well-known`
  for (const each of [...bad.split(' '), '', '/a b', '/a\tb', `/${'x'.repeat(200)}`, '/a'.repeat(9)])
    assert.equal(prefixOf(from(each)), undefined, each)
  assert.equal(prefixOf(from('/metrics', '127.0.0.2')), undefined)
})

test('a forwarded path never ends the path of a cookie or of a URL', () => {
  const prefixOf = forwardedPrefix(['127.0.0.1/32'])
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'/./%aZ-_~;,? ') })), (text) => {
      const prefix = prefixOf(from(`/${text}`))
      if (prefix !== undefined) assert.equal(new URL(prefix, origin).pathname, prefix)
    }),
    { numRuns: cases(2_000) },
  )
})
