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
import { askDeployHooks, type HookDeps, hookLimits, newHook, parseHookUrl, showHook } from './hook.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
keys.createTeamKey('team_2')
const clock = turnedClock(Date.now())
const pending = {
  teamId: 'team_1',
  tagId: 'tag_1',
  number: 7,
  by: 'tok_1',
  changes: { settings: ['gpc'], scripts: [] },
}
const { row, secret } = newHook('team_1', 'https://ci.example.com/aglet', { keys, clock })

type Answer = Awaited<ReturnType<HookDeps['send']>>
const answerWith = (status: number): Answer => ({ status, headers: {}, body: 'secret page', durationMs: 1 })

function openHookDeps(hooks: HookRecord[], answer: (url: string) => Answer) {
  const sent: [WireRequest, string][] = []
  const hookDeps: HookDeps = {
    environment: 'production',
    clock,
    keys,
    store: { hooks: async () => ({ rows: hooks }) },
    async send(request, host) {
      sent.push([request, host])
      return answer(request.url)
    },
  }
  return { hookDeps, sent }
}

test('a hook gets a POST with the pending deployment, through the outbound guard, signed by Standard Webhooks', async () => {
  const { hookDeps, sent } = openHookDeps([row], () => answerWith(200))
  assert.deepEqual(await askDeployHooks(pending, hookDeps), [])
  const [request, host] = sent[0]!
  assert.deepEqual([request.method, request.url, host], ['POST', 'https://ci.example.com/aglet', 'customer'])
  assert.deepEqual(new Webhook(secret).verify(request.body!, request.headers), {
    type: 'deployment.pending',
    timestamp: new Date(clock.now()).toISOString(),
    data: { environment: 'production', ...pending },
  })
  assert.match(request.headers['webhook-id']!, /^msg_/)
})

/** The names of the members at all depths. */
const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]))
    : typeof value

test('the documentation shows the message to a hook', async () => {
  const text = readFileSync(new URL('../../docs/tags-and-deployments.md', import.meta.url), 'utf8')
  const shown = JSON.parse(/```json\n(.*?)```/s.exec(text)![1]!)
  const { hookDeps, sent } = openHookDeps([row], () => answerWith(200))
  await askDeployHooks(pending, hookDeps)
  assert.deepEqual(shape(shown), shape(JSON.parse(sent[0]![0].body!)))
})

test('a 2xx agrees; any other status, including a redirect, and no answer are objections, which never quote the body', async () => {
  for (const status of [200, 201, 204, 299])
    assert.deepEqual(await askDeployHooks(pending, openHookDeps([row], () => answerWith(status)).hookDeps), [])
  for (const status of [199, 301, 400, 404, 500]) {
    const verified = await askDeployHooks(pending, openHookDeps([row], () => answerWith(status)).hookDeps)
    assert.deepEqual(verified, [{ message: `The hook responded with ${status}.`, url: row.url }])
  }
  const failed = { failed: 'timeout', message: 'No response in time.', durationMs: 5_000 } as const
  const verified = await askDeployHooks(pending, openHookDeps([row], () => failed).hookDeps)
  assert.deepEqual(verified, [{ message: 'No response in time.', url: row.url }])
})

test('every hook of the team is asked, and each one that objects is named', async () => {
  const others = ['https://b.example/', 'https://c.example/'].map((url) => newHook('team_1', url, { keys, clock }).row)
  const { hookDeps, sent } = openHookDeps([row, ...others], (url) => answerWith(url.includes('c.') ? 503 : 200))
  assert.deepEqual(await askDeployHooks(pending, hookDeps), [
    { message: 'The hook responded with 503.', url: 'https://c.example/' },
  ])
  assert.equal(sent.length, 3)
})

test('the secret is new for each hook, and sealed at rest for this hook of this team only', async () => {
  const other = newHook('team_1', row.url, { keys, clock })
  assert.notEqual(other.secret, secret)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const raw = Buffer.from(secret.slice('whsec_'.length), 'base64')
  assert.equal(Buffer.from(row.sealedSecret).includes(raw), false)
  for (const moved of [
    { ...row, hookId: other.row.hookId },
    { ...row, teamId: 'team_2' },
  ])
    await assert.rejects(askDeployHooks(pending, openHookDeps([moved], () => answerWith(200)).hookDeps))
  assert.deepEqual(Object.keys(showHook(row)), ['hookId', 'kind', 'url', 'createdAt'])
})

test('an invalid address is refused at registration', () => {
  for (const url of ['', 'x', 'ftp://a.com/', 'https://user:pw@a.com/', 'https://a.com/#x', 'javascript:alert(1)'])
    assert.throws(() => parseHookUrl(url), { fault: 'badRequest' })
  assert.equal(parseHookUrl('https://A.com/x?y=1'), 'https://a.com/x?y=1')
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
  const { row: hook } = newHook('team_1', slow.url, { keys, clock })
  const verified = await askDeployHooks(pending, { ...openHookDeps([hook], () => answerWith(200)).hookDeps, send })
  assert.deepEqual(verified, [{ message: 'No response in time.', url: hook.url }])
  assert.equal(hookLimits.totalMs, 5_000)
})

test('a private address is not called', async () => {
  const send = openSender({ allowPrivate: false, outboundPorts: [], limits: hookLimits })
  after(send.close)
  for (const url of ['https://127.0.0.1/', 'http://example.com/', 'https://[::1]/', 'https://169.254.169.254/']) {
    const { row: hook } = newHook('team_1', url, { keys, clock })
    const verified = await askDeployHooks(pending, { ...openHookDeps([hook], () => answerWith(200)).hookDeps, send })
    assert.deepEqual(verified, [{ message: 'This address is not allowed.', url: hook.url }])
  }
})

test('hooks of one team that do not answer delay no deployment of another team', async () => {
  const silent = Promise.withResolvers<Answer>()
  const started: string[] = []
  const hooks = Array.from(
    { length: 10 },
    (_, n) => newHook('team_1', `https://dead-${n}.example/`, { keys, clock }).row,
  )
  const depsOf = (rows: HookRecord[], answer: () => Promise<Answer> | Answer): HookDeps => ({
    ...openHookDeps(rows, () => answerWith(200)).hookDeps,
    async send({ url }) {
      started.push(url)
      return answer()
    },
  })
  const dead = depsOf(hooks, () => silent.promise)
  const waiting = Array.from({ length: 15 }, () => askDeployHooks(pending, dead))
  const other = newHook('team_2', 'https://ci.example.com/', { keys, clock }).row
  assert.deepEqual(
    await askDeployHooks(
      { ...pending, teamId: 'team_2' },
      depsOf([other], () => answerWith(200)),
    ),
    [],
  )
  assert.equal(started.filter((url) => url.includes('dead')).length, 10, 'as many as a team may have at once')
  silent.resolve(answerWith(200))
  assert.deepEqual((await Promise.all(waiting)).flat(), [])
  const beyond = Promise.all(Array.from({ length: 40 }, () => askDeployHooks(pending, dead)))
  assert.match((await beyond).flat()[0]!.message, /Too many hook calls are waiting/)
})
