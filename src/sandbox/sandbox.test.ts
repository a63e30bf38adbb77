import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { areSufficient, type ChildCommand, childCommands } from './isolationLayers.ts'
import type { Job, RunResult } from './job.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
before(async () => {
  const fetch = async ({ url, method, body }: { url: string; method: string; body: string | null }) => ({
    url,
    status: 201,
    headers: { 'content-type': 'text/plain', 'x-method': method },
    body: body ?? 'none',
  })
  sandbox = await openSandbox({ fetch, acceptWeak: true })
})
after(() => sandbox.close())

const job = (code: string, more: Partial<Job> = {}): Job => ({
  teamId: 'team',
  key: code,
  code,
  name: 'process',
  resultKind: 'value',
  params: {},
  secrets: [],
  ...more,
})
const run = (code: string, more: Partial<Job> = {}) => sandbox.run(job(code, more))
const valueIn = (result: RunResult) => {
  assert.ok('value' in result, JSON.stringify(result))
  return result.value
}
const value = async (body: string, more: Partial<Job> = {}) =>
  valueIn(await run(`async function process(params) {\n${body}\n}`, more))

test('a function gets a Request and returns a Response', async () => {
  const result = await run(
    `async process({ request, secrets }) {
      const { n } = await request.json()
      return new Response(request.method + n + secrets.KEY + request.url, { status: 202, headers: { 'X-A': request.headers.get('x-in') } })
    }`,
    {
      resultKind: 'response',
      params: {
        request: { url: 'https://d.example/w?x=1', method: 'POST', headers: [['X-In', 'a']], body: '{"n":2}' },
        secrets: { KEY: 'k' },
      },
    },
  )
  assert.deepEqual(valueIn(result), {
    status: 202,
    headers: [
      ['content-type', 'text/plain;charset=UTF-8'],
      ['x-a', 'a'],
    ],
    body: 'POST2khttps://d.example/w?x=1',
  })
})

test('a result that is no Response is an error where a Response is required', async () => {
  const result = await run('async process() { return { status: 200 } }', { resultKind: 'response' })
  assert.ok('error' in result && result.error.message.includes('must return a Response'))
})

test('an error has the line and column of the customer’s code, as a method or a function', async () => {
  for (const code of [
    'async process() {\n  await null\n  null.x\n}',
    'async function process() {\n  await null\n  null.x\n}',
  ]) {
    const result = await run(code)
    assert.ok('error' in result)
    assert.deepEqual([result.error.line, result.error.column], [3, 8])
    assert.match(result.error.message, /^TypeError: Cannot read/)
  }
  const first = await run('async process() { null.x }')
  assert.ok('error' in first)
  assert.deepEqual([first.error.line, first.error.column], [1, 24])
})

test('code that does not parse, fails at its top level or lacks the function is an error of each run', async () => {
  for (const code of ['async process() { return ( }', 'throw new Error("outer")', 'const other = 1', '']) {
    const result = await run(code)
    assert.ok('error' in result, code)
  }
})

test('calls pass and return JSON, and an error of a call has its message', async () => {
  const calls = {
    double: async (n: unknown) => ({ n: (n as number) * 2 }),
    fail: async () => {
      throw new Error('No such user')
    },
  }
  const body = `const errors = await params.fail().catch((e) => [e instanceof Error, e.message])
    return [await params.double(21), errors, typeof params.other]`
  assert.deepEqual(await value(body, { calls }), [{ n: 42 }, [true, 'No such user'], 'undefined'])
})

test('the arguments of calls are bounded: each in length and values, and those of a run together', async () => {
  const taken: number[] = []
  const calls = { take: async (given: unknown) => taken.push(JSON.stringify(given).length) }
  const caught = (list: string) =>
    value(
      `const said = []
    for (const given of ${list}) await params.take(given).catch(({ message }) => said.push(message))
    return said`,
      { calls },
    )
  const wide = (count: number) => `Array(${count}).fill(0)`
  const long = (length: number) => `'x'.repeat(${length})`
  assert.deepEqual(await caught(`[${wide(49_000)}, ${long(1_000_000)}]`), [])
  assert.match(`${await caught(`[${wide(51_000)}]`)}`, /at most 50000 values/)
  assert.match(`${await caught(`[${'['.repeat(40)}${']'.repeat(40)}]`)}`, /at most 32 levels/)
  assert.match(`${await caught(`[${long(1_048_577)}]`)}`, /longer than 1 MiB/)
  assert.match(`${await caught(`Array(5).fill(${wide(45_000)})`)}`, /200000 values per run/)
  assert.match(`${await caught(`Array(5).fill(${long(1_000_000)})`)}`, /of all calls of a run must be at most 4 MiB/)
  assert.equal(taken.length, 2 + 4 + 4)
})

