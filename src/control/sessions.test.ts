import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import type { ErrorObject } from '#contract/errorObject.ts'
import type { FaultName } from '#contract/fault.ts'
import { faults } from '#contract/fault.ts'
import { faultsOf, type OperationId, operationIds, operations } from '#contract/operations.ts'
import type { Session, SessionMade } from '#contract/session.ts'
import { makeLink, makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import {
  findInData,
  makeMember,
  makeOperator,
  makeTeam,
  openFormBrowser,
  openTestServer,
} from '../../test/fake/testServer.ts'
import type { ControlDeps } from './controlDeps.ts'

const place = await openTestServer()
after(place.close)
const { production, sandbox } = place.environments
const team = await makeTeam(production, 'Shop')
const other = await makeTeam(production, 'Other shop')
const minuteMs = 60_000
const dayMs = 1_440 * minuteMs
const ada = await makePerson(production, 'Ada@Example.com')

type SessionResponse<Body> = { status: number; headers: Headers; body: Body & Partial<ErrorObject> }
type SessionRequest = { session?: string; body?: unknown; headers?: Record<string, string>; deps?: ControlDeps }

/** Calls an operation with a session, as a program of a signed-in person does. */
async function call<Body = Record<string, unknown>>(
  id: OperationId,
  request: SessionRequest = {},
): Promise<SessionResponse<Body>> {
  const { session, body, headers, deps = production } = request
  const { method, path } = operations[id]
  const answer = await fetch(deps.baseUrl + path, {
    method,
    headers: {
      ...(session !== undefined && { authorization: `Bearer ${session}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body & Partial<ErrorObject> }
}
const signIn = (email: string, secret = password, deps = production) =>
  call<SessionMade>('signIn', { body: { email, password: secret }, deps })
const newSession = () => makeSession(production, ada)
const isGood = async (session: string) => (await call('readSession', { session })).status === 200
const signUp = async (email: string) => ({
  invitation: await makeLink(production, team.teamId),
  name: 'Grace Hopper',
  email,
  password,
})
const auditRows = async () => (await production.store.audit(team.teamId, { limit: 50 })).rows

test('e-mail (in any case) and password open a session of 14 days that shows the person', async () => {
  const { status, body, headers } = await signIn(' ada@EXAMPLE.com ')
  assert.equal(status, 200)
  assert.match(body.session!, /^[\w-]{43}$/)
  assert.equal(body.expiresAt, place.clock.now() + 14 * dayMs)
  assert.deepEqual(body.person, { personId: ada, name: 'Ada Lovelace', email: 'Ada@Example.com', sandbox: 'notLinked' })
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('set-cookie'), null)
  const { session = '', ...shown } = body
  assert.deepEqual((await call<Session>('readSession', { session })).body, shown)
})

test('a wrong password and an unknown e-mail get the same response', async () => {
  const [wrong, unknown] = [await signIn('ada@example.com', 'wrong'), await signIn('nobody@example.com')]
  assert.deepEqual([wrong.status, wrong.body], [403, unknown.body])
  assert.equal(wrong.body.error, 'SIGN_IN_REFUSED')
})

test('after five failures of an e-mail, on the page and the API together, even the right password must wait', async () => {
  await makePerson(production, 'guessed@example.com')
  const onPage = { email: 'guessed@example.com', password: 'wrong' }
  for (const _ of [1, 2, 3])
    assert.equal((await openFormBrowser(place).send('/v1/account/sign-in', onPage)).status, 403)
  const responses = await Promise.all([1, 2, 3, 4].map(() => signIn('guessed@example.com', 'wrong')))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [403, 403, 429, 429])
  const waits = await signIn('guessed@example.com')
  assert.deepEqual([waits.status, waits.body.error], [429, 'TOO_MANY_ATTEMPTS'])
  assert.equal(waits.headers.get('retry-after'), '1')
  assert.equal((await openFormBrowser(place).send('/v1/account/sign-in', { ...onPage, password })).status, 429)
  await place.clock.turn(15 * minuteMs)
  assert.equal((await signIn('guessed@example.com')).status, 200)
})

test('after thirty failures an IP address must wait with any e-mail; successful sign-ins do not count', async () => {
  await place.clock.turn(15 * minuteMs)
  await signIn('ada@example.com')
  const failing = await Promise.all(Array.from({ length: 30 }, (_, n) => signIn(`guess${n}@example.com`)))
  assert.ok(failing.every(({ status }) => status === 403))
  assert.equal((await signIn('ada@example.com')).status, 429)
  await place.clock.turn(15 * minuteMs)
  assert.equal((await signIn('ada@example.com')).status, 200)
})

test('a session ends when its owner signs out, and expires after 14 days', async () => {
  const [ended, open] = [await newSession(), await newSession()]
  assert.deepEqual((await call('signOut', { session: ended })).body, { personId: ada })
  assert.deepEqual([await isGood(ended), await isGood(open)], [false, true])
  await place.clock.turn(14 * dayMs - 1)
  assert.ok(await isGood(open))
  await place.clock.turn(1)
  assert.ok(!(await isGood(open)))
})

/** The kinds of invalid sessions, each with its fault. */
const matrix: Record<string, [() => Promise<SessionRequest> | SessionRequest, FaultName]> = {
  'no session': [() => ({}), 'sessionMissing'],
  'a malformed session': [() => ({ session: 'x' }), 'sessionRefused'],
  'an unknown session': [() => ({ session: 'x'.repeat(43) }), 'sessionRefused'],
  'another scheme': [async () => ({ headers: { authorization: `Basic ${await newSession()}` } }), 'sessionRefused'],
  'an access token': [
    async () => ({ session: (await createToken(production, { teamId: team.teamId }, 'operator')).token }),
    'sessionRefused',
  ],
  'a session of the other environment': [
    async () => ({ session: await makeSession(sandbox, await makePerson(sandbox, 'ada@example.com')) }),
    'sessionRefused',
  ],
  'a session that was signed out': [
    async () => {
      const session = await newSession()
      await call('signOut', { session })
      return { session }
    },
    'sessionRefused',
  ],
  'the cookie of a browser that is signed in': [
    async () => ({ headers: { cookie: `aglet_session=${await newSession()}` } }),
    'sessionMissing',
  ],
}
const personal = operationIds.filter((id) => operations[id].access === 'session')

test('the operations of a person on their own account require a session', () => {
  assert.deepEqual([...personal].sort(), [
    'acceptInvitation',
    'endGrant',
    'endSession',
    'forgetDevice',
    'linkSandbox',
    'listDevices',
    'listGrants',
    'listSessions',
    'readSession',
    'signOut',
    'unlinkSandbox',
    'updatePerson',
  ])
})
for (const [what, [who, name]] of Object.entries(matrix))
  test(`with ${what} every operation of a person on their own account is 401`, async () => {
    const request = await who()
    for (const id of personal) {
      const { status, body, headers } = await call(id, { body: 'body' in operations[id] ? {} : undefined, ...request })
      assert.deepEqual([id, status, body.error], [id, 401, faults[name].code])
      const challenge = name.endsWith('Missing') ? 'Bearer' : 'Bearer error="invalid_token"'
      assert.equal(headers.get('www-authenticate'), challenge)
    }
  })

test('a session is not accepted as an access token by any operation or team', async () => {
  const link = await makeLink(production, team.teamId, 'owner')
  const session = await newSession()
  await call('acceptInvitation', { session, body: { invitation: link } })
  for (const id of operationIds.filter((each) => faultsOf(operations[each]).includes('tokenRefused'))) {
    const { status, body } = await call(id, { session, headers: { 'team-id': team.teamId } })
    assert.deepEqual([id, status, body.error], [id, 401, 'TOKEN_REFUSED'])
  }
})

test('a new person joins by an invitation and is signed in with its role', async () => {
  const signUpBody = await signUp('grace@example.com')
  const { status, body } = await call<SessionMade>('createPerson', { body: signUpBody })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.teams, [{ teamId: team.teamId, name: 'Shop', role: 'viewer' }])
  assert.deepEqual([body.person.name, body.person.email], ['Grace Hopper', 'grace@example.com'])
  assert.ok(await isGood(body.session!))
  assert.equal((await signIn('grace@example.com')).status, 200)
  const late = await call('createPerson', { body: { ...signUpBody, email: 'late@example.com' } })
  assert.deepEqual([late.status, late.body.error], [404, 'INVITATION_UNKNOWN'], 'a link works once')
})

test('an invitation is accepted as the whole link or as its last part, and only in its environment', async () => {
  const signUpBody = await signUp('part@example.com')
  assert.equal((await call('createPerson', { body: signUpBody, deps: sandbox })).status, 404)
  const [invitation = ''] = signUpBody.invitation.split('/').slice(-1)
  assert.equal((await call('createPerson', { body: { ...signUpBody, invitation } })).status, 200)
})

test('concurrent requests with one invitation admit one person', async () => {
  const signUpBody = await signUp('')
  const responses = await Promise.all(
    ['a', 'b', 'c'].map((name) => call('createPerson', { body: { ...signUpBody, email: `${name}@many.example` } })),
  )
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 404, 404])
})

test('a taken e-mail, a short password and a malformed e-mail are refused, and the invitation stays valid', async () => {
  const signUpBody = await signUp('fine@example.com')
  const cases: [object, number, string][] = [
    [{ email: 'ADA@example.com' }, 409, 'EMAIL_TAKEN'],
    [{ email: 'no address' }, 400, 'BAD_REQUEST'],
    [{ password: 'too short' }, 400, 'BAD_REQUEST'],
    [{ name: ' ' }, 400, 'BAD_REQUEST'],
  ]
  for (const [more, status, code] of cases) {
    const response = await call('createPerson', { body: { ...signUpBody, ...more } })
    assert.deepEqual([response.status, response.body.error], [status, code])
    if (status === 400)
      assert.deepEqual(
        (response.body.attributes!.issues as { path: string }[]).map(({ path }) => path),
        Object.keys(more),
      )
  }
  assert.equal((await call('createPerson', { body: signUpBody })).status, 200)
})

test('a signed-in person joins another team with the same account, and a lesser role does not replace a greater one', async () => {
  const session = await newSession()
  const join = async (role: 'owner' | 'viewer') =>
    (await call('acceptInvitation', { session, body: { invitation: await makeLink(production, other.teamId, role) } }))
      .body
  assert.deepEqual(await join('owner'), { teamId: other.teamId, name: 'Other shop', role: 'owner' })
  assert.equal((await join('viewer')).role, 'owner')
  const { teams } = (await call<Session>('readSession', { session })).body
  assert.ok(teams.some(({ teamId, role }) => teamId === other.teamId && role === 'owner'))
})

test('a person changes the listed fields and keeps the others; every other session of theirs ends', async () => {
  const personId = await makePerson(production, 'before@example.com')
  const [here, there] = [await makeSession(production, personId), await makeSession(production, personId)]
  const response = await call('updatePerson', { session: here, body: { name: 'Ada King', password: null } })
  assert.deepEqual(response.body, { personId, name: 'Ada King', email: 'before@example.com', sandbox: 'notLinked' })
  assert.deepEqual([await isGood(here), await isGood(there)], [true, false])
  const body = { password: 'another horse', currentPassword: password }
  assert.equal((await call('updatePerson', { session: here, body })).status, 200)
  assert.equal((await signIn('before@example.com')).status, 403)
  assert.equal((await signIn('before@example.com', 'another horse')).status, 200)
})

test('the operator, who signed in by a link, must first set an e-mail and a password together', async () => {
  const operator = await makeOperator(place, production)
  const session = operator.jar.get('aglet_session /v1')!.value
  const { teams } = (await call<Session>('readSession', { session })).body
  assert.ok([team.teamId, other.teamId].every((each) => teams.some(({ teamId }) => teamId === each)))
  for (const body of [{ email: 'op@example.com' }, { password }, {}])
    assert.equal((await call('updatePerson', { session, body })).status, 400)
  assert.equal((await call('updatePerson', { session, body: { email: 'op@example.com', password } })).status, 200)
  assert.equal((await signIn('op@example.com')).body.person.name, 'Operator')
  const again = { email: 'op2@example.com', password: 'another horse' }
  assert.equal((await call('updatePerson', { session, body: again })).status, 200, 'a new link proves as much')
  await place.clock.turn(60 * minuteMs)
  assert.equal((await call('updatePerson', { session, body: again })).status, 400, 'for an hour')
})

test('a removed member no longer has the team', async () => {
  const member = await makeMember(place, production, team.teamId, 'editor', 'gone@example.com')
  const session = member.jar.get('aglet_session /v1')!.value
  const { person } = (await call<Session>('readSession', { session })).body
  const headers = { authorization: `Bearer ${team.token}`, 'team-id': team.teamId }
  await fetch(`${production.baseUrl}/member/${person.personId}`, { method: 'DELETE', headers })
  assert.deepEqual((await call<Session>('readSession', { session })).body.teams, [])
})

test('a person who joins is in the audit of the team, with their IP address', async () => {
  const { body } = await call<SessionMade>('createPerson', { body: await signUp('seen@example.com') })
  const entry = (await auditRows()).find(({ by }) => by === body.person.personId)
  assert.deepEqual([entry?.what, entry?.object, entry?.from], ['acceptInvitation', entry?.by, '127.0.0.1'])
})

test('nothing is logged as a bug, and no e-mail, password or session is logged or stored in plaintext', async () => {
  const { session = '' } = (await signIn('ada@example.com')).body
  assert.deepEqual(
    place.lines.filter(({ level }) => level === 'error'),
    [],
  )
  const canaries = ['Ada@Example.com', 'grace@example.com', 'Grace Hopper', password, 'another horse', session]
  for (const canary of canaries) assert.ok(!JSON.stringify(place.lines).includes(canary))
  assert.deepEqual(findInData(place, [team.teamId, ...canaries]), [team.teamId])
})
