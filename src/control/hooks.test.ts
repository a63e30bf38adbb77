import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { ask, type Customer, makeCustomer, makeScript, openControl, sinkBody } from '../../test/fake/control.ts'

const control = await openControl()
after(control.close)
const { snapshots, store } = control.worlds.production
const url = 'https://ci.example.com/aglet?key=1'
const answers = (status: number) => ({ status, headers: {}, body: '', durationMs: 1 })

beforeEach(() => {
  control.hooks.asked.length = 0
  control.hooks.answer = answers(200)
})

const register = async (as: Customer, to = url) => (await ask(control, 'createHook', as, { body: { url: to } })).body
const post = async (as: Customer, more: Record<string, unknown> = {}) =>
  ask(control, 'createScript', as, { body: await sinkBody(control, as, more) })
const state = async ({ tagId, teamId }: Customer) => ({
  live: snapshots.get(tagId),
  tag: await store.tag(tagId),
  scripts: (await store.scripts(tagId, { limit: 50 })).rows,
  deployment: (await store.deployment(tagId))?.number,
  audit: (await store.audit(teamId, { limit: 50 })).rows.length,
})

test('a hook is made with a secret that is shown once; the list has it without, and it can be removed', async () => {
  const as = await makeCustomer(control)
  const { hookId, secret, ...rest } = await register(as)
  assert.match(String(hookId), /^hook_/)
  assert.match(String(secret), /^whsec_/)
  assert.deepEqual(rest, { url })
  const listed = await ask(control, 'listHooks', as)
  assert.deepEqual(listed.body, { hooks: [{ hookId, kind: 'deploy', url, createdAt: '2026-11-20' }] })
  const values = { hookId: String(hookId) }
  assert.deepEqual((await ask(control, 'deleteHook', as, { values })).body, { hookId })
  assert.equal((await ask(control, 'deleteHook', as, { values })).status, 404)
  assert.deepEqual((await ask(control, 'listHooks', as)).body, { hooks: [] })
  const { rows } = await store.audit(as.teamId, { limit: 2 })
  assert.deepEqual(
    rows.map(({ what, object, before, after }) => [what, object, before ?? after]),
    [
      ['deleteHook', hookId, { kind: 'deploy', host: 'ci.example.com' }],
      ['createHook', hookId, { kind: 'deploy', host: 'ci.example.com' }],
    ],
  )
  assert.doesNotMatch(JSON.stringify([rows, control.lines, listed.body]), /whsec_/)
})

test("another team's hook is as unknown as none, and is not asked", async () => {
  const [as, other] = [await makeCustomer(control), await makeCustomer(control)]
  const { hookId } = await register(as)
  assert.equal((await ask(control, 'deleteHook', other, { values: { hookId: String(hookId) } })).status, 404)
  assert.equal((await post(other)).status, 200)
  assert.deepEqual(control.hooks.asked, [])
})

test('a team has at most ten hooks, also when it asks for more at once', async () => {
  const as = await makeCustomer(control)
  const told = await Promise.all(
    Array.from({ length: 12 }, (_, n) => ask(control, 'createHook', as, { body: { url: `https://a.example/${n}` } })),
  )
  assert.equal(told.filter(({ status }) => status === 200).length, 10)
  assert.deepEqual(
    told.filter(({ status }) => status !== 200).map(({ body }) => body.error),
    ['TOO_MANY_HOOKS', 'TOO_MANY_HOOKS'],
  )
})

test('what is no address is 400', async () => {
  const as = await makeCustomer(control)
  for (const bad of ['', 'x', 'file:///etc/passwd', 'https://u:p@a.com/', `https://a.com/${'x'.repeat(2_000)}`])
    assert.equal((await ask(control, 'createHook', as, { body: { url: bad } })).status, 400)
})

test('what a deployment would refuse to call is refused when it is registered, and no hook is made', async () => {
  const as = await makeCustomer(control)
  control.names.set('inside.example.com', '10.0.0.7')
  const bad = [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/',
    'https://2130706433/',
  ]
  for (const kind of ['deploy', 'alert'])
    for (const to of [...bad, 'https://example.com:8443/', 'https://inside.example.com/']) {
      const { status, body } = await ask(control, 'createHook', as, { body: { url: to, kind } })
      assert.deepEqual([to, status, body.error], [to, 400, 'BAD_REQUEST'])
      assert.deepEqual(
        (body.attributes!.issues as { path: string }[]).map(({ path }) => path),
        ['url'],
      )
    }
  assert.deepEqual((await ask(control, 'listHooks', as)).body, { hooks: [] })
  control.names.set('outside.example.com', '8.8.8.8')
  assert.equal((await ask(control, 'createHook', as, { body: { url: 'https://outside.example.com/' } })).status, 200)
  assert.deepEqual(control.hooks.asked, [], 'nothing was called')
})

