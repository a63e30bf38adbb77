import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApplication } from '#account/application.ts'
import { operatorHolder } from '#account/privilege.ts'
import { roleScopes } from '#account/roleScopes.ts'
import { createToken } from '#account/token.ts'
import { roles } from '#contract/account.ts'
import { type Operation, type OperationId, operationIds, operations } from '#contract/operations.ts'
import { everyScope, operatorScopes, type Scope, scopes } from '#contract/scopes.ts'
import { newId } from '#kit/id.ts'
import { publishPolicy } from '#policy/policy.ts'
import { journalCases } from './fake/journalCases.ts'
import { changedBetween, openLedger, redeemed } from './fake/ledger.ts'
import { operatorCases } from './fake/operatorCases.ts'
import { powerTries } from './fake/powerCases.ts'
import { replayCases } from './fake/replayCases.ts'
import { makeLink, makePerson, makeSession, password } from './fake/sessionCases.ts'
import { type ControlAnswer, type ControlRequest, callControl, makeCustomer, makeScript } from './fake/testControl.ts'
import { makeUser } from './fake/testEvents.ts'
import { openTestServer } from './fake/testServer.ts'

const place = await openTestServer()
const { control } = place
const environment = place.environments.production
const customer = await makeCustomer(control)
const { teamId, tagId } = customer
const scriptId = await makeScript(control, customer, { name: 'first' })
const owner = await newMember('owner')
const ledger = openLedger(place.data)
after(async () => {
  ledger.close()
  await place.close()
})
await publishPolicy(environment, { policyType: 'PRIVACY_POLICY', version: '1', required: false }, 'operator')

async function newMember(role: (typeof roles)[number]): Promise<string> {
  const personId = await makePerson(environment, `${newId('per', Math.random() * 1e12)}@example.com`)
  await environment.store.write([
    { account: { add: 'member', row: { teamId, personId, role, createdAt: environment.clock.now() } } },
  ])
  return personId
}

/** A caller with a token and its scopes. A role is the scopes of an application on behalf of such a person. */
type Caller = { title: string; held: ReadonlySet<Scope>; token: string }
const known = new Map<string, Caller>()
async function caller(granted: readonly Scope[]): Promise<Caller> {
  const held = everyScope.filter((scope) => granted.includes(scope))
  const title = held.join(' ')
  const there = known.get(title)
  if (there) return there
  const { token } = await createToken(environment, { teamId, scopes: held }, 'operator')
  const made = { title, held: new Set(held), token }
  known.set(title, made)
  return made
}
const alone = await Promise.all(everyScope.map((scope) => caller([scope])))
const ofRoles = await Promise.all(roles.map((role) => caller(roleScopes(role))))

/**
 * The callers for requests that need scopes beyond their operation's: with exactly those scopes, with none of them, with
 * all except one, with each role, and with single scopes.
 */
const callersOf = (asked: readonly Scope[], needs: readonly Scope[], single: readonly Scope[]) =>
  Promise.all(
    [
      [],
      needs,
      ...needs.map((lacking) => scopes.filter((scope) => scope !== lacking)),
      ...roles.map((role) => roleScopes(role)),
      ...single.map((scope) => [scope]),
    ].map((held) => caller([...asked, ...held])),
  )

const lacked = (needed: readonly Scope[], { held }: Caller) => needed.filter((scope) => !held.has(scope))

/** Makes a call. Throws if it grants, changes or ends access with more scopes than the caller has. */
async function callWithin(
  id: OperationId,
  asked: ControlRequest,
  by: Caller,
  may = (_name: string) => false,
): Promise<ControlAnswer> {
  const before = ledger.read()
  const reply = await callControl(control, id, { ...customer, token: by.token }, asked)
  for (const { name, scopes: stood } of changedBetween(before, ledger.read())) {
    const isWithin = stood !== 'own' && lacked(stood, by).length === 0
    assert.ok(isWithin || may(name), `${id} by ${by.title} changed ${name}: ${stood}`)
  }
  const beyond = lacked(await redeemed(environment, reply.body), by)
  assert.deepEqual(beyond, [], `${id} by ${by.title} gained what it lacks`)
  return reply
}

