import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { copyFirstStart, program, until } from './fake/aglet.ts'

const run = promisify(execFile)
/** The environment without the AGLET_ settings of the person who runs the tests. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AGLET_')))

const folder = mkdtempSync(join(tmpdir(), 'aglet-start-'))
const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

type Started = { child: ChildProcess; out(): string; error(): string; ended: Promise<number | null> }

function spawnAglet(words: readonly string[], more: Record<string, string> = {}): Started {
  const child = spawn('sh', [program, ...words], {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let [out, error] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    error += chunk
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, out: () => out, error: () => error, ended }
}

/** Starts a server and waits for the last line that it prints. */
async function serve(data: string, flags: readonly string[] = ['--port', '0'], more: Record<string, string> = {}) {
  const started = spawnAglet(['serve', '--data', join(folder, data), ...flags], more)
  await until(() => {
    assert.equal(started.child.exitCode, null, `ended: ${started.error()}`)
    return /^Aglet \S+ is running\.$/m.test(started.out())
  })
  return { ...started, stop: () => stop(started) }
}

async function stop({ child, ended }: Started, signal: NodeJS.Signals = 'SIGTERM') {
  child.kill(signal)
  return ended
}

/** Runs a command that ends by itself; returns its exit code and output. */
async function command(...words: string[]) {
  const started = spawnAglet(words)
  return { code: await started.ended, out: started.out(), error: started.error() }
}

let shared: ReturnType<typeof serve> | undefined
/** One server for tests that do not affect each other. The last of them in this file stops it. */
function sharedServer() {
  shared ??= copyFirstStart(join(folder, 'shared')).then(() => serve('shared'))
  return shared
}

const curls = (text: string) => text.split('\n').filter((line) => line.startsWith('curl '))
const sh = async (line: string) => JSON.parse((await run('sh', ['-c', line])).stdout)
const value = (text: string, name: string) => new RegExp(`${name} +(\\S+)`).exec(text)?.[1]
const oneLine = (text: string) => assert.match(text, /^[^\n]+\n$/)

test('the first start prints commands that deliver a first event and show its journey; a second changes nothing', async () => {
  const first = await serve('first')
  const origin = new URL(value(first.out(), 'Status page')!).origin
  const [send, journey] = curls(first.out()) as [string, string]

  const { result } = await sh(send)
  assert.equal(result.status, 'accepted')
  await until(async () => (await sh(journey)).deliveries?.[0]?.status === 'delivered', 10_000)
  const told = await sh(journey)
  assert.equal(told.eventId, result.eventId)
  assert.deepEqual(
    told.deliveries.map((each: Record<string, unknown>) => [each.providerId, each.status]),
    [['eventSink', 'delivered']],
  )
  assert.equal((await sh(send)).result.status, 'duplicate')

  assert.equal(statSync(join(folder, 'first/root.key')).mode & 0o777, 0o400)
  assert.equal(statSync(join(folder, 'first/aglet.sock')).mode & 0o777, 0o600)
  assert.match(first.out(), /aglet_live_\w{49}/)
  assert.match(first.out(), /aglet_test_\w{49}/)
  assert.equal(await first.stop(), 0, first.error())
  assert.ok(!existsSync(join(folder, 'first/aglet.sock')))

  const second = await serve('first', ['--port', new URL(origin).port])
  assert.doesNotMatch(second.out(), /aglet_(live|test)_|Sign in {2}/)
  assert.match(second.out(), /^Sign in: +npm run -s aglet -- sign-in --data \S+ +\(prints a link\)$/m)
  const addresses = (text: string) =>
    text.split('is running')[0]!.match(/^ *(Status page|Dashboard|Base address|Tag URL|Team) .*$/gm)
  assert.deepEqual(addresses(second.out()), addresses(first.out()))
  assert.equal(addresses(second.out())!.length, 9)
  assert.equal((await sh(journey)).deliveries[0].status, 'delivered', 'the first token still reads')
  assert.equal(await second.stop(), 0)

  const third = await serve('first', ['--port', '0', '--sign-in'])
  const link = value(third.out(), 'Sign in')!
  assert.equal((await fetch(link, { redirect: 'manual' })).status, 200)
  assert.notEqual(link, value(first.out(), 'Sign in'))
  assert.equal(await third.stop(), 0)
})

