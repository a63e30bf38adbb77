import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken, generateToken, revokeToken } from '#account/token.ts'
import { ErrorObject } from '#contract/errorObject.ts'
import { type FaultName, faults } from '#contract/fault.ts'
import { faultsOf, type Operation, type OperationId, operationIds, operations, paramsOf } from '#contract/operations.ts'
import { type Scope, scopes } from '#contract/scopes.ts'
import { compileValidator } from '#contract/validator.ts'
import type { ControlDeps } from '#control/controlDeps.ts'
import { newId } from '#kit/id.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import { accountCases } from './fake/accountCases.ts'
import { brokenCases } from './fake/brokenCases.ts'
import { journalCases } from './fake/journalCases.ts'
import { limitCases } from './fake/limitCases.ts'
import { operatorCases } from './fake/operatorCases.ts'
import { policyCases } from './fake/policyCases.ts'
import { readCases } from './fake/readCases.ts'
import { replayCases } from './fake/replayCases.ts'
import { pageHeaders } from './fake/sessionCases.ts'
import { tagConfigCases } from './fake/tagConfigCases.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sealPlain,
  sinkBody,
} from './fake/testControl.ts'
import { makeUser } from './fake/testEvents.ts'
import { tryCases } from './fake/tryCases.ts'
import { withoutProvider } from './fake/withoutProvider.ts'

const control = await openTestControl()
after(control.close)
const [customer, stranger] = [await makeCustomer(control), await makeCustomer(control)]
const scriptId = await makeScript(control, customer, { name: 'first' })
const { tagId } = customer
const [nowhere, day] = [newId('tag', 0), 86_400_000]
const shopBody = async () => ({ shops: [{ source: 'shopify', shop: 'a.example', ...(await movedSecret()) }] })

const call = (id: OperationId, asked: ControlRequest = {}, as = customer) => callControl(control, id, as, asked)
let made = 0
const body = (more: Record<string, unknown> = {}) => sinkBody(control, customer, { name: `sink ${++made}`, ...more })
const tagBody = () => ({ name: `tag ${++made}`, domain: 'shop.example.com' })
const without = (...lacking: Scope[]) => scopes.filter((scope) => !lacking.includes(scope))
const newTag = async () => String((await call('createTag', { body: tagBody() })).body.tagId)

/** The customer's only deploy hook. */
let hookId = ''
async function newHook(): Promise<string> {
  if (hookId) await call('deleteHook', { values: { hookId } })
  hookId = String((await call('createHook', { body: { url: 'https://ci.example.com/' } })).body.hookId)
  return hookId
}

const { oneMore, queryFaults } = limitCases(control, customer)
const accounts = await accountCases(control, customer)
const policies = await policyCases(control, customer)
const tries = await tryCases(control, customer)
const configs = await tagConfigCases(control, customer, policies.whileRequired)
const operator = operatorCases(control, customer)
const journal = await journalCases(control, customer)
const replays = await replayCases(control, customer)
const reads = readCases(control, customer)

/** A request of each operation that succeeds; without a body if the operation has none. */
const good: Record<OperationId, () => ControlRequest | Promise<ControlRequest>> = {
  createScript: async () => ({ body: await body() }),
  listScripts: () => ({ values: { tagId } }),
  readScript: () => ({ values: { scriptId } }),
  updateScript: async () => ({ values: { scriptId }, body: await body({ name: 'first' }) }),
  patchScript: () => ({ values: { scriptId }, body: { geoRegions: 'EU' } }),
  deleteScript: async () => ({ values: { scriptId: await makeScript(control, customer, { name: `gone ${++made}` }) } }),
  createTag: () => ({ body: tagBody() }),
  listTags: () => ({}),
  readTag: () => ({ values: { tagId } }),
  updateTag: () => ({ values: { tagId }, body: { gpc: true } }),
  deleteTag: async () => ({ values: { tagId: await newTag() } }),
  deployTag: () => ({ values: { tagId } }),
  activateDeployment: () => ({ values: { tagId, number: 1 } }),
  createHook: () => ({ body: { url: 'https://ci.example.com/' } }),
  listHooks: () => ({}),
  deleteHook: async () => ({ values: { hookId: await newHook() } }),
  pauseScript: () => ({ values: { scriptId } }),
  resumeScript: () => ({ values: { scriptId } }),
  eraseUser: async () => ({ values: { tagId, userId: await makeUser(control, customer) } }),
  listAudit: () => ({}),
  ...accounts.good,
  ...policies.good,
  ...operator.good,
  ...journal.good,
  ...replays.good,
  ...reads.good,
  ...tries.good,
  ...configs.good,
  readManifest: () => ({}),
  readKeys: () => ({}),
  readOpenapi: () => ({}),
}