const tries = powerTries(control, customer)
let made = 0

/** A successful request of each token operation that grants no access. */
const journal = await journalCases(control, customer)
const { putAlertRule: _, putContactPoint: __, ...replays } = (await replayCases(control, customer)).good
const harmless: { [Id in OperationId]?: () => ControlRequest | Promise<ControlRequest> } = {
  listScripts: () => ({ values: { tagId } }),
  readScript: () => ({ values: { scriptId } }),
  deleteScript: async () => ({ values: { scriptId: await makeScript(control, customer, { name: `gone ${++made}` }) } }),
  createTag: () => ({ body: { name: `tag ${++made}`, domain: 'shop.example.com' } }),
  listTags: () => ({}),
  readTag: () => ({ values: { tagId } }),
  updateTag: () => ({ values: { tagId }, body: { gpc: true } }),
  deleteTag: async () => ({ values: { tagId: (await makeTag()).tagId } }),
  deployTag: () => ({ values: { tagId } }),
  listDeployments: () => ({ values: { tagId } }),
  readDeployment: () => ({ values: { tagId, number: 1 } }),
  readDraft: () => ({ values: { tagId } }),
  discardDraft: () => ({ values: { tagId } }),
  activateDeployment: () => ({ values: { tagId, number: 1 } }),
  checkTagConfig: () => ({ body: { tagId, tag: { gpc: true }, removedScriptIds: [scriptId] } }),
  listHooks: () => ({}),
  deleteHook: async () => ({ values: { hookId: await newHook() } }),
  pauseScript: () => ({ values: { scriptId } }),
  resumeScript: () => ({ values: { scriptId } }),
  ...journal.good,
  ...replays,
  preview: () => ({ body: { provider: 'eventSink', event: { eventName: 'PageView' } } }),
  testTag: () => ({ values: { tagId }, body: { event: { eventName: 'PageView' }, send: false } }),
  createPreviewLink: () => ({ values: { tagId }, body: { draft: true, deliver: 'none' } }),
  listPreviewEvents: () => ({ values: { tagId, previewId: 'prv_1' } }),
  simulate: () => ({ body: { code: 'async tag() {}', events: [{ eventName: 'PageView' }] } }),
  readUser: () => ({ values: { tagId, userId: 'usr_1' } }),
  findUser: () => ({ values: { tagId }, body: { email: 'jane@example.com' } }),
  eraseUser: async () => ({ values: { tagId, userId: await makeUser(control, customer) } }),
  readLatestPolicies: () => ({}),
  readPolicy: () => ({ values: { policyId: 'PRIVACY_POLICY' } }),
  acceptPolicy: () => ({ body: { policyType: 'PRIVACY_POLICY', version: '1' } }),
  listAudit: () => ({}),
  listApplications: () => ({}),
  listMembers: () => ({}),
  listInvitations: () => ({}),
  readManifest: () => ({}),
  readMe: () => ({}),
  readUserMe: () => ({}),
  readTeam: () => ({}),
  updateTeam: () => ({ body: { name: 'Shop' } }),
  readKeys: () => ({}),
  readOpenapi: () => ({}),
}
async function makeTag(): Promise<{ tagId: string }> {
  const body = { name: `tag ${++made}`, domain: 'shop.example.com' }
  return (await callControl(control, 'createTag', customer, { body })).body as { tagId: string }
}
async function newHook(): Promise<string> {
  const { rows } = await environment.store.hooks(teamId, { limit: 1 })
  if (rows[0]) return rows[0].hookId
  return String(
    (await callControl(control, 'createHook', customer, { body: { url: 'https://ci.example.com/' } })).body.hookId,
  )
}

