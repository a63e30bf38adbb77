import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { freePort, until } from '../fake/aglet.ts'
import { deployFolder } from '../fake/composeFile.ts'

/** Starts Caddy with deploy/Caddyfile.many in front of servers that answer with their own names. */
const program = '/usr/bin/caddy'
const isHere = existsSync(program) || Boolean(process.env.NEEDS_PROXIES)
const home = 'aglet.example.net'
const shop = 'd.example.com'

async function openUpstream(name: string) {
  const server = createServer((_, response) => void response.setHeader('connection', 'close').end(name))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

type Proxy = {
  close(): Promise<void>
  ask(host: string, path: string, method?: string): Promise<{ status: number; body: string }>
}

async function openProxy(edges: readonly string[], control: string): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-proxy-'))
  const port = await freePort()
  const options = ['admin off', 'local_certs', 'skip_install_trust', 'auto_https disable_redirects']
  const places = [`https_port ${port}`, 'default_bind 127.0.0.1', `storage file_system ${join(folder, 'storage')}`]
  const config = join(deployFolder, 'Caddyfile.many')
  const child = spawn(program, ['run', '--adapter', 'caddyfile', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, AGLET_NAME: home, CADDY_OPTIONS: [...options, ...places].join('\n') },
      ...{ AGLET_EDGES: edges.join(' '), AGLET_CONTROL: control },
    },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
  })
  const close = async () => {
    const ended = child.exitCode === null && once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const ask: Proxy['ask'] = async (host, path, method = 'GET') => {
    const tls = { servername: host, rejectUnauthorized: false, agent: false } as const
    const asked = request({ host: '127.0.0.1', port, path, method, headers: { host }, ...tls })
    asked.end()
    const [answer] = await once(asked, 'response')
    return { status: answer.statusCode, body: await text(answer) }
  }
  await until(async () => {
    assert.equal(child.exitCode, null, errors)
    return await ask(home, '/').then(
      () => true,
      () => false,
    )
  })
  return { ask, close }
}

describe('the proxy of compose.many.yaml', { skip: isHere ? false : `SKIPPED: there is no ${program} here` }, () => {
  let proxy: Proxy
  const upstreams: Awaited<ReturnType<typeof openUpstream>>[] = []
  before(async () => {
    for (const name of ['edge1', 'edge2', 'control']) upstreams.push(await openUpstream(name))
    const [edge1, edge2, control] = upstreams.map(({ address }) => address)
    proxy = await openProxy([edge1!, edge2!], control!)
  })
  after(() => Promise.all([proxy, ...upstreams].map(({ close }) => close())))

  test('sends events to the edges and all else of its host to control', async () => {
    for (const path of ['/', '/v1/me', '/sandbox/v1/me', '/dashboard', '/token', '/sandbox/docs'])
      assert.equal((await proxy.ask(home, path)).body, 'control', path)
    for (const path of ['/t/tag_1/tag', '/sandbox/t/tag_1/load'])
      assert.match((await proxy.ask(home, path)).body, /^edge[12]$/, path)
  })

  test('sends the host names of tags to the edges alone', async () => {
    for (const path of ['/', '/tag', '/v1/me']) assert.match((await proxy.ask(shop, path)).body, /^edge[12]$/, path)
  })

  test('shows the metrics and the check of names to nobody', async () => {
    for (const host of [home, shop])
      for (const path of ['/metrics', '/ask?domain=x']) assert.equal((await proxy.ask(host, path)).status, 404, path)
  })

  test('goes on with the other edge when one is lost', async () => {
    await upstreams[0]!.close()
    for (let nth = 0; nth < 6; nth += 1)
      assert.deepEqual(await proxy.ask(home, '/t/tag_1/tag', 'POST'), { status: 200, body: 'edge2' })
  })
})
