import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { eventReference } from '#event/reference/eventReference.ts'
import { silentLog } from '#kit/log.ts'
import { providers } from '#providers/index.ts'
import { createFastify } from './fastifyApp.ts'
import { type ApiReference, referencePages } from './referencePages.ts'

const all: ApiReference[] = [
  { environment: 'production', path: '/docs', document: '/v1/openapi.json' },
  { environment: 'sandbox', path: '/sandbox/docs', document: '/sandbox/v1/openapi.json' },
]
const app = createFastify({ log: silentLog })
app.register(async (routes) => referencePages(routes, all))

test('each environment has a page of its OpenAPI document, with a link to the other', async () => {
  for (const { path, document } of all) {
    const { body, statusCode } = await app.inject(path)
    assert.equal(statusCode, 200)
    assert.ok(body.includes(`data-document="${document}"`))
    for (const other of all) assert.ok(body.includes(`href="${other.path}"`))
  }
})

test('the page loads only files that this server serves', async () => {
  const { body } = await app.inject('/docs')
  const named = [...body.matchAll(/(?:src|href)="(\/docs\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path!)
  assert.equal(named.length, 3)
  for (const path of named) {
    const { statusCode, headers, body: text } = await app.inject(path)
    assert.equal(statusCode, 200, path)
    assert.match(`${headers['content-type']}`, path.endsWith('.js') ? /^text\/javascript/ : /^text\/css/)
    assert.match(`${headers['cache-control']}`, /max-age/)
    assert.ok(text.length > 100)
  }
  assert.doesNotMatch(body, /(?:src|href)="(?:https?:)?\/\//)
})

test('the event reference is linked from the page and works without a script', async () => {
  assert.match((await app.inject('/docs')).body, /href="\/docs\/events"/)
  const { statusCode, headers, body } = await app.inject('/docs/events')
  assert.deepEqual([statusCode, headers['content-type']], [200, 'text/html; charset=utf-8'])
  for (const { title } of eventReference) assert.ok(body.includes(`>${title}<`), title)
  assert.doesNotMatch(body, /<script/)
  const style = /<style>([\s\S]*)<\/style>/.exec(body)![1]!
  assert.ok(`${headers['content-security-policy']}`.includes(createHash('sha256').update(style).digest('base64')))
})

test('the page of providers has a row and a section for each, and works without a script', async () => {
  assert.match((await app.inject('/docs')).body, /href="\/docs\/providers"/)
  const { statusCode, body } = await app.inject('/docs/providers')
  assert.equal(statusCode, 200)
  for (const [id, { label }] of Object.entries(providers)) {
    assert.ok(body.includes(`<tr><td>${id}</td>`), id)
    assert.ok(body.includes(`<h2 id="${id}">${label.replaceAll('&', '&amp;')}</h2>`), label)
  }
  assert.doesNotMatch(body, /<script/)
})

test('the content security policy allows no inline script, no eval and no other origin', async () => {
  const { headers, body } = await app.inject('/docs')
  const policy = `${headers['content-security-policy']}`
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(body, /<script>|\son\w+=|style="/i)
  const style = /<style>([\s\S]*)<\/style>/.exec(body)![1]!
  assert.ok(policy.includes(createHash('sha256').update(style).digest('base64')))
})