test('on another port the demo script follows, and delivers there', async () => {
  const first = await serve('moved')
  await first.stop()
  const second = await serve('moved')
  const teamId = value(second.out(), 'Team')!
  const words = ['token', 'create', '--team', teamId, '--json', '--data', join(folder, 'moved')]
  const { token } = JSON.parse((await command(...words)).out)
  const origin = new URL(value(second.out(), 'Status page')!).origin
  const [send] = curls(first.out()).map((line) => line.replace(/http:\/\/127\.0\.0\.1:\d+/, origin))
  const { result } = await sh(send!)
  const tagId = value(second.out(), 'Tag URL')!.split('/').at(-1)
  const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
  const journey = `${origin}/v1/tag/${tagId}/event/${result.eventId}`
  await until(async () => {
    const { deliveries } = (await (await fetch(journey, { headers })).json()) as { deliveries: { status: string }[] }
    return deliveries[0]?.status === 'delivered'
  })
  await second.stop()
})

test('what an interrupted first start left is completed by the next one', async () => {
  const begun = spawnAglet(['serve', '--data', join(folder, 'cut'), '--port', '0'])
  await until(() => {
    assert.equal(begun.child.exitCode, null, begun.error())
    return existsSync(join(folder, 'cut/production/store.db'))
  })
  begun.child.kill('SIGKILL')
  await begun.ended
  const next = await serve('cut')
  const [send, journey] = curls(next.out()) as [string, string]
  await sh(send)
  await until(async () => (await sh(journey)).deliveries?.[0]?.status === 'delivered', 10_000)
  assert.equal(await next.stop(), 0)
})

test('set-up with nothing to do says nothing', async () => {
  const { stdout, stderr } = await run(process.execPath, [join(import.meta.dirname, '../scripts/setup.cjs')])
  assert.deepEqual([stdout, stderr], ['', ''])
})

test('health, readiness, metrics, the status page and the API answer on the one port', async () => {
  const aglet = await sharedServer()
  const origin = new URL(value(aglet.out(), 'Status page')!).origin
  const get = async (path: string) => {
    const answer = await fetch(origin + path)
    return { status: answer.status, body: await answer.text() }
  }
  assert.equal((await get('/healthz')).status, 200)
  const { code, ...checks } = JSON.parse((await get('/readyz')).body).checks
  assert.match(
    code,
    /^(being found out$|ok: |off: )/,
    'what stands around customers’ code is told and holds nothing up',
  )
  assert.deepEqual(new Set(Object.values(checks)), new Set(['ok']))
  assert.ok('production.store' in checks && 'sandbox.stream' in checks)
  assert.match((await get('/metrics')).body, /^process_resident_memory_bytes \d+$/m)
  assert.match((await get('/')).body, /Running, version/)
  for (const prefix of ['', '/sandbox'])
    assert.equal(JSON.parse((await get(`${prefix}/v1/jwks.json`)).body).keys.length, 2)
  const unknown = await get('/nothing')
  assert.deepEqual([unknown.status, JSON.parse(unknown.body).statusCode], [404, 404])
  assert.equal((await get('/t/tag_none/tag')).status, 404)
})

test('a command that asks wrongly ends with 2, one that cannot be done with 1, each with one sentence', async () => {
  await sharedServer()
  const data = ['--data', join(folder, 'shared')]
  for (const [code, ...words] of [
    [2, 'token', 'create', '--team', 'team_x', '--expires', 'x'],
    [2, 'token', 'create'],
    [1, 'token', 'create', '--team', 'team_x'],
    [1, 'token', 'revoke', '--id', 'tok_x'],
    [1, 'doctor', '--data', join(folder, 'nowhere')],
    [1, 'team', 'list', '--data', join(folder, 'nowhere')],
  ] as [number, ...string[]][]) {
    const ended = await command(...words, ...(words.includes('--data') ? [] : data))
    assert.equal(ended.code, code, words.join(' '))
    if (words[0] !== 'doctor') oneLine(ended.error)
  }
  assert.ok(!existsSync(join(folder, 'nowhere')), 'a command creates no data directory')
})