test('fetch calls the host with method and body, and returns a Response', async () => {
  const body = `const r = await fetch('https://x.example/a', { method: 'post', body: new URLSearchParams({ a: 'ü' }) })
    return [r.status, r.ok, r.url, r.headers.get('X-Method'), await r.text()]`
  assert.deepEqual(await value(body), [201, true, 'https://x.example/a', 'POST', 'a=%C3%BC'])
  const eleven = await run(`async process() { for (let n = 0; n < 11; n++) await fetch('https://x.example') }`)
  assert.ok('error' in eleven && eleven.error.message.includes('at most 10 times'))
})

test('logs are collected in order and redacted, also when the run ends by a breach', async () => {
  const code = `async process({ logger }) { logger.log('a', { b: 1 }); console.error('key sekret-123'); for (;;); }`
  assert.deepEqual(await run(code, { secrets: ['sekret-123'] }), {
    breach: 'cpu',
    message: 'The code used more than half a second of computing time.',
    logs: [
      { level: 'log', text: 'a {"b":1}' },
      { level: 'error', text: 'key •••' },
    ],
  })
})

test('HMAC and digests equal those of node:crypto', async () => {
  const body = `const e = new TextEncoder()
    const hex = (b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, '0')).join('')
    const key = await crypto.subtle.importKey('raw', e.encode('key'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
    const data = e.encode('The quick brown fox jumps over the lazy dog')
    const signature = await crypto.subtle.sign('HMAC', key, data)
    return [hex(signature), hex(await crypto.subtle.digest('SHA-1', new Uint8Array())),
      await crypto.subtle.verify('HMAC', key, signature, data), await crypto.subtle.verify('HMAC', key, signature, e.encode('x'))]`
  assert.deepEqual(await value(body), [
    'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    true,
    false,
  ])
})

test('timingSafeEqual and verify compare all bytes and the length', async () => {
  const body = `const bytes = (...all) => new Uint8Array(all)
    const same = (one, other) => crypto.subtle.timingSafeEqual(one, other)
    const key = await crypto.subtle.importKey('raw', bytes(1), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
    const signature = await crypto.subtle.sign('HMAC', key, bytes(2))
    return [same(bytes(0, 255), bytes(0, 255).buffer), same(bytes(1, 2), bytes(1, 3)), same(bytes(1), bytes(1, 1)), same(bytes(), bytes()),
      await crypto.subtle.verify('HMAC', key, signature.slice(0, 31), bytes(2)), await crypto.subtle.verify('HMAC', key, bytes(), bytes(2))]`
  assert.deepEqual(await value(body), [true, false, false, true, false, false])
})

test('URL, TextDecoder, atob and btoa behave as in browsers', async () => {
  const body = `const u = new URL('../b?x=1&x=2#h', 'https://é.example:8443/a/c')
    u.searchParams.append('y', 'ä b'); u.pathname = '/z'
    const d = new TextDecoder('utf-16le').decode(new Uint8Array([0x61, 0, 0xe9, 0]))
    return [u.href, u.host, u.searchParams.getAll('x'), URL.canParse('no'), d, atob(btoa('hi')), /^[0-9a-f-]{36}$/.test(crypto.randomUUID())]`
  const href = 'https://xn--9ca.example:8443/z?x=1&x=2&y=%C3%A4+b#h'
  assert.deepEqual(await value(body), [href, 'xn--9ca.example:8443', ['1', '2'], false, 'aé', 'hi', true])
})

test('header names are case-insensitive, values are joined, and invalid headers are refused', async () => {
  const body = `const h = new Headers([['A', '1'], ['a', '2']]); h.set('B', ' x '); const errors = []
    for (const [n, v] of [['a b', '1'], ['a', '1\\r\\n2'], ['', '1']]) try { h.set(n, v) } catch (e) { errors.push(e.name) }
    return [[...h], h.get('none'), errors]`
  assert.deepEqual(await value(body), [
    [
      ['a', '1, 2'],
      ['b', 'x'],
    ],
    null,
    ['TypeError', 'TypeError', 'TypeError'],
  ])
})

