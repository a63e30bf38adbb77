import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { silent } from '#kit/log.ts'
import { fastifyFor } from './app.ts'
import { pageHtml, statusPage } from './page.ts'

const shown = {
  version: '1.2.3',
  brand: 'Service',
  environments: [
    { environment: 'production', baseUrl: 'http://a/v1', tagUrls: 'http://a/t/{tagId}' },
    { environment: 'sandbox', baseUrl: 'http://a/sandbox/v1', tagUrls: 'http://a/sandbox/t/{tagId}' },
  ],
} as const

test('the status page says that it runs, and links health, metrics and the API of both environments', () => {
  const html = pageHtml(shown)
  for (const part of [
    'Running, version 1.2.3',
    '/readyz',
    '/metrics',
    'http://a/v1/openapi.json',
    'http://a/sandbox/v1',
  ])
    assert.ok(html.includes(part), part)
})

test('it runs no script, and its policy lets nothing in but its own style', async () => {
  const app = fastifyFor({ log: silent })
  app.register(async (routes) => statusPage(routes, shown))
  const answer = await app.inject('/')
  const style = /<style>([\s\S]*)<\/style>/.exec(answer.body)![1]!
  const policy = `${answer.headers['content-security-policy']}`
  assert.doesNotMatch(answer.body, /<script|\son\w+=|style="/i)
  assert.match(policy, /default-src 'none'/)
  assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`))
  assert.match(`${answer.headers['content-type']}`, /^text\/html/)
})

test('what an operator set cannot break out of the text', () => {
  assert.doesNotMatch(pageHtml({ ...shown, brand: '<b onclick="x">' }), /<b onclick/)
})