/** Operations of people for themselves, and operations without sign-in: tested below. */
const personal: readonly OperationId[] = operationIds.filter(
  (id) => operations[id].access === 'session' || ['signIn', 'createPerson', 'confirmEmail'].includes(id),
)

/** Operations that only the signed-in operator may call. */
const ofOperator = operationIds.filter((id) => operations[id].access === 'operator')

test('every operation is classified by what access it gives, changes or ends', () => {
  const known = [...Object.keys(tries), ...Object.keys(harmless), ...personal, ...ofOperator, 'approveApplication']
  assert.deepEqual(known.sort(), [...operationIds].sort(), 'add a new one to powerTries, or to those that give none')
})

for (const [id, ways] of Object.entries(tries) as [OperationId, NonNullable<(typeof tries)[OperationId]>][])
  test(`${id}: with each scope and each role nobody gives, changes or ends more than they hold`, async () => {
    const needed = operations[id].access as readonly Scope[]
    for (const [at, { title, needs, asked, after: putBack }] of ways.entries()) {
      // With many requests each is tried with one single scope, with few requests each is tried with all.
      const single = ways.length > 3 ? [everyScope[(at + 1) % everyScope.length]!] : everyScope
      for (const by of new Set(await callersOf(needed, needs, single))) {
        const reply = await callWithin(id, await asked(), by)
        const expected = lacked(needs, by).length === 0 ? 200 : 403
        assert.equal(reply.status, expected, `${title} by ${by.title}: ${JSON.stringify(reply.body)}`)
        await putBack?.(reply)
      }
    }
    for (const by of [...alone, ...ofRoles].filter((each) => lacked(needed, each).length > 0))
      assert.equal((await callWithin(id, await ways[0]!.asked(), by)).status, 403, by.title)
  })

for (const [id, request] of Object.entries(harmless) as [OperationId, () => ControlRequest][])
  test(`${id}: with each scope and each role nobody gains, changes or ends any access by it`, async () => {
    const { access, formerAccess, isStream: streams }: Operation = operations[id]
    const needed = typeof access === 'string' ? [] : access
    const whole = await caller(needed.length > 0 ? needed : ['tag:read'])
    for (const by of new Set([...alone, ...ofRoles, whole])) {
      const isAdmitted = [needed, formerAccess ?? needed].some((each) => lacked(each, by).length === 0)
      if (streams && isAdmitted) continue // a stream that is accepted does not end
      const { status, body } = await callWithin(id, await request(), by)
      if (!isAdmitted) assert.equal(status, 403, `${by.title}: ${JSON.stringify(body)}`)
      if (by === whole) assert.equal(status, 200, JSON.stringify(body))
    }
  })

test('only a scope of the operator’s approves an application, and no customer can give it', async () => {
  for (const by of [...alone, ...ofRoles]) {
    const write = { name: `waits ${++made}`, scopes: [...scopes] }
    const { applicationId } = (await createApplication(environment, teamId, write, operatorHolder)).application
    const isOperator = operatorScopes.some((scope) => by.held.has(scope))
    const reply = await callWithin(
      'approveApplication',
      { values: { applicationId } },
      by,
      (name) => isOperator && name === `application ${applicationId}`,
    )
    assert.equal(reply.status, isOperator ? 200 : 403, by.title)
  }
  for (const scope of operatorScopes) {
    assert.ok(!roles.some((role) => (roleScopes(role) as readonly Scope[]).includes(scope)))
    const body = { name: `app ${++made}`, scopes: [scope] }
    assert.equal((await callControl(control, 'createApplication', customer, { body })).status, 400)
  }
})

