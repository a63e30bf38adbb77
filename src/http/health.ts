import type { FastifyInstance } from 'fastify'

/**
 * What must hold for this process to do its work, by name. A check that rejects says in a few words why; one that gives a
 * text has that to say and holds.
 */
export type Checks = Readonly<Record<string, Check>>
type Check = () => unknown
export type Readiness = { ready: boolean; checks: Record<string, string> }

async function run(check: Check): Promise<{ holds: boolean; says: string }> {
  try {
    const said = await check()
    return { holds: true, says: typeof said === 'string' ? said : 'ok' }
  } catch (problem) {
    return { holds: false, says: problem instanceof Error ? problem.message : 'failed' }
  }
}

async function runAll(checks: Checks): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await run(check)] as const),
  )
  return {
    ready: results.every(([, { holds }]) => holds),
    checks: Object.fromEntries(results.map(([name, { says }]) => [name, says])),
  }
}

/** The same answer for `forMs`: some checks write to disk, and anyone may ask. */
export function readiness(checks: Checks, on: { now(): number; forMs: number }): () => Promise<Readiness> {
  let held: Promise<Readiness> | undefined
  let until = 0
  return () => {
    if (!held || on.now() >= until) {
      until = on.now() + on.forMs
      held = runAll(checks)
    }
    return held
  }
}

/** `/healthz` (the process answers), `/readyz` (503 while a check fails) and `/metrics` (Prometheus text). */
export function healthRoutes(
  app: FastifyInstance,
  on: { ready(): Promise<Readiness>; metrics(): Promise<string>; version: string },
): void {
  app.get('/healthz', async () => ({ alive: true, version: on.version }))
  app.get('/readyz', async (_request, reply) => {
    const readiness = await on.ready()
    return reply
      .status(readiness.ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(readiness)
  })
  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await on.metrics()),
  )
}
