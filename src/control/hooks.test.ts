import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sinkBody,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const { snapshots, store } = control.environments.production
const url = 'https://ci.example.com/aglet?key=1'
const answers = (status: number) => ({ status, headers: {}, body: '', durationMs: 1 })

beforeEach(() => {
  control.hooks.asked.length = 0
  control.hooks.answer = answers(200)
})

const register = async (as: Customer, to = url) =>
  (await callControl(control, 'createHook', as, { body: { url: to } })).body
const post = async (as: Customer, more: Record<string, unknown> = {}) =>
  callControl(control, 'createScript', as, { body: await sinkBody(control, as, more) })
const state = async ({ tagId, teamId }: Customer) => ({
  live: snapshots.get(tagId),
  tag: await store.tag(tagId),
  scripts: (await store.scripts(tagId, { limit: 50 })).rows,
  deployment: (await store.deployment(tagId))?.number,
  audit: (await store.audit(teamId, { limit: 50 })).rows.length,
})

test('a new hook has a secret that is shown once; the list omits it, and the hook can be deleted', async () => {
  const as = await makeCustomer(control)
  const { hookId, secret, ...rest } = await register(as)
  assert.match(String(hookId), /^hook_/)
  assert.match(String(secret), /^whsec_/)
  assert.deepEqual(rest, { url })
  const listed = await callControl(control, 'listHooks', as)
  assert.deepEqual(listed.body, { hooks: [{ hookId, kind: 'deploy', url, createdAt: '2026-11-20' }] })
  const values = { hookId: String(hookId) }
  assert.deepEqual((await callControl(control, 'deleteHook', as, { values })).body, { hookId })
  assert.equal((await callControl(control, 'deleteHook', as, { values })).status, 404)
  assert.deepEqual((await callControl(control, 'listHooks', as)).body, { hooks: [] })
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

test("another team's hook is unknown, and is not called", async () => {
  const [as, other] = [await makeCustomer(control), await makeCustomer(control)]
  const { hookId } = await register(as)
  assert.equal((await callControl(control, 'deleteHook', other, { values: { hookId: String(hookId) } })).status, 404)
  assert.equal((await post(other)).status, 200)
  assert.deepEqual(control.hooks.asked, [])
})

test('a team has at most ten hooks, also after concurrent requests', async () => {
  const as = await makeCustomer(control)
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      callControl(control, 'createHook', as, { body: { url: `https://a.example/${n}` } }),
    ),
  )
  assert.equal(responses.filter(({ status }) => status === 200).length, 10)
  assert.deepEqual(
    responses.filter(({ status }) => status !== 200).map(({ body }) => body.error),
    ['TOO_MANY_HOOKS', 'TOO_MANY_HOOKS'],
  )
})

test('a malformed address is 400', async () => {
  const as = await makeCustomer(control)
  for (const bad of ['', 'x', 'file:///etc/passwd', 'https://u:p@a.com/', `https://a.com/${'x'.repeat(2_000)}`])
    assert.equal((await callControl(control, 'createHook', as, { body: { url: bad } })).status, 400)
})

test('an address that a deployment would refuse to call is refused at registration, and no hook is made', async () => {
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
      const { status, body } = await callControl(control, 'createHook', as, { body: { url: to, kind } })
      assert.deepEqual([to, status, body.error], [to, 400, 'BAD_REQUEST'])
      assert.deepEqual(
        (body.attributes!.issues as { path: string }[]).map(({ path }) => path),
        ['url'],
      )
    }
  assert.deepEqual((await callControl(control, 'listHooks', as)).body, { hooks: [] })
  control.names.set('outside.example.com', '8.8.8.8')
  assert.equal(
    (await callControl(control, 'createHook', as, { body: { url: 'https://outside.example.com/' } })).status,
    200,
  )
  assert.deepEqual(control.hooks.asked, [], 'nothing was called')
})

test('a hook cannot be registered without the scopes to read what it receives', async () => {
  for (const [kind, missing] of [
    ['deploy', 'tag:read'],
    ['alert', 'script:read'],
  ] as const) {
    const weak = await makeCustomer(control, { scopes: ['hook:write'] })
    const response = await callControl(control, 'createHook', weak, { body: { url, kind } })
    assert.deepEqual([response.status, response.body.attributes], [403, { missing: [missing] }])
    const equal = await makeCustomer(control, { scopes: ['hook:write', missing] })
    assert.equal((await callControl(control, 'createHook', equal, { body: { url, kind } })).status, 200)
  }
})

