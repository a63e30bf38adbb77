import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#kit/log.ts'
import { createFastify } from './fastifyApp.ts'
import { cachedReadiness, type HealthChecks, healthRoutes } from './healthRoutes.ts'

function appWith(checks: HealthChecks, clock = { now: () => 0 }) {
  const app = createFastify({ log: silentLog })
  const ready = cachedReadiness(checks, { ...clock, forMs: 1_000 })
  app.register(async (routes) => healthRoutes(routes, { ready, metrics: async () => 'up 1\n', version: '1.2.3' }))
  return app
}

test('/healthz is 200 even if a check fails', async () => {
  const app = appWith({ store: () => Promise.reject(new Error('disk full')) })
  const answer = await app.inject('/healthz')
  assert.deepEqual([answer.statusCode, answer.json()], [200, { alive: true, version: '1.2.3' }])
})

test('/readyz is 200 while every check passes, and otherwise names the failing ones', async () => {
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

test('a passing check may return a text', async () => {
  const answer = await appWith({ code: async () => 'off: no walls' }).inject('/readyz')
  assert.deepEqual([answer.statusCode, answer.json()], [200, { ready: true, checks: { code: 'off: no walls' } }])
})

test('the checks run at most once a second', async () => {
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

test('/metrics is Prometheus text', async () => {
  const answer = await appWith({}).inject('/metrics')
  assert.match(`${answer.headers['content-type']}`, /^text\/plain; version=0\.0\.4/)
  assert.equal(answer.body, 'up 1\n')
})
