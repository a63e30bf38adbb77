import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import type { Journey } from '#contract/journey.ts'
import type { Scope } from '#contract/scopes.ts'
import {
  type ControlRequest,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sealPlain,
  sinkBody,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const { tagId } = as
const environment = control.environments.production
const call = (id: Parameters<typeof callControl>[1], asked: ControlRequest) => callControl(control, id, as, asked)
const url = 'https://sink.example/in'
const saved = await makeScript(control, as, { name: 'live' })
const secrets = await sealPlain(
  control,
  as,
  'eventSink',
  ['EVENT_SINK_URL', 'TEXT', url],
  ['EVENT_SINK_HEADERS', 'TEXT', '{"x-key":"hunter2-canary"}'],
)
const draftId = String(
  (await call('createScript', { body: await sinkBody(control, as, { name: 'draft', secrets, shouldDeploy: false }) }))
    .body.scriptId,
)
const consent = { storage: { service: { consent: { all: true } } } }
const event = { eventName: 'Purchase', data: { value: 30, currency: 'EUR' }, userEmail: 'jane@example.com', ...consent }
type Tested = { status: number; body: Journey & { isTest: true; error?: string } }
const run = (body: Record<string, unknown>) =>
  call('testTag', { values: { tagId }, body: { event, send: false, ...body } }) as unknown as Promise<Tested>
const deliveriesOf = ({ body }: Tested) =>
  body.deliveries.map(({ scriptId, status, reason }) => [scriptId, status, reason])
const stored = () => environment.store.queries(as.teamId).events(tagId, {}, { limit: 10 })

test('a test without sending shows the requests of every saved script, drafts included, and sends nothing', async () => {
  const result = await run({})
  assert.equal(result.status, 200, JSON.stringify(result.body))
  assert.equal(result.body.isTest, true)
  assert.deepEqual(new Set(deliveriesOf(result).map(([id]) => id)), new Set([saved, draftId]))
  for (const { status, attempts } of result.body.deliveries) {
    assert.equal(status, 'simulated')
    assert.match(attempts[0]?.exchanges?.[0]?.request.body ?? '', /"action":"tag"/)
    assert.equal(attempts[0]?.exchanges?.[0]?.response, undefined)
  }
  assert.deepEqual(control.hooks.asked, [])
})

test('a test that is sent shows the answer of the vendor, and what names the person is struck out', async () => {
  control.hooks.answer = { status: 400, headers: {}, body: 'no jane@example.com, hunter2-canary', durationMs: 7 }
  const result = await run({ scriptIds: [draftId], send: true })
  assert.deepEqual(deliveriesOf(result), [[draftId, 'refused', 'payloadRefused']])
  const [attempt] = result.body.deliveries[0]!.attempts
  assert.deepEqual([attempt?.status, attempt?.exchanges?.[0]?.response?.status], [400, 400])
  assert.doesNotMatch(JSON.stringify(result.body), /jane@example\.com|hunter2-canary/)
  assert.equal(control.hooks.asked.length, 1)
  assert.match(String(control.hooks.asked[0]!.body), /jane@example\.com/)
})

test('a vendor that is down is tried once, and nothing waits', async () => {
  control.hooks.answer = { status: 503, headers: {}, body: '', durationMs: 1 }
  assert.deepEqual(deliveriesOf(await run({ scriptIds: [saved], send: true })), [[saved, 'pending', 'vendorDown']])
  assert.deepEqual(await environment.store.journal.pauses(), [])
})

test('a test is in the audit and nowhere else: no event, no delivery, no profile is stored', async () => {
  await run({ userId: 'usr_new' })
  assert.deepEqual((await stored()).rows, [])
  assert.equal((await call('readUser', { values: { tagId, userId: 'usr_new' } })).status, 404)
  const { rows } = await environment.store.audit(as.teamId, { limit: 1 })
  assert.deepEqual([rows[0]?.what, rows[0]?.by, rows[0]?.object], ['testTag', as.tokenId, tagId])
})

test('a delivery that is left out says why, with the facts', async () => {
  const { eventName } = event
  const result = await run({
    event: { eventName, storage: { service: { consent: { all: false } } } },
    scriptIds: [saved],
  })
  assert.deepEqual(deliveriesOf(result), [[saved, 'skipped', 'consent']])
  assert.equal(result.body.deliveries[0]?.why?.consent?.refusedBy, 'provider')
})

test('a channel that is not saved is tested with sealed entries, and with the kept secrets of the script it edits', async () => {
  control.hooks.answer = { status: 200, headers: {}, body: '', durationMs: 1 }
  const other = await sealPlain(control, as, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://new.example/in'])
  const tested = await run({ draft: { providerId: 'eventSink', secrets: other }, send: true })
  assert.equal(tested.body.deliveries[0]?.status, 'delivered', JSON.stringify(tested.body))
  assert.equal(control.hooks.asked.at(-1)?.url, 'https://new.example/in')
  const edited = await run({ draft: { providerId: 'eventSink', scriptId: draftId, secrets: other }, send: true })
  assert.equal(edited.body.deliveries.length, 1)
  assert.deepEqual(
    [control.hooks.asked.at(-1)?.url, control.hooks.asked.at(-1)?.headers['x-key']],
    ['https://new.example/in', 'hunter2-canary'],
  )
  assert.doesNotMatch(JSON.stringify(edited.body), /hunter2-canary/)
})

test('a test of a chain that is not saved shows what each plugin makes of the event', async () => {
  assert.equal((await run({})).body.afterPlugins, undefined)
  assert.deepEqual((await run({ plugins: [] })).body.afterPlugins, [])
  const rename = { plugin: 'eventRename', settings: { names: { Purchase: 'Order' } } }
  const { body } = await run({ plugins: [rename] })
  assert.deepEqual(
    body.afterPlugins?.map(({ plugin, event: after }) => [plugin, (after as { eventName: string }).eventName]),
    [['eventRename', 'Order']],
  )
  assert.equal((await environment.store.tag(tagId))?.settings.plugins.length, 0)
  const unknown = await run({ plugins: [{ plugin: 'nothing' }] })
  assert.deepEqual([unknown.status, unknown.body.error], [400, 'BAD_REQUEST'])
})

test('an event that POST /tag would refuse is refused with the same issues', async () => {
  const result = await run({ event: { ...event, timestamp: 5 } })
  assert.deepEqual([result.status, result.body.error], [400, 'BAD_REQUEST'])
})

/** The same call with a token of these scopes. */
async function asHolder(granted: Scope[], id: 'preview' | 'simulate' | 'testTag', asked: ControlRequest) {
  const { token } = await createToken(environment, { teamId: as.teamId, scopes: granted }, 'operator')
  return callControl(control, id, { ...as, token }, asked)
}

test('sealed entries beside the kept secrets of a script are tested only by who may set secrets', async () => {
  const asked = control.hooks.asked.length
  const other = await sealPlain(control, as, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://new.example/in'])
  const test = (draft: object) =>
    asHolder(['script:write', 'event:write'], 'testTag', {
      values: { tagId },
      body: { event, send: true, draft: { providerId: 'eventSink', ...draft } },
    })
  const edited = await test({ scriptId: draftId, secrets: other })
  assert.deepEqual([edited.status, edited.body.error], [403, 'SCOPE_MISSING'])
  assert.equal(control.hooks.asked.length, asked)
  assert.equal((await test({ scriptId: draftId })).status, 200)
})

test('a preview uses the kept secrets of a script, which are struck out of its requests; it needs script:write', async () => {
  const body = { provider: 'eventSink', event: { eventName: 'PageView' }, scriptId: draftId }
  const result = await call('preview', { body })
  const [request] = result.body.requests as { url: string; headers: Record<string, string> }[]
  assert.equal(result.status, 200)
  assert.deepEqual([request?.url, request?.headers['x-key']], [url, '•••'])
  assert.doesNotMatch(JSON.stringify(result.body), /hunter2-canary/)
  const reader = await asHolder(['script:read'], 'preview', { body })
  assert.deepEqual([reader.status, reader.body.error], [403, 'SCOPE_MISSING'])
})

test('a preview takes sealed entries before anything is saved', async () => {
  const sealed = await sealPlain(control, as, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://other.example/in'])
  const body = { provider: 'eventSink', event: { eventName: 'PageView' }, sealed }
  const result = await asHolder(['script:read'], 'preview', { body })
  assert.equal(result.status, 200)
  assert.equal((result.body.requests as unknown[]).length, 1)
})

test('code is simulated with the kept secrets of a script only by who may set secrets', async () => {
  const kept = await sealPlain(
    control,
    as,
    'playground',
    ['PLAYGROUND_CODE', 'TEXT', 'async tag() {}'],
    ['PLAYGROUND_SECRETS', 'TEXT', '{"key":"hunter2-canary"}'],
  )
  const write = { name: 'code', providerId: 'playground', tagId, secrets: kept, shouldDeploy: false }
  const { scriptId } = (await call('createScript', { body: write })).body
  let given: unknown
  const { runCode } = environment
  environment.runCode = async ({ params }) => {
    given = (params as { secrets?: unknown }).secrets
    return { value: 'hunter2-canary', logs: [] }
  }
  const body = { code: 'async tag() {}', events: [{ eventName: 'PageView' }], provider: 'playground', scriptId }
  const result = await call('simulate', { body })
  assert.equal(result.status, 200, JSON.stringify(result.body))
  assert.deepEqual(given, { key: 'hunter2-canary' })
  assert.doesNotMatch(JSON.stringify(result.body), /hunter2-canary/)
  const editor = await asHolder(['script:write'], 'simulate', { body })
  assert.deepEqual([editor.status, editor.body.error], [403, 'SCOPE_MISSING'])
  environment.runCode = runCode
})