test('before a deployment goes live each hook gets a request signed with its secret, with the changes', async () => {
  const as = await makeCustomer(control)
  const { secret } = await register(as)
  const { body } = await post(as)
  const [request] = control.hooks.asked
  assert.equal(control.hooks.asked.length, 1)
  const payload = JSON.parse(request!.body!)
  assert.deepEqual(
    [payload.type, payload.data.tagId, payload.data.number, payload.data.by],
    ['deployment.pending', as.tagId, 2, as.tokenId],
  )
  assert.deepEqual(payload.data.changes.scripts, [
    { scriptId: body.scriptId, name: 'sink', change: 'added', fields: [] },
  ])
  assert.doesNotMatch(request!.body!, /sink\.example/)
  const { 'webhook-id': id, 'webhook-timestamp': at } = request!.headers
  const signed = new Webhook(String(secret)).sign(id!, new Date(Number(at) * 1_000), request!.body!)
  assert.equal(request!.headers['webhook-signature'], signed)
})

const writes: Record<string, (as: Customer, scriptId: string) => ReturnType<typeof callControl>> = {
  'POST /script': (as) => post(as, { name: 'second' }),
  'PUT /script': (as, scriptId) =>
    callControl(control, 'updateScript', as, {
      values: { scriptId },
      body: { name: 'new', providerId: 'eventSink', tagId: as.tagId },
    }),
  'PUT /tag': (as) => callControl(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { gpc: true } }),
  'POST /deploy': (as) => callControl(control, 'deployTag', as, { values: { tagId: as.tagId } }),
  'POST /activate': (as) => callControl(control, 'activateDeployment', as, { values: { tagId: as.tagId, number: 1 } }),
}
for (const [name, write] of Object.entries(writes)) {
  test(`${name}: a hook that objects prevents it: nothing is saved, and the response is 500 with hookErrors`, async () => {
    const as = await makeCustomer(control)
    const scriptId = await makeScript(control, as)
    await register(as)
    const before = await state(as)
    for (const answer of [
      answers(500),
      answers(302),
      { failed: 'timeout', message: 'No response in time.', durationMs: 5_000 } as const,
    ]) {
      control.hooks.answer = answer
      const { status, body } = await write(as, scriptId)
      assert.deepEqual([status, body.error, body.statusCode], [500, 'HOOK_FAILED', 500])
      const message = 'failed' in answer ? answer.message : `The hook responded with ${answer.status}.`
      assert.deepEqual(body.hookErrors, [{ message, url }])
      assert.deepEqual(await state(as), before)
    }
    control.hooks.answer = answers(204)
    assert.equal((await write(as, scriptId)).status, 200)
  })
}

test('DELETE of a script succeeds although a hook objects, and its response names the hook', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await register(as)
  control.hooks.answer = answers(503)
  const { status, body } = await callControl(control, 'deleteScript', as, { values: { scriptId } })
  assert.deepEqual([status, body], [200, { errors: [`${url}: The hook responded with 503.`] }])
  assert.deepEqual(snapshots.get(as.tagId)?.scripts, [])
})

test('a draft calls no hook, and neither does a change that is refused for another reason', async () => {
  const as = await makeCustomer(control)
  const first = await makeScript(control, as)
  await register(as)
  control.hooks.answer = answers(500)
  assert.equal((await post(as, { name: 'draft', shouldDeploy: false })).status, 200)
  assert.equal((await post(as)).body.error, 'NAME_TAKEN')
  const renamed = { name: 'draft', providerId: 'eventSink', tagId: as.tagId }
  assert.equal(
    (await callControl(control, 'updateScript', as, { values: { scriptId: first }, body: renamed })).status,
    400,
  )
  assert.equal((await post(as, { name: 'bad', geoRegions: 'Narnia' })).status, 400)
  const taken = { name: 'other', domain: 'a.com' }
  await callControl(control, 'createTag', as, { body: taken })
  assert.equal(
    (await callControl(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { name: 'other' } })).status,
    409,
  )
  assert.deepEqual(control.hooks.asked, [])
})

test('the objection of a hook is not logged as an error', () => {
  assert.deepEqual(
    control.lines.filter(({ level }) => level === 'error'),
    [],
  )
})
