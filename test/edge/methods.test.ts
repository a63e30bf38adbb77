import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { makeCustomer, openAglet } from '../fake/aglet.ts'

const aglet = await openAglet('methods')
const customer = await makeCustomer(aglet, 'methods')

type Answer = { status: number; allow: string | undefined }

async function ask(method: string, path: string): Promise<Answer> {
  const sent = request({ port: aglet.port, host: '127.0.0.1', method, path, agent: false }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return { status: answer.statusCode!, allow: answer.headers.allow }
}

/** Every path of the control API, with a text for each parameter. Streams answer as long as they are read. */
async function controlPaths(): Promise<string[]> {
  const { paths } = (await (await fetch(`${aglet.origin}/v1/openapi.json`)).json()) as { paths: object }
  return Object.keys(paths)
    .filter((path) => !path.endsWith('/live') && !path.startsWith('/t/'))
    .map((path) => `/v1${path.replace(/\{\w+\}/g, 'x')}`)
}

const edgeCalls = ['tag', 'init', 'user', 'data', 'keys', 'consent', 'load', 'webhook/scr_1']
const otherPaths = [
  ...['/', '/docs', '/docs/events', '/healthz', '/readyz', '/metrics', '/ask', '/dashboard', '/demo/inbox/x'],
  ...['/v1/account', '/v1/oauth/authorize', '/v1/oauth/token', '/v1/oauth/revoke'],
  '/.well-known/oauth-authorization-server',
]

test('OPTIONS lists the methods that an address answers, and every other method is 405 with the same list', async () => {
  const edgePaths = edgeCalls.map((call) => `/t/${customer.tagId}/${call}`)
  for (const path of [...(await controlPaths()), ...otherPaths, ...edgePaths]) {
    const { status, allow = '' } = await ask('OPTIONS', path)
    assert.equal(status, 204, path)
    const listed = allow.split(', ')
    assert.ok(listed.includes('OPTIONS'), path)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await ask(method, path)
      assert.equal(answer.status === 405, !listed.includes(method), `${method} ${path}: ${answer.status}, ${allow}`)
      if (answer.status === 405) assert.equal(answer.allow, allow, `${method} ${path}`)
    }
  }
})

test('probes answer under any host that is not a tag’s', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    const headers = { host: 'aglet.monitoring.svc.cluster.local:4000' }
    const sent = request({ port: aglet.port, host: '127.0.0.1', path, headers, agent: false }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    assert.equal(answer.statusCode, 200, path)
  }
})

test('a call in absolute form is answered as by its path and host', async () => {
  const path = `${aglet.origin}/t/${customer.tagId}/keys`
  assert.equal((await ask('GET', path)).status, 200)
  assert.equal((await ask('GET', 'http://evil.example/v1/me')).status, 404)
})
