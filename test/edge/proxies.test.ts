import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { type Aglet, type Customer, call, freePort, makeCustomer, openAglet, until } from '../fake/aglet.ts'
import { openHostDns } from '../fake/dns.ts'

const home = 'aglet.example.net'
const shop = 'd.example.com'
const page = readFileSync(join(import.meta.dirname, '../../docs/first-party.md'), 'utf8')

/** The example of the page that contains these words, unchanged. */
function exampleWith(words: string): string {
  const blocks = [...page.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
  const found = blocks.filter((block) => block.includes(words))
  assert.equal(found.length, 1, `examples with ${words}`)
  return found[0]!
}

/** Replaces each of these texts; each must occur. */
const adapted = (example: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((left, [from, to]) => {
    assert.ok(left.includes(from), from)
    return left.replaceAll(from, to)
  }, example)

type Place = { folder: string; port: number; upstream: string }
/** `end`: the signal that stops the proxy and its children even with open connections. */
type Proxy = { program: string; end: NodeJS.Signals; args: (config: string) => string[]; config(place: Place): string }

function nginxConfig({ folder, port, upstream }: Place): string {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=${shop}`
  execFileSync('openssl', [...words.split(' '), '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const server = adapted(exampleWith('proxy_set_header Host $host'), {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/example/fullchain.pem': certificate,
    '/etc/ssl/example/privkey.pem': key,
    '127.0.0.1:4000': upstream,
  })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  const top = `daemon off;\npid ${join(folder, 'pid')};\nerror_log ${join(folder, 'errors')};\n`
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  return `${user}${top}events {}\nhttp {\naccess_log off;\n${temporary}\n${server}}\n`
}

/** With a local certificate authority instead of a public one. */
const caddyConfig = ({ folder, port, upstream }: Place): string =>
  adapted(exampleWith('on_demand_tls'), { '127.0.0.1:4000': upstream }).replace(
    '{\n',
    `{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects
\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n\tstorage file_system ${join(folder, 'storage')}\n`,
  )

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: { program: '/usr/sbin/nginx', end: 'SIGTERM', args: (config) => ['-c', config], config: nginxConfig },
  Caddy: {
    program: '/usr/bin/caddy',
    end: 'SIGKILL',
    args: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
    config: caddyConfig,
  },
}

async function ask(port: number, host: string, path: string, { body, ...more }: RequestOptions & { body?: string }) {
  const options = { host: '127.0.0.1', port, path, servername: host, rejectUnauthorized: false, agent: false, ...more }
  const asked = request({ ...options, headers: { host, ...more.headers } })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return answer
}

/** Starts a proxy with the example of the page in front of an Aglet. */
async function openProxy(name: string, { port: upstream }: Aglet) {
  const { program, end, args, config } = proxies[name]!
  const folder = mkdtempSync(join(tmpdir(), 'aglet-proxy-'))
  const port = await freePort()
  const file = join(folder, 'config')
  writeFileSync(file, config({ folder, port, upstream: `127.0.0.1:${upstream}` }))
  const child = spawn(program, args(file), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
  })
  after(async () => {
    const ended = child.exitCode === null && once(child, 'exit')
    child.kill(end)
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  await until(async () => {
    assert.equal(child.exitCode, null, errors)
    return await ask(port, home, '/healthz', {}).then(
      (answer) => answer.resume().statusCode === 200,
      () => false,
    )
  })
  return port
}

/** A tag with its own host name, on a server that trusts a proxy in front of it. */
async function openShop() {
  const dns = await openHostDns()
  after(dns.close)
  const environment = { AGLET_TRUST_PROXY: '127.0.0.1', AGLET_DNS_SERVERS: dns.address }
  const aglet = await openAglet('proxies', { AGLET_ORIGIN: `https://${home}`, ...environment })
  const customer = await makeCustomer(aglet, 'proxies')
  const made = await call<{ tagId: string }>(customer, 'POST', '/tag', { name: 'd', domain: 'example.com' })
  const own = { ...customer, ...made.body }
  dns.tags.set(shop, own.tagId)
  const put = await call(own, 'PUT', `/tag/${own.tagId}`, { hosts: [shop], consent: 'disabled' })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  return { aglet, own }
}

const headersOf = ({ token, teamId }: Customer) => ({ authorization: `Bearer ${token}`, 'team-id': teamId })
const event = (eventId: string) => JSON.stringify({ eventName: 'PageView', eventId, timestamp: Date.now() })
const sent = (eventId: string): RequestOptions & { body: string } => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: 'https://example.com' },
  body: event(eventId),
})

const isHere = ({ program }: Proxy) => existsSync(program) || Boolean(process.env.NEEDS_PROXIES)
const here = Object.keys(proxies).filter((name) => isHere(proxies[name]!))
const opened = here.length > 0 ? await openShop() : undefined
const ports: Record<string, number> = {}
for (const name of here) ports[name] = await openProxy(name, opened!.aglet)

for (const [name, proxy] of Object.entries(proxies)) {
  const skip = isHere(proxy) ? false : `SKIPPED: there is no ${proxy.program} here`
  describe(`${name}, set up as docs/first-party.md shows`, { skip }, () => {
    test('passes the host names of tags and of the server on as they came', async () => {
      const { own } = opened!
      const port = ports[name]!
      const taken = await ask(port, shop, '/tag', sent(`${name}-1`))
      assert.equal(taken.statusCode, 200, await text(taken))
      assert.match(`${taken.headers['set-cookie']}`, /^tag_user_id=.*Domain=example\.com.*Secure/i)
      const control = await ask(port, home, '/v1/me', { headers: headersOf(own) })
      assert.equal(control.statusCode, 200, await text(control))
      const hidden = await ask(port, shop, '/v1/me', { headers: headersOf(own) })
      assert.equal(hidden.resume().statusCode, 404)
      const large = JSON.stringify({ ...JSON.parse(event(`${name}-2`)), data: { text: 'x'.repeat(60_000) } })
      const batch = await ask(port, shop, '/tag', { ...sent(''), body: `[${Array(17).fill(large)}]` })
      assert.equal(batch.statusCode, 200, await text(batch))
      if (name === 'Caddy') await assert.rejects(ask(port, 'stranger.example.org', '/', {}))
    })

    test('hands on what is watched at once', async () => {
      const { aglet, own } = opened!
      const path = `/v1/tag/${own.tagId}/live`
      const live = await ask(ports[name]!, home, path, { headers: headersOf(own) })
      const [first] = (await once(live, 'data')) as [Buffer]
      live.destroy()
      assert.equal(`${first}`, ': watching\n\n')
      const direct = await fetch(`${aglet.origin}${path}`, { headers: headersOf(own) })
      assert.equal(direct.headers.get('x-accel-buffering'), 'no')
      await direct.body?.cancel()
    })
  })
}
