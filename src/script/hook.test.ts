import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { openKeyring } from '#account/keyring.ts'
import { openSender } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { HookRecord } from '#store/store.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { openVendor } from '../../test/fake/vendor.ts'
import { askHooks, type HookWorld, hookLimits, makeHook, readHookUrl, showHook } from './hook.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.makeTeam('team_1')
keys.makeTeam('team_2')
const clock = turnedClock(Date.now())
const pending = {
  teamId: 'team_1',
  tagId: 'tag_1',
  number: 7,
  by: 'tok_1',
  changes: { settings: ['gpc'], scripts: [] },
}
const { row, secret } = makeHook('team_1', 'https://ci.example.com/aglet', { keys, clock })

type Answer = Awaited<ReturnType<HookWorld['send']>>
const answered = (status: number): Answer => ({ status, headers: {}, body: 'secret page', durationMs: 1 })

function world(hooks: HookRecord[], answer: (url: string) => Answer) {
  const asked: [WireRequest, string][] = []
  const on: HookWorld = {
    environment: 'production',
    clock,
    keys,
    store: { hooks: async () => ({ rows: hooks }) },
    async send(request, host) {
      asked.push([request, host])
      return answer(request.url)
    },
  }
  return { on, asked }
}

test('a hook is asked by a POST that says what will go live, through the guard, signed by Standard Webhooks', async () => {
  const { on, asked } = world([row], () => answered(200))
  assert.deepEqual(await askHooks(pending, on), [])
  const [request, host] = asked[0]!
  assert.deepEqual([request.method, request.url, host], ['POST', 'https://ci.example.com/aglet', 'customer'])
  assert.deepEqual(new Webhook(secret).verify(request.body!, request.headers), {
    type: 'deployment.pending',
    timestamp: new Date(clock.now()).toISOString(),
    data: { environment: 'production', ...pending },
  })
  assert.match(request.headers['webhook-id']!, /^msg_/)
})

/** The names of the members, all the way down. */
const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]))
    : typeof value

test('the documentation shows what a hook gets', async () => {
  const text = readFileSync(new URL('../../docs/tags-and-deployments.md', import.meta.url), 'utf8')
  const shown = JSON.parse(/```json\n(.*?)```/s.exec(text)![1]!)
  const { on, asked } = world([row], () => answered(200))
  await askHooks(pending, on)
  assert.deepEqual(shape(shown), shape(JSON.parse(asked[0]![0].body!)))
})

test('2xx agrees; any other status, a redirect too, and no answer object, without a word of the body', async () => {
  for (const status of [200, 201, 204, 299])
    assert.deepEqual(await askHooks(pending, world([row], () => answered(status)).on), [])
  for (const status of [199, 301, 400, 404, 500]) {
    const told = await askHooks(pending, world([row], () => answered(status)).on)
    assert.deepEqual(told, [{ message: `It answered ${status}.`, url: row.url }])
  }
  const failed = { failed: 'timeout', message: 'No answer came in time.', durationMs: 5_000 } as const
  const told = await askHooks(pending, world([row], () => failed).on)
  assert.deepEqual(told, [{ message: 'No answer came in time.', url: row.url }])
})

test('every hook of the team is asked, and each that objects is named', async () => {
  const others = ['https://b.example/', 'https://c.example/'].map((url) => makeHook('team_1', url, { keys, clock }).row)
  const { on, asked } = world([row, ...others], (url) => answered(url.includes('c.') ? 503 : 200))
  assert.deepEqual(await askHooks(pending, on), [{ message: 'It answered 503.', url: 'https://c.example/' }])
  assert.equal(asked.length, 3)
})

test('the secret is new for each hook and sealed at rest for this hook of this team alone', async () => {
  const other = makeHook('team_1', row.url, { keys, clock })
  assert.notEqual(other.secret, secret)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const raw = Buffer.from(secret.slice('whsec_'.length), 'base64')
  assert.equal(Buffer.from(row.sealedSecret).includes(raw), false)
  for (const moved of [
    { ...row, hookId: other.row.hookId },
    { ...row, teamId: 'team_2' },
  ])
    await assert.rejects(askHooks(pending, world([moved], () => answered(200)).on))
  assert.deepEqual(Object.keys(showHook(row)), ['hookId', 'kind', 'url', 'createdAt'])
})

test('what is no address that can be called is refused when it is registered', () => {
  for (const url of ['', 'x', 'ftp://a.com/', 'https://user:pw@a.com/', 'https://a.com/#x', 'javascript:alert(1)'])
    assert.throws(() => readHookUrl(url), { fault: 'badRequest' })
  assert.equal(readHookUrl('https://A.com/x?y=1'), 'https://a.com/x?y=1')
})

test('a hook that does not answer within its time stops the deployment', async () => {
  const { promise, resolve } = Promise.withResolvers<object>()
  const slow = await openVendor(() => promise)
  const send = openSender({
    allowPrivate: true,
    outboundPorts: [],
    limits: { ...hookLimits, headersMs: 50, totalMs: 50 },
  })
  after(async () => {
    resolve({})
    await send.close()
    await slow.close()
  })
  const { row: hook } = makeHook('team_1', slow.url, { keys, clock })
  const told = await askHooks(pending, { ...world([hook], () => answered(200)).on, send })
  assert.deepEqual(told, [{ message: 'No answer came in time.', url: hook.url }])
  assert.equal(hookLimits.totalMs, 5_000)
})

test('an address inside the network is not called', async () => {
  const send = openSender({ allowPrivate: false, outboundPorts: [], limits: hookLimits })
  after(send.close)
  for (const url of ['https://127.0.0.1/', 'http://example.com/', 'https://[::1]/', 'https://169.254.169.254/']) {
    const { row: hook } = makeHook('team_1', url, { keys, clock })
    const told = await askHooks(pending, { ...world([hook], () => answered(200)).on, send })
    assert.deepEqual(told, [{ message: 'This address is not allowed.', url: hook.url }])
  }
})