test('a hook is told nothing that whoever registers it may not read', async () => {
  for (const [kind, missing] of [
    ['deploy', 'tag:read'],
    ['alert', 'script:read'],
  ] as const) {
    const weak = await makeCustomer(control, { scopes: ['hook:write'] })
    const told = await ask(control, 'createHook', weak, { body: { url, kind } })
    assert.deepEqual([told.status, told.body.attributes], [403, { missing: [missing] }])
    const equal = await makeCustomer(control, { scopes: ['hook:write', missing] })
    assert.equal((await ask(control, 'createHook', equal, { body: { url, kind } })).status, 200)
  }
})

test('before a deployment goes live each hook is asked, signed with its secret, and told what will change', async () => {
  const as = await makeCustomer(control)
  const { secret } = await register(as)
  const { body } = await post(as)
  const [request] = control.hooks.asked
  assert.equal(control.hooks.asked.length, 1)
  const told = JSON.parse(request!.body!)
  assert.deepEqual(
    [told.type, told.data.tagId, told.data.number, told.data.by],
    ['deployment.pending', as.tagId, 2, as.tokenId],
  )
  assert.deepEqual(told.data.changes.scripts, [{ scriptId: body.scriptId, name: 'sink', change: 'added', fields: [] }])
  assert.doesNotMatch(request!.body!, /sink\.example/)
  const { 'webhook-id': id, 'webhook-timestamp': at } = request!.headers
  const signed = new Webhook(String(secret)).sign(id!, new Date(Number(at) * 1_000), request!.body!)
  assert.equal(request!.headers['webhook-signature'], signed)
})

const writes: Record<string, (as: Customer, scriptId: string) => ReturnType<typeof ask>> = {
  'POST /script': (as) => post(as, { name: 'second' }),
  'PUT /script': (as, scriptId) =>
    ask(control, 'updateScript', as, {
      values: { scriptId },
      body: { name: 'new', providerId: 'eventSink', tagId: as.tagId },
    }),
  'PUT /tag': (as) => ask(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { gpc: true } }),
  'POST /deploy': (as) => ask(control, 'deployTag', as, { values: { tagId: as.tagId } }),
  'POST /activate': (as) => ask(control, 'activateDeployment', as, { values: { tagId: as.tagId, number: 1 } }),
}
for (const [name, write] of Object.entries(writes)) {
  test(`${name}: a hook that does not agree stops it: nothing is saved, 500 with hookErrors`, async () => {
    const as = await makeCustomer(control)
    const scriptId = await makeScript(control, as)
    await register(as)
    const before = await state(as)
    for (const answer of [
      answers(500),
      answers(302),
      { failed: 'timeout', message: 'No answer came in time.', durationMs: 5_000 } as const,
    ]) {
      control.hooks.answer = answer
      const { status, body } = await write(as, scriptId)
      assert.deepEqual([status, body.error, body.statusCode], [500, 'HOOK_FAILED', 500])
      const message = 'failed' in answer ? answer.message : `It answered ${answer.status}.`
      assert.deepEqual(body.hookErrors, [{ message, url }])
      assert.deepEqual(await state(as), before)
    }
    control.hooks.answer = answers(204)
    assert.equal((await write(as, scriptId)).status, 200)
  })
}

test('DELETE of a script is done whatever a hook says, and its answer names the hook', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await register(as)
  control.hooks.answer = answers(503)
  const { status, body } = await ask(control, 'deleteScript', as, { values: { scriptId } })
  assert.deepEqual([status, body], [200, { errors: [`${url}: It answered 503.`] }])
  assert.deepEqual(snapshots.get(as.tagId)?.scripts, [])
})

test('a draft asks no hook, nor does what is refused for another reason', async () => {
  const as = await makeCustomer(control)
  const first = await makeScript(control, as)
  await register(as)
  control.hooks.answer = answers(500)
  assert.equal((await post(as, { name: 'draft', shouldDeploy: false })).status, 200)
  assert.equal((await post(as)).body.error, 'NAME_TAKEN')
  const renamed = { name: 'draft', providerId: 'eventSink', tagId: as.tagId }
  assert.equal((await ask(control, 'updateScript', as, { values: { scriptId: first }, body: renamed })).status, 400)
  assert.equal((await post(as, { name: 'bad', geoRegions: 'Narnia' })).status, 400)
  const taken = { name: 'other', domain: 'a.com' }
  await ask(control, 'createTag', as, { body: taken })
  assert.equal(
    (await ask(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { name: 'other' } })).status,
    409,
  )
  assert.deepEqual(control.hooks.asked, [])
})

test('a hook that objects is no bug of ours: nothing is logged as an error', () => {
  assert.deepEqual(
    control.lines.filter(({ level }) => level === 'error'),
    [],
  )
})