test('a start that cannot be says why in one sentence: exit 2 for a setting, 1 for the machine', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address() as AddressInfo
  writeFileSync(join(folder, 'file'), '')
  await sharedServer()
  for (const [code, says, words, more] of [
    [1, /^Port \d+ on 127\.0\.0\.1 is in use/, ['--data', join(folder, 'taken'), '--port', `${port}`]],
    [1, /cannot be written/, ['--data', join(folder, 'file/data'), '--port', '0']],
    [1, /cannot be written/, ['--data', '/proc/x', '--port', '0']],
    [1, /^Another Aglet process uses the data directory/, ['--data', join(folder, 'shared'), '--port', '0']],
    [1, /geo file/, ['--data', join(folder, 'geo'), '--port', '0', '--geo-file', join(folder, 'no.mmdb')]],
    [1, /root key|AGLET_ROOT_KEY/, ['--data', join(folder, 'key'), '--port', '0', '--root-key', 'short']],
    [2, /^--port is "abc"/, ['--port', 'abc']],
    [2, /did you mean --port/i, ['--prot', '1']],
    [2, /AGLET_PORT\?$/m, [], { AGLET_PROT: '1' }],
    [2, /AGLET_ORIGIN/, ['--host', '0.0.0.0']],
  ] as [number, RegExp, string[], Record<string, string>?][]) {
    const started = spawnAglet(['serve', ...words], more)
    assert.equal(await started.ended, code, `${words} ${started.error()}`)
    assert.match(started.error(), says)
    oneLine(started.error())
    assert.equal(started.out(), '')
  }
})

test('the operator’s commands work while the server runs and when it is down', async () => {
  const aglet = await sharedServer()
  const origin = new URL(value(aglet.out(), 'Status page')!).origin
  const options = ['--json', '--data', join(folder, 'shared'), '--environment', 'sandbox']
  const json = async (...words: string[]) => {
    const { code, out, error } = await command(...words, ...options)
    assert.deepEqual([code, error, out.split('\n').length], [0, '', 2])
    return JSON.parse(out)
  }
  const me = (token: string, base = origin) =>
    fetch(`${base}/sandbox/v1/me`, { headers: { authorization: `Bearer ${token}` } })

  const { teamId } = await json('team', 'create', '--name', 'Up')
  const { tagId, tagUrl } = await json('tag', 'create', '--team', teamId, '--name', 'Shop', '--domain', 'shop.example')
  assert.equal(tagUrl, `${origin}/sandbox/t/${tagId}`)
  const { token, tokenId } = await json('token', 'create', '--team', teamId, '--scopes', 'tag:read', '--expires', '30m')
  const told = (await (await me(token)).json()) as { scopes: string[]; tags: { tagId: string }[] }
  assert.deepEqual([told.scopes, told.tags[0]?.tagId], [['tag:read'], tagId])
  const { url } = await json('sign-in')
  assert.ok(url.startsWith(`${origin}/sandbox/v1/account/link/`), url)
  assert.equal((await fetch(url)).status, 200, 'a new link while the server runs')
  assert.equal((await json('doctor')).ok, true)
  await json('token', 'revoke', '--id', tokenId)
  const seal = ['secret', 'seal', '--base-url', `${origin}/sandbox/v1`, '--team', teamId, '--provider', 'eventSink']
  const sealing = await json('token', 'create', '--team', teamId)
  const sealed = ['--variable', 'EVENT_SINK_URL', '--type', 'TEXT', '--value', 'https://a.example/in']
  const entry = await json(...seal, '--token', sealing.token, ...sealed)
  assert.deepEqual(Object.keys(entry).sort(), ['data', 'iv', 'key', 'type', 'variable'])
  // A process caches a token for five seconds, and the commands above ran in that time.
  await until(async () => (await me(token)).status === 401, 5_000)
  await aglet.stop()

  const down = await json('team', 'create', '--name', 'Down')
  const made = await json('token', 'create', '--team', down.teamId)
  assert.equal((await json('doctor')).ok, true)
  const again = await serve('shared', ['--port', new URL(origin).port])
  assert.equal((await me(made.token)).status, 200)
  assert.equal((await me(token)).status, 401)
  await again.stop()
})

test('SIGINT stops it as cleanly as SIGTERM, and events that were accepted are there afterwards', async () => {
  const first = await serve('signal')
  const [send, journey] = curls(first.out()) as [string, string]
  const { port } = new URL(value(first.out(), 'Status page')!)
  const { result } = await sh(send)
  assert.equal(result.status, 'accepted')
  assert.equal(await stop(first, 'SIGINT'), 0, first.error())
  const second = await serve('signal', ['--port', port])
  await until(async () => (await sh(journey)).deliveries?.[0]?.status === 'delivered', 10_000)
  assert.equal(await second.stop(), 0)
})
