import type { PlainApp } from './plainRoute.ts'

/**
 * The readiness checks by name. A check fails by rejecting with an error whose message is the reason. A passing check
 * may return a text to show.
 */
export type HealthChecks = Readonly<Record<string, HealthCheck>>
type HealthCheck = () => unknown
export type Readiness = { ready: boolean; checks: Record<string, string> }

async function runCheck(check: HealthCheck): Promise<{ holds: boolean; says: string }> {
  try {
    const result = await check()
    return { holds: true, says: typeof result === 'string' ? result : 'ok' }
  } catch (problem) {
    return { holds: false, says: problem instanceof Error ? problem.message : 'failed' }
  }
}

async function runChecks(checks: HealthChecks): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)] as const),
  )
  return {
    ready: results.every(([, { holds }]) => holds),
    checks: Object.fromEntries(results.map(([name, { says }]) => [name, says])),
  }
}

/** Caches the result for `forMs`, because some checks write to disk and anyone may request them. */
export function cachedReadiness(
  checks: HealthChecks,
  deps: { now(): number; forMs: number },
): () => Promise<Readiness> {
  let cached: Promise<Readiness> | undefined
  let until = 0
  return () => {
    if (!cached || deps.now() >= until) {
      until = deps.now() + deps.forMs
      cached = runChecks(checks)
    }
    return cached
  }
}

/** `/healthz` (the process answers), `/readyz` (503 while a check fails) and `/metrics` (Prometheus text). */
export function healthRoutes(
  app: PlainApp,
  deps: { ready(): Promise<Readiness>; metrics(): Promise<string>; version: string },
): void {
  app.get('/healthz', async () => ({ alive: true, version: deps.version }))
  app.get('/readyz', async (_request, reply) => {
    const readiness = await deps.ready()
    return reply
      .status(readiness.ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(readiness)
  })
  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await deps.metrics()),
  )
}
