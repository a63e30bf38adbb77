import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#kit/log.ts'
import { demoInboxRoutes } from './demoInboxRoutes.ts'
import { createFastify } from './fastifyApp.ts'

function opened() {
  const app = createFastify({ log: silentLog })
  app.register(async (routes) => demoInboxRoutes(routes, ['abc', 'def'], () => 7))
  return app
}
const post = (app: ReturnType<typeof opened>, name: string, payload: string) =>
  app.inject({ method: 'POST', url: `/demo/inbox/${name}`, headers: { 'content-type': 'application/json' }, payload })

test('an inbox returns the bodies that it received, and not those of another inbox', async () => {
  const app = opened()
  assert.equal((await post(app, 'abc', '{"n":1}')).statusCode, 200)
  await post(app, 'abc', 'not json')
  const { received } = (await app.inject('/demo/inbox/abc')).json()
  assert.deepEqual(received, [
    { receivedAt: 7, body: { n: 1 } },
    { receivedAt: 7, body: 'not json' },
  ])
  assert.deepEqual((await app.inject('/demo/inbox/def')).json(), { received: [] })
})

test('an inbox keeps the last 100 bodies', async () => {
  const app = opened()
  for (let n = 0; n < 103; n++) await post(app, 'abc', `${n}`)
  const { received } = (await app.inject('/demo/inbox/abc')).json()
  assert.deepEqual([received.length, received[0].body, received.at(-1).body], [100, 3, 102])
})

test('an unknown inbox name is 404', async () => {
  const app = opened()
  for (const answer of [await app.inject('/demo/inbox/guess'), await post(app, 'guess', '{}')])
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'NOT_FOUND'])
})