/** The actions of people for themselves or for signing in, with the access that each may change. */
const acts: Record<string, (personId: string) => Promise<{ asked: ControlRequest; joins?: (typeof roles)[number] }>> = {
  signIn: async () => ({ asked: { body: { email: 'nobody@example.com', password } } }),
  readSession: async () => ({ asked: {} }),
  signOut: async () => ({ asked: {} }),
  updatePerson: async () => ({
    asked: { body: { email: `new${++made}@example.com`, password: 'another horse', currentPassword: password } },
  }),
  linkSandbox: async () => ({
    asked: { body: { email: 'nobody@example.com', password, currentPassword: password } },
  }),
  unlinkSandbox: async () => ({ asked: {} }),
  confirmEmail: async () => ({ asked: { body: { link: 'nope' } } }),
  listSessions: async () => ({ asked: {} }),
  endSession: async () => ({ asked: { values: { sessionId: 'ses_nope' } } }),
  listDevices: async () => ({ asked: {} }),
  forgetDevice: async () => ({ asked: { values: { deviceId: 'dev_nope' } } }),
  listGrants: async () => ({ asked: {} }),
  endGrant: async () => ({ asked: { values: { applicationId: 'app_nope', teamId } } }),
  createPerson: async () => ({
    asked: {
      body: {
        invitation: await makeLink(environment, teamId, 'editor'),
        name: 'Ada',
        email: `joins${++made}@example.com`,
        password,
      },
    },
    joins: 'editor',
  }),
  acceptInvitation: async () => ({
    asked: { body: { invitation: await makeLink(environment, teamId, 'editor') } },
    joins: 'editor',
  }),
}

test('what a person does for themselves changes nobody else, and gives no other role than that of an invitation', async () => {
  assert.deepEqual(Object.keys(acts).sort(), [...personal].sort())
  for (const id of personal)
    for (const role of roles) {
      const personId = await newMember(role)
      const { asked, joins } = await acts[id]!(personId)
      const session = await makeSession(environment, personId)
      const before = ledger.read()
      const reply = await callControl(control, id, customer, {
        ...asked,
        headers: { authorization: `Bearer ${session}` },
      })
      const allowed = new Set<Scope>([...roleScopes(role), ...(joins ? roleScopes(joins) : [])])
      const itself = id === 'createPerson' ? String((reply.body.person as { personId: string }).personId) : personId
      for (const { name, scopes: stood } of changedBetween(before, ledger.read())) {
        const isOwn = name.includes(itself)
        const isJoining = joins !== undefined && stood !== 'own' && stood.every((scope) => allowed.has(scope))
        assert.ok(
          isOwn ? stood === 'own' || isJoining : isJoining && name.startsWith('invitation'),
          `${id} by ${role} changed ${name}`,
        )
      }
      if (id === 'acceptInvitation') {
        const now = (await environment.store.accounts.member(teamId, personId))!.role
        assert.equal(now, role === 'owner' ? 'owner' : 'editor')
      }
    }
  assert.equal((await environment.store.accounts.member(teamId, owner))?.role, 'owner')
})

test('the operations of the operator are refused to every token and every other person, and change nothing', async () => {
  const cases = operatorCases(control, customer)
  const sessions = await Promise.all(roles.map(async (role) => makeSession(environment, await newMember(role))))
  const bearers = [...sessions, ...[...alone, ...ofRoles].map(({ token }) => token)]
  for (const id of ofOperator) {
    const asked = await cases.good[id as keyof typeof cases.good]()
    for (const bearer of bearers) {
      const before = ledger.read()
      const reply = await callControl(control, id, customer, {
        ...asked,
        headers: { authorization: `Bearer ${bearer}` },
      })
      assert.equal(reply.status, sessions.includes(bearer) ? 403 : 401, id)
      assert.deepEqual(changedBetween(before, ledger.read()), [])
    }
    assert.equal((await callControl(control, id, customer, asked)).status, 200, id)
  }
})

test('none of it was a bug', () => {
  const errors = [...control.lines, ...place.lines].filter(({ level }) => level === 'error')
  assert.deepEqual(errors, [])
})
