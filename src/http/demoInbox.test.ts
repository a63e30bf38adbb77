import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '#kit/log.ts'
import { fastifyFor } from './app.ts'
import { demoInbox } from './demoInbox.ts'

function opened() {
  const app = fastifyFor({ log: silent })
  app.register(async (routes) => demoInbox(routes, ['abc', 'def'], () => 7))
  return app
}
const post = (app: ReturnType<typeof opened>, name: string, payload: string) =>
  app.inject({ method: 'POST', url: `/demo/inbox/${name}`, headers: { 'content-type': 'application/json' }, payload })

test('an inbox shows what it got, each its own', async () => {
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

test('it keeps the last hundred', async () => {
  const app = opened()
  for (let n = 0; n < 103; n++) await post(app, 'abc', `${n}`)
  const { received } = (await app.inject('/demo/inbox/abc')).json()
  assert.deepEqual([received.length, received[0].body, received.at(-1).body], [100, 3, 102])
})

test('an address that was not given out is 404', async () => {
  const app = opened()
  for (const answer of [await app.inject('/demo/inbox/guess'), await post(app, 'guess', '{}')])
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'NOT_FOUND'])
})
