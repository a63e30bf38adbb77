import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '#kit/log.ts'
import { fastifyFor } from './app.ts'
import { type Checks, healthRoutes, readiness } from './health.ts'

function appWith(checks: Checks, clock = { now: () => 0 }) {
  const app = fastifyFor({ log: silent })
  const ready = readiness(checks, { ...clock, forMs: 1_000 })
  app.register(async (routes) => healthRoutes(routes, { ready, metrics: async () => 'up 1\n', version: '1.2.3' }))
  return app
}

test('the process is alive whatever else is broken', async () => {
  const app = appWith({ store: () => Promise.reject(new Error('disk full')) })
  const answer = await app.inject('/healthz')
  assert.deepEqual([answer.statusCode, answer.json()], [200, { alive: true, version: '1.2.3' }])
})

test('it is ready while every check holds, and names the ones that do not', async () => {
  const fine = await appWith({ store: async () => {}, stream: () => {} }).inject('/readyz')
  assert.deepEqual([fine.statusCode, fine.json()], [200, { ready: true, checks: { store: 'ok', stream: 'ok' } }])
  const broken = await appWith({ store: () => Promise.reject(new Error('disk full')), stream: () => {} }).inject(
    '/readyz',
  )
  assert.deepEqual(
    [broken.statusCode, broken.json()],
    [503, { ready: false, checks: { store: 'disk full', stream: 'ok' } }],
  )
})

test('a check that holds may have something to say', async () => {
  const answer = await appWith({ code: async () => 'off: no walls' }).inject('/readyz')
  assert.deepEqual([answer.statusCode, answer.json()], [200, { ready: true, checks: { code: 'off: no walls' } }])
})

test('however often it is asked, the checks run once a second', async () => {
  let now = 0
  let runs = 0
  const app = appWith({ store: () => void runs++ }, { now: () => now })
  await app.inject('/readyz')
  await app.inject('/readyz')
  assert.equal(runs, 1)
  now = 1_000
  await app.inject('/readyz')
  assert.equal(runs, 2)
})

test('metrics are Prometheus text', async () => {
  const answer = await appWith({}).inject('/metrics')
  assert.match(`${answer.headers['content-type']}`, /^text\/plain; version=0\.0\.4/)
  assert.equal(answer.body, 'up 1\n')
})
