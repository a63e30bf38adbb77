import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { silentLog } from '#kit/log.ts'
import { createFastify } from './fastifyApp.ts'
import { statusPageHtml, statusPageRoute } from './statusPage.ts'

const shown = {
  version: '1.2.3',
  brand: 'Service',
  environments: [
    { environment: 'production', baseUrl: 'http://a/v1', tagUrls: 'http://a/t/{tagId}' },
    { environment: 'sandbox', baseUrl: 'http://a/sandbox/v1', tagUrls: 'http://a/sandbox/t/{tagId}' },
  ],
} as const

test('the status page shows the version, and links health, metrics and the API of both environments', () => {
  const html = statusPageHtml(shown)
  for (const part of [
    'Running, version 1.2.3',
    '/readyz',
    '/metrics',
    'http://a/v1/openapi.json',
    'http://a/sandbox/v1',
  ])
    assert.ok(html.includes(part), part)
})

test('the status page has no script, and its policy allows only its own style', async () => {
  const app = createFastify({ log: silentLog })
  app.register(async (routes) => statusPageRoute(routes, shown))
  const answer = await app.inject('/')
  const style = /<style>([\s\S]*)<\/style>/.exec(answer.body)![1]!
  const policy = `${answer.headers['content-security-policy']}`
  assert.doesNotMatch(answer.body, /<script|\son\w+=|style="/i)
  assert.match(policy, /default-src 'none'/)
  assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`))
  assert.match(`${answer.headers['content-type']}`, /^text\/html/)
})

test('operator settings are escaped in the page', () => {
  assert.doesNotMatch(statusPageHtml({ ...shown, brand: '<b onclick="x">' }), /<b onclick/)
})