/** A request that is refused only if the team already has one such script. */
async function secondOfSingleton(): Promise<ControlAnswer> {
  const catalogue = providers as Record<string, Provider>
  const before = catalogue.eventSink!
  catalogue.eventSink = { ...before, isSingleton: true }
  try {
    return await call('createScript', { body: await body() })
  } finally {
    catalogue.eventSink = before
  }
}
const movedSecret = async () => ({
  secrets: await sealPlain(control, stranger, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://a.example']),
})

/** A request that a deploy hook refuses. */
async function stopped(id: OperationId): Promise<ControlAnswer> {
  await newHook()
  const asked = await good[id]()
  const { answer } = control.hooks
  control.hooks.answer = { status: 500, headers: {}, body: '', durationMs: 1 }
  return call(id, asked).finally(() => {
    control.hooks.answer = answer
  })
}

const faultsOfWrite = (id: OperationId, bodyOf: typeof body | ((more?: object) => Promise<object>)) => ({
  scriptOrTagNotFound: async () => call(id, { values: { scriptId: 'scr_nope' }, body: await bodyOf() }),
  providerNotAvailable: () =>
    withoutProvider('eventSink', async () => call(id, { values: { scriptId }, body: await bodyOf() })),
  secretRefused: async () => call(id, { values: { scriptId }, body: await bodyOf(await movedSecret()) }),
  hookFailed: () => stopped(id),
})

/** One case for each fault that an operation's row lists. */
const own: { [Id in OperationId]?: Partial<Record<FaultName, () => Promise<ControlAnswer>>> } = {
  createScript: {
    tagNotFound: async () => call('createScript', { body: await body({ tagId: nowhere }) }),
    providerNotAvailable: () =>
      withoutProvider('yotpo', async () => call('createScript', { body: await body({ providerId: 'yotpo' }) })),
    policyNotAccepted: () => policies.whileRequired(async () => call('createScript', { body: await body() })),
    secretRefused: async () => call('createScript', { body: await body(await movedSecret()) }),
    nameTaken: async () => call('createScript', { body: await body({ name: 'first' }) }),
    providerIsSingleton: secondOfSingleton,
    hookFailed: () => stopped('createScript'),
    tooManyScripts: oneMore('scriptsPerTag', async () => call('createScript', await good.createScript())),
  },
  listScripts: { tagUnknown: () => call('listScripts', { values: { tagId: nowhere } }) },
  readScript: { scriptOrTagNotFound: () => call('readScript', { values: { scriptId: 'scr_nope' } }) },
  updateScript: faultsOfWrite('updateScript', body),
  patchScript: faultsOfWrite('patchScript', async (more = {}) => more),
  deleteScript: { scriptNotFound: () => call('deleteScript', { values: { scriptId: 'scr_nope' } }) },
  createTag: {
    nameTaken: () => call('createTag', { body: { ...tagBody(), name: 'shop' } }),
    tooManyTags: oneMore('tagsPerTeam', async () => call('createTag', await good.createTag())),
  },
  updateTag: {
    tagUnknown: () => call('updateTag', { values: { tagId: nowhere }, body: {} }),
    nameTaken: async () => call('updateTag', { values: { tagId: await newTag() }, body: { name: 'shop' } }),
    hookFailed: () => stopped('updateTag'),
    secretRefused: async () => call('updateTag', { values: { tagId }, body: await shopBody() }),
  },
  deleteTag: { tagUnknown: () => call('deleteTag', { values: { tagId: nowhere } }) },
  deployTag: {
    tagUnknown: () => call('deployTag', { values: { tagId: nowhere } }),
    hookFailed: () => stopped('deployTag'),
  },
  activateDeployment: {
    tagUnknown: () => call('activateDeployment', { values: { tagId: nowhere, number: 1 } }),
    deploymentUnknown: () => call('activateDeployment', { values: { tagId, number: 100_000 } }),
    hookFailed: () => stopped('activateDeployment'),
  },
  createHook: { tooManyHooks: oneMore('hooksPerTeam', async () => call('createHook', await good.createHook())) },
  deleteHook: { hookUnknown: () => call('deleteHook', { values: { hookId: 'hook_nope' } }) },
  pauseScript: { scriptOrTagNotFound: () => call('pauseScript', { values: { scriptId: 'scr_nope' } }) },
  resumeScript: { scriptOrTagNotFound: () => call('resumeScript', { values: { scriptId: 'scr_nope' } }) },
  readTag: { tagUnknown: () => call('readTag', { values: { tagId: nowhere } }) },
  eraseUser: {
    tagUnknown: () => call('eraseUser', { values: { tagId: nowhere, userId: 'usr_1' } }),
    userUnknown: () => call('eraseUser', { values: { tagId, userId: 'nope' } }),
  },
  ...accounts.own,
  ...policies.own,
  ...tries.own,
  ...configs.own,
  ...operator.own,
  ...journal.own,
  ...replays.own,
  ...reads.own,
}

const newToken = async (as = customer, granted: readonly Scope[] = scopes) =>
  createToken(control.environments[as.environment], { teamId: as.teamId, scopes: granted }, 'operator')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Makes calls while a dependency is replaced. */
async function withChanged(other: Partial<ControlDeps>, asks: () => Promise<ControlAnswer>): Promise<ControlAnswer> {
  const { rateLimit, retryAfterSeconds, runCode } = control.environments.production
  Object.assign(control.environments.production, other)
  const told = await asks()
  Object.assign(control.environments.production, { rateLimit, retryAfterSeconds, runCode })
  assert.match(String(told.headers['retry-after']), /^[1-9]\d*$/)
  return told
}

/** The general faults, and how each operation can cause them. */
const general: Partial<Record<FaultName, (id: OperationId, asked: ControlRequest) => Promise<ControlAnswer>>> = {
  tokenMissing: (id, asked) => call(id, { ...asked, headers: { authorization: undefined } }),
  tokenRefused: (id, asked) => call(id, { ...asked, headers: bearer(generateToken('production')) }),
  sessionMissing: (id, asked) => call(id, { ...asked, headers: { authorization: undefined } }),
  sessionRefused: async (id, asked) => {
    if (typeof operations[id].access === 'string') return call(id, { ...asked, headers: bearer(customer.token) })
    const headers = await pageHeaders(control, accounts.owner)
    return call(id, { ...asked, headers: { ...headers, cookie: `aglet_session=${'x'.repeat(43)}` } })
  },
  operatorRequired: async (id, asked) => call(id, { ...asked, headers: await pageHeaders(control, accounts.owner) }),
  teamIdMissing: (id, asked) => call(id, { ...asked, headers: { 'team-id': undefined } }),
  teamRefused: (id, asked) => call(id, { ...asked, headers: { 'team-id': stranger.teamId } }),
  scopeMissing: async (id, asked) => {
    const { access, formerAccess = [] } = operations[id] as Operation
    const { token } = await newToken(customer, without(...(access as readonly Scope[]), ...formerAccess))
    return call(id, { ...asked, headers: bearer(token) })
  },
  bodyTooLarge: (id, asked) => call(id, { ...asked, payload: `{"name":"${'x'.repeat(2_100_000)}"}` }),
  contentTypeRefused: (id, asked) =>
    call(id, { ...asked, headers: { ...asked.headers, 'content-type': 'text/plain' } }),
  jsonBroken: (id, asked) => call(id, { ...asked, payload: '{"name": "a", }' }),
  changedMeanwhile: (id, asked) => call(id, { ...asked, headers: { 'if-match': '"999"' } }),
  badRequest: (id, { values, ...asked }) =>
    call(id, {
      ...asked,
      headers: { ...asked.headers, 'if-match': 'x' },
      values: {
        ...values,
        ...{ limit: 0, after: 'x' },
        policyType: 'x'.repeat(101),
        status: 'x',
        caller: 'x',
        from: 'x',
        format: 'x',
        ...(['endGrant', 'discardDraft'].includes(id) && { applicationId: 'x'.repeat(101), scriptId: 'x'.repeat(101) }),
      },
      payload: '{"name":7,"keepBefore":7,"timezone":7}',
    }),
  tooManyRequests: (id, asked) => withChanged({ rateLimit: () => 0 }, () => call(id, asked)),
  ...queryFaults,
  overloaded: (id, asked) => withChanged({ retryAfterSeconds: () => 30 }, () => call(id, asked)),
  ...brokenCases(control, call),
}

for (const id of operationIds) {
  const row: Operation = operations[id]

  // A stream has no end to wait for: its own tests and the proxy tests read it.
  if (!row.isStream)
    test(`${id} answers 200 and what its row says`, async () => {
      const { status, body: told, headers } = await call(id, await good[id]())
      assert.equal(status, 200, JSON.stringify(told))
      const rows = row.isExport
        ? `${told.text}`
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [told]
      for (const each of rows) assert.deepEqual(compileValidator(row.response)(each), [])
      assert.match(String(headers['content-type']), row.isExport ? /^application\/x-ndjson/ : /^application\/json/)
    })

  for (const name of faultsOf(row)) {
    const { status, code } = faults[name]
    test(`${id} answers ${status} ${code}`, async () => {
      const raise = own[id]?.[name] ?? general[name]
      assert.ok(raise, `no case raises ${name}`)
      const told = await raise(id, await good[id]())
      assert.deepEqual([told.status, told.body.error], [status, code], JSON.stringify(told.body))
      assert.deepEqual(compileValidator(ErrorObject)(told.body), [])
      assert.equal(told.body.statusCode, status)
      assert.doesNotMatch(JSON.stringify(told.body), /hunter2|node:|\.ts:/)
    })
  }
}

test('every case raises a fault that its row names', () => {
  for (const [id, cases] of Object.entries(own)) {
    const { faults: named = [] }: Operation = operations[id as OperationId]
    assert.deepEqual(Object.keys(cases).sort(), [...named].sort())
  }
})

test('a bug is logged with its stack and route, once, and 500 tells nothing of it', async () => {
  const logged = control.lines.filter(
    ({ level, stack }) => level === 'error' && /^Error: the disk says/.test(`${stack}`),
  )
  assert.equal(logged.length, operationIds.length)
  assert.match(String(logged[0]?.stack), /testControl\.ts/)
})

/** The auth matrix: status and code for each kind of invalid caller. */
const matrix: Record<string, [who: () => ControlRequest['headers'] | Promise<ControlRequest['headers']>, FaultName]> = {
  'a malformed token': [() => bearer('x'), 'tokenRefused'],
  'another scheme': [() => ({ authorization: `Basic ${customer.token}` }), 'tokenRefused'],
  'a token with a wrong checksum': [() => bearer(`${customer.token.slice(0, -1)}_`), 'tokenRefused'],
  'a token of the other environment': [() => bearer(sandbox.token), 'tokenRefused'],
  'a malformed Team-Id': [() => ({ 'team-id': `${customer.teamId}, x` }), 'teamIdMissing'],
  'a Team-Id that does not exist': [() => ({ 'team-id': newId('team', 0) }), 'teamRefused'],
  'an expired token': [expired, 'tokenRefused'],
  'a revoked token': [revoked, 'tokenRefused'],
}
const sandbox = await makeCustomer(control, { environment: 'sandbox' })

async function expired() {
  const { token } = await createToken(
    control.environments.production,
    { teamId: customer.teamId, expiresInMs: 60_000 },
    'operator',
  )
  assert.equal((await call('readMe', { headers: bearer(token) })).status, 200)
  await control.clock.turn(60_000)
  return bearer(token)
}
async function revoked() {
  const { token, tokenId } = await newToken()
  assert.equal((await call('readMe', { headers: bearer(token) })).status, 200)
  await revokeToken(control.environments.production, tokenId, 'operator')
  await control.clock.turn(5_000)
  return bearer(token)
}

for (const [what, [who, name]] of Object.entries(matrix)) {
  const isRaisedByToken = (id: OperationId) =>
    faultsOf(operations[id]).includes(name) && (name.startsWith('token') || !('isTeamOptional' in operations[id]))
  for (const id of operationIds.filter(isRaisedByToken)) {
    test(`${id} with ${what} is ${faults[name].status}`, async () => {
      const told = await call(id, { ...(await good[id]()), headers: (await who())! })
      assert.deepEqual([told.status, told.body.error], [faults[name].status, faults[name].code])
      const challenge = name.endsWith('Missing') ? 'Bearer' : 'Bearer error="invalid_token"'
      if (told.status === 401) assert.equal(told.headers['www-authenticate'], challenge)
    })
  }
}

/** The fault for another team's script, tag or event, which is treated as unknown. */
const theirs: Partial<Record<OperationId, FaultName>> = {
  createScript: 'tagNotFound',
  listScripts: 'tagUnknown',
  readScript: 'scriptOrTagNotFound',
  updateScript: 'scriptOrTagNotFound',
  patchScript: 'scriptOrTagNotFound',
  deleteScript: 'scriptNotFound',
  readTag: 'tagUnknown',
  updateTag: 'tagUnknown',
  deleteTag: 'tagUnknown',
  deployTag: 'tagUnknown',
  activateDeployment: 'tagUnknown',
  deleteHook: 'hookUnknown',
  pauseScript: 'scriptOrTagNotFound',
  resumeScript: 'scriptOrTagNotFound',
  testTag: 'tagUnknown',
  ...tries.theirs,
  ...configs.theirs,
  ...journal.theirs,
  eraseUser: 'tagUnknown',
  ...accounts.theirs,
  ...replays.theirs,
  ...reads.theirs,
}
test('every operation that takes the id of an object has a case for that of another team', () => {
  const namesIn = (each: unknown) => Object.keys((each as { properties?: object })?.properties ?? {})
  const taken = (row: Operation) => [paramsOf(row), row.query, row.body].flatMap(namesIn)
  const naming = operationIds.filter((id) =>
    taken(operations[id]).some((name) => /^(tag|script|hook|application|token|person|invitation)Id$/.test(name)),
  )
  // The operator approves the applications of every team, and a person ends their grants for any team.
  const ofOneTeam = naming.filter((id) => !['approveApplication', 'approvePendingApplication', 'endGrant'].includes(id))
  assert.deepEqual(ofOneTeam.sort(), Object.keys(theirs).sort())
})
for (const [id, name] of Object.entries(theirs) as [OperationId, FaultName][]) {
  test(`${id} of another team's object is answered as if it were not there, and does nothing`, async () => {
    const asked = await (tries.ofScript[id as keyof typeof tries.ofScript] ?? good[id])()
    const live = control.environments.production.snapshots.get(tagId)
    const told = await call(id, asked, stranger)
    const none = await own[id]![name]!()
    assert.deepEqual([told.status, told.body], [none.status, none.body])
    assert.equal(control.environments.production.snapshots.get(tagId), live)
  })
}

test('a token of one environment is not good in the other, with any Team-Id', async () => {
  const told = await callControl(control, 'readMe', { ...sandbox, token: customer.token })
  assert.equal(told.status, 401)
  assert.equal((await callControl(control, 'readMe', sandbox)).body.environment, 'sandbox')
})

test('the clock of these tests stayed within the life of the tokens', () => {
  assert.ok(control.clock.now() < Date.UTC(2026, 10, 20) + 90 * day)
})
