import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#kit/log.ts'
import { createFastify } from './fastifyApp.ts'
import { tlsDomainCheckRoute } from './tlsDomainCheck.ts'

test('a known host name is 200 in any case, and an unknown or missing one is 404 with an Error object', async (t) => {
  const app = createFastify({ log: silentLog })
  t.after(() => app.close())
  app.register(async (routes) => tlsDomainCheckRoute(routes, (host) => host === 'd.shop.example'))
  const ask = (query: string) => app.inject(`/ask${query}`)
  for (const query of ['?domain=d.shop.example', '?domain=D.Shop.Example']) {
    const answer = await ask(query)
    assert.equal(answer.statusCode, 200, query)
  }
  for (const query of [
    '',
    '?domain=',
    '?domain=shop.example',
    '?domain=d.shop.example&domain=x',
    '?domain=x.d.shop.example',
  ]) {
    const answer = await ask(query)
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'NOT_FOUND'], query)
  }
})
