import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fault } from '#contract/fault.ts'
import { silentLog } from '#kit/log.ts'
import { demoInboxRoutes } from './demoInboxRoutes.ts'
import { createFastify } from './fastifyApp.ts'
import { healthRoutes } from './healthRoutes.ts'
import { openPlainApp } from './plainApp.ts'
import type { PlainApp } from './plainRoute.ts'
import { statusPageRoute } from './statusPage.ts'
import { tlsDomainCheckRoute } from './tlsDomainCheck.ts'

function addRoutes(app: PlainApp): void {
  const checks = { store: 'the database has not responded for 3 s' }
  healthRoutes(app, { ready: async () => ({ ready: false, checks }), metrics: async () => 'up 1\n', version: '1' })
  statusPageRoute(app, { version: '1', brand: 'aglet', environments: [] })
  tlsDomainCheckRoute(app, (host) => host === 'shop.example')
  demoInboxRoutes(app, ['inbox'], () => 1)
  app.get('/broken', async () => {
    throw new Error('a bug')
  })
  app.get('/refused', async () => {
    throw fault('overloaded', { headers: { 'retry-after': '5' } })
  })
}

/** Calls a listener over the network. */
async function caller(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    async call(method: string, path: string, { body, accept }: { body?: string; accept?: string } = {}) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(body !== undefined && { body }),
        headers: accept ? { accept } : {},
      })
      const headers = Object.fromEntries(response.headers)
      for (const name of ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])
        delete headers[name]
      return { status: response.status, headers, text: await response.text() }
    },
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  }
}

test('a process without the API answers its own routes as one that has the API', async (t) => {
  let fastify: RequestListener | undefined
  const app = createFastify({
    log: silentLog,
    serverFactory(listener) {
      fastify = listener
      return createServer()
    },
  })
  app.register(async (routes) => addRoutes(routes))
  await app.ready()
  const [one, other] = await Promise.all([caller(fastify!), caller(openPlainApp(addRoutes, silentLog))])
  t.after(() => Promise.all([one.close(), other.close(), app.close()]))
  const calls: [string, string, { body?: string; accept?: string }?][] = [
    ['GET', '/healthz'],
    ['GET', '/readyz?x'],
    ['GET', '/metrics'],
    ['HEAD', '/metrics'],
    ['GET', '/'],
    ['GET', '/ask?domain=shop.example'],
    ['GET', '/ask?domain=other.example'],
    ['GET', '/ask'],
    ['POST', '/demo/inbox/inbox', { body: '{"a":1}' }],
    ['GET', '/demo/inbox/inbox'],
    ['GET', '/demo/inbox/nobody'],
    ['GET', '/nothing'],
    ['GET', '/nothing', { accept: 'text/html' }],
    ['DELETE', '/readyz'],
    ['OPTIONS', '/demo/inbox/inbox'],
    ['GET', '/broken'],
    ['GET', '/refused'],
  ]
  for (const [method, path, options] of calls) {
    const expected = await one.call(method, path, options)
    assert.deepEqual(await other.call(method, path, options), expected, `${method} ${path}`)
  }
})