test('globals can survive between the runs of one script version, and never reach another version', async () => {
  const count = 'let n = 0\nasync function process() { return ++n }'
  assert.equal(valueIn(await run(count, { key: 's/1' })), 1)
  assert.equal(valueIn(await run(count, { key: 's/1' })), 2)
  assert.equal(valueIn(await run(count, { key: 's/2' })), 1)
})

test('params are at most 256 KiB large and 32 levels deep', async () => {
  let deep: unknown = 1
  for (let n = 0; n < 10_000; n++) deep = [deep]
  for (const params of [{ x: 'x'.repeat(256 * 1024) }, { deep }]) {
    const result = await run('async process() { return 1 }', { params })
    assert.ok('breach' in result && result.breach === 'params')
  }
})

test('a breach ends only its own run, and the queued runs start once in another child', async () => {
  // On a busy machine, a loop may reach the usual wall time before its CPU time.
  const patient = await openSandbox({ fetch: async () => assert.fail(), acceptWeak: true, limits: { wallMs: 60_000 } })
  after(() => patient.close())
  let started = 0
  const calls = { begin: async () => ++started }
  const code = 'async process({ bad, begin }) { await begin(); if (bad) for (;;); return 1 }'
  const all = await Promise.all(
    [false, false, true, false, false, false].map((bad) => patient.run(job(code, { params: { bad }, calls }))),
  )
  assert.equal(all.filter((result) => 'breach' in result && result.breach === 'cpu').length, 1)
  assert.equal(all.filter((result) => 'value' in result).length, 5)
  assert.equal(started, 6)
})

test('at most four runs of a team are active at once', async () => {
  const gates: (() => void)[] = []
  let peak = 0
  let active = 0
  const hold = () =>
    new Promise<number>((resolve) => {
      peak = Math.max(peak, ++active)
      gates.push(() => {
        active--
        resolve(1)
      })
      if (peak < 4) return
      setImmediate(() => {
        for (const open of gates.splice(0)) open()
      })
    })
  const code = 'async process({ hold }) { return hold() }'
  const all = await Promise.all(Array.from({ length: 12 }, () => run(code, { calls: { hold }, teamId: 'four' })))
  assert.equal(all.filter((result) => 'value' in result).length, 12)
  assert.equal(peak, 4)
})

test('a run that exceeds its wall time is marked as waiting when a call is unanswered', async () => {
  const slow = await openSandbox({ fetch: () => new Promise(() => {}), acceptWeak: true, limits: { wallMs: 2_000 } })
  after(() => slow.close())
  const waiting = async (body: string) => {
    const code = `async process({ isOn, ask }) { await ask(); if (isOn) { ${body} } }`
    const begin = (isOn: boolean) => slow.run(job(code, { params: { isOn }, calls: { ask: async () => 1 } }))
    assert.ok('value' in (await begin(false)), 'a child is up that has the code')
    const result = await begin(true)
    assert.ok('breach' in result && result.breach === 'wall', JSON.stringify(result))
    return result.isWaiting
  }
  assert.equal(await waiting('await fetch("https://slow.example/")'), true)
  assert.equal(await waiting('await new Promise(() => {})'), undefined)
})

test('the state has the isolation layers, and code runs with them', () => {
  const { layers, off } = sandbox.state
  assert.equal(off, undefined)
  assert.equal(layers.permission, true)
  if (process.getuid?.() === 0 && process.platform === 'linux') assert.ok(areSufficient(layers))
})

test('a child that Node’s permission model does not restrict has no such layer', async () => {
  const commands = async (engine: string) =>
    (await childCommands(engine)).slice(-1).map((command): ChildCommand => {
      const { program, args } = command(0)
      const unrestricted = args.filter((arg) => !arg.startsWith('--allow-') && arg !== '--permission')
      return () => ({ program, args: unrestricted })
    })
  const unrestricted = await openSandbox({ fetch: async () => assert.fail(), acceptWeak: true, commands })
  await unrestricted.close()
  assert.equal(unrestricted.state.layers.permission, false)
})

test('a child is replaced after its runs, and a closed sandbox runs nothing', async () => {
  const few = await openSandbox({
    fetch: async () => assert.fail(),
    acceptWeak: true,
    limits: { maxRuns: 2, warmProcesses: 0 },
  })
  const count = job('let n = 0\nasync function process() { return ++n }')
  const counts: unknown[] = []
  for (let n = 0; n < 4; n++) counts.push(valueIn(await few.run(count)))
  assert.deepEqual(counts, [1, 2, 1, 2])
  await few.close()
  assert.ok('notRun' in (await few.run(count)))
})
