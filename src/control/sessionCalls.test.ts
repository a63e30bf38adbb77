import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { roleScopes } from '#account/roleScopes.ts'
import { createToken } from '#account/token.ts'
import { type Role, roles } from '#contract/account.ts'
import { everyScope } from '#contract/scopes.ts'
import { makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import { makeTeam, openTestServer } from '../../test/fake/testServer.ts'
import type { ControlDeps } from './controlDeps.ts'

const place = await openTestServer()
after(place.close)
const { production, sandbox } = place.environments
const { teamId } = await makeTeam(production, 'Shop')
const other = await makeTeam(production, 'Other shop')
let made = 0

async function makeMember(role: Role, deps: ControlDeps = production, of = teamId): Promise<string> {
  const personId = await makePerson(deps, `member${++made}@example.com`)
  const row = { teamId: of, personId, role, createdAt: deps.clock.now() }
  await deps.store.write([{ account: { add: 'member', row } }])
  return personId
}
const owner = await makeMember('owner')

type Headers = Record<string, string | undefined>
type PageCall = { method?: string; path: string; body?: unknown; headers?: Headers; deps?: ControlDeps }

/** Calls the API as a page of this origin does; `undefined` omits a header. */
async function call(session: string, { method = 'GET', path, body, headers, deps = production }: PageCall) {
  const all: Headers = {
    cookie: `aglet_session=${session}`,
    'aglet-session': '1',
    'sec-fetch-site': 'same-origin',
    'team-id': teamId,
    ...(method !== 'GET' && { origin: place.origin }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  const sent = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined)
  const answer = await fetch(deps.baseUrl + path, {
    method,
    headers: Object.fromEntries(sent),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as Record<string, unknown> }
}
const rename = { method: 'PUT', path: '/team', body: { name: 'Stolen' } }
const teamName = async () => (await production.store.team(teamId))?.name

for (const role of roles)
  test(`the session of a page acts for the team with the scopes of the ${role}`, async () => {
    const personId = await makeMember(role)
    const { status, body } = await call(await makeSession(production, personId), { path: '/me' })
    assert.deepEqual([status, body.teamId, body.application, body.personId], [200, teamId, 'session', personId])
    assert.deepEqual(body.scopes, roleScopes(role))
    const tag = { method: 'POST', path: '/tag', body: { name: `by ${role}`, domain: 'shop.example' } }
    const answer = await call(await makeSession(production, personId), tag)
    assert.equal(answer.status, role === 'viewer' ? 403 : 200, JSON.stringify(answer.body))
  })

test('the operator acts for every team, with the scopes of the operator as well', async () => {
  const personId = await makeOperatorPerson()
  const { body } = await call(await makeSession(production, personId), {
    path: '/me',
    headers: { 'team-id': other.teamId },
  })
  assert.deepEqual([body.teamId, body.scopes], [other.teamId, [...everyScope]])
})
async function makeOperatorPerson(): Promise<string> {
  const row = { personId: 'per_operator', name: 'Operator', role: 'operator' as const, createdAt: 0 }
  await production.store.write([{ add: 'person', row }])
  return row.personId
}

test('the audit and a deployment name the person who acted', async () => {
  const session = await makeSession(production, owner)
  const tag = await call(session, { method: 'POST', path: '/tag', body: { name: 'named', domain: 'shop.example' } })
  await call(session, { method: 'POST', path: `/tag/${tag.body.tagId}/deploy` })
  const { rows } = await production.store.audit(teamId, { limit: 2 })
  assert.deepEqual(
    rows.map(({ what, by }) => [what, by]),
    [
      ['deployTag', owner],
      ['createTag', owner],
    ],
  )
  assert.equal((await production.store.deployment(String(tag.body.tagId)))?.by, owner)
})

/** Requests of other pages, or of this page in another state, each with the expected answer. */
const refused: Record<string, (session: string) => Promise<Partial<PageCall>>> = {
  'a page of another site': async () => ({
    headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  }),
  'a page of another site, from a browser without Fetch metadata': async () => ({
    headers: { origin: 'https://evil.example', 'sec-fetch-site': undefined },
  }),
  'a page of another host of the same site': async () => ({
    headers: { origin: 'https://tags.example', 'sec-fetch-site': 'same-site' },
  }),
  'a sandboxed answer of a webhook on this origin': async () => ({
    headers: { origin: 'null', 'sec-fetch-site': 'cross-site' },
  }),
  'a page without the header Aglet-Session': async () => ({ headers: { 'aglet-session': undefined } }),
  'a page without Origin': async () => ({ headers: { origin: undefined } }),
  'an Origin that begins like this one': async () => ({ headers: { origin: `${place.origin}.evil.example` } }),
  'a navigation from the address bar': async () => ({ headers: { 'sec-fetch-site': 'none' } }),
  'the cookie of the other environment': async () => {
    const personId = await makePerson(sandbox, `sandbox${++made}@example.com`)
    return { headers: { cookie: `aglet_sandbox_session=${await makeSession(sandbox, personId)}` } }
  },
  'the session of the other environment under the name of this one': async () => {
    const personId = await makePerson(sandbox, `sandbox${++made}@example.com`)
    return { headers: { cookie: `aglet_session=${await makeSession(sandbox, personId)}` } }
  },
  'an unknown session': async () => ({ headers: { cookie: `aglet_session=${'x'.repeat(43)}` } }),
  'no cookie': async () => ({ headers: { cookie: undefined } }),
  'a cookie and a wrong token': async () => ({ headers: { authorization: 'Bearer x' } }),
  'a cookie and an empty Authorization': async () => ({ headers: { authorization: '' } }),
}
for (const [what, request] of Object.entries(refused))
  test(`with ${what} a change is 401, and nothing is done`, async () => {
    const session = await makeSession(production, owner)
    for (const change of [rename, { method: 'PUT', path: '/person', body: { name: 'Stolen' } }]) {
      const { status, headers } = await call(session, { ...change, ...(await request(session)) })
      assert.equal(status, 401)
      assert.equal(headers.get('access-control-allow-origin'), null)
    }
    assert.equal(await teamName(), 'Shop')
    assert.equal((await call(session, { path: '/session' })).body.person !== undefined, true)
  })

test('a preflight of another site gets no permission to send the header Aglet-Session', async () => {
  const answer = await fetch(`${production.baseUrl}/team`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'aglet-session,team-id',
    },
  })
  const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))
  assert.deepEqual(names, [])
})

test('a person who was removed is refused at the next call, and so is a changed role', async () => {
  const personId = await makeMember('owner')
  const session = await makeSession(production, personId)
  assert.equal((await call(session, { ...rename, body: { name: 'Shop' } })).status, 200)
  const row = { teamId, personId, role: 'viewer' as const, createdAt: 0 }
  await production.store.write([{ account: { put: 'member', row } }])
  const asViewer = await call(session, rename)
  assert.deepEqual([asViewer.status, asViewer.body.error], [403, 'SCOPE_MISSING'])
  await production.store.write([{ account: { drop: 'member', teamId, personId } }])
  for (const each of [rename, { path: '/me' }, { path: '/member' }]) {
    const { status, body } = await call(session, each)
    assert.deepEqual([status, body.error], [403, 'TEAM_REFUSED'])
  }
  assert.equal(await teamName(), 'Shop')
})

test('a session acts for no other team, and names one even for GET /me', async () => {
  const session = await makeSession(production, owner)
  const refusal = await call(session, { ...rename, headers: { 'team-id': other.teamId } })
  assert.deepEqual([refusal.status, refusal.body.error], [403, 'TEAM_REFUSED'])
  const without = await call(session, { path: '/me', headers: { 'team-id': undefined } })
  assert.deepEqual([without.status, without.body.error], [400, 'TEAM_ID_MISSING'])
})

test('an API token needs no Team-Id for GET /me, as before, whatever else the request carries', async () => {
  const { token } = await createToken(production, { teamId }, 'operator')
  const session = await makeSession(production, owner)
  const headers = { authorization: `Bearer ${token}`, 'team-id': undefined }
  const { status, body } = await call(session, { path: '/me', headers })
  assert.deepEqual([status, body.application, body.personId], [200, 'operator', undefined])
})

test('a bearer session has no power over a team', async () => {
  const session = await makeSession(production, owner)
  const headers = { authorization: `Bearer ${session}`, cookie: undefined }
  assert.equal((await call(session, { ...rename, headers })).status, 401)
})

test('a page signs in and out by cookie alone; its scripts never see the session', async () => {
  await makePerson(production, 'page@example.com')
  const signIn = { method: 'POST', path: '/session', body: { email: 'page@example.com', password } }
  const answer = await call('', { ...signIn, headers: { cookie: undefined } })
  assert.deepEqual([answer.status, answer.body.session], [200, undefined])
  const [cookie = '', device = ''] = answer.headers.getSetCookie()
  assert.match(device, /^aglet_device=dev_[^;]+; Path=\/v1; Max-Age=34560000; HttpOnly; SameSite=Strict$/)
  assert.match(cookie, /^aglet_session=[\w-]{43}; Path=\/v1; Max-Age=1209600; HttpOnly; SameSite=Lax$/)
  const session = /=([\w-]{43});/.exec(cookie)![1]!
  assert.equal((await call(session, { path: '/session' })).status, 200)
  const out = await call(session, { method: 'DELETE', path: '/session' })
  assert.match(String(out.headers.get('set-cookie')), /^aglet_session=; .*Max-Age=0/)
  assert.equal((await call(session, { path: '/session' })).status, 401)
})

test('of two session cookies none counts: another host of the domain may have set one', async () => {
  const session = await makeSession(production, owner)
  const names = [session, await makeSession(production, owner)].map((each) => `aglet_session=${each}`)
  for (const cookie of [names.join('; '), names.toReversed().join(';'), `${names[0]}; ${names[0]}`])
    assert.equal((await call('', { path: '/session', headers: { cookie } })).status, 401, cookie)
  const cookie = `aglet_session_of_another=x; ${names[0]}; aglet_sandbox_session=y`
  assert.equal((await call('', { path: '/session', headers: { cookie } })).status, 200)
})

test('signing in from another site sets no cookie', async () => {
  const body = { email: 'page@example.com', password }
  const headers = { cookie: undefined, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const answer = await call('', { method: 'POST', path: '/session', body, headers })
  assert.equal(answer.headers.get('set-cookie'), null)
})

test('the sessions and teams of a person share one rate limit', async () => {
  const personId = await makeMember('viewer')
  const remaining = async (path: string) =>
    Number((await call(await makeSession(production, personId), { path })).headers.get('ratelimit-remaining'))
  const first = await remaining('/me')
  assert.equal(await remaining('/team'), first - 1)
  assert.equal(await remaining('/session'), first - 2)
})

test('a person sees and ends their own sessions, and no other’s', async () => {
  const personId = await makePerson(production, 'many@example.com')
  const [current, old] = [await makeSession(production, personId), await makeSession(production, personId)]
  const { sessions } = (await call(current, { path: '/session/list' })).body as {
    sessions: { sessionId: string; isCurrent: boolean }[]
  }
  assert.deepEqual(sessions.map(({ isCurrent }) => isCurrent).sort(), [false, true])
  const end = (sessionId: string) => call(current, { method: 'DELETE', path: `/session/${sessionId}` })
  const another = sessions.find(({ isCurrent }) => !isCurrent)!.sessionId
  assert.equal((await end(another)).status, 200)
  assert.equal((await call(old, { path: '/session' })).status, 401)
  assert.deepEqual((await end(another)).body.error, 'SESSION_UNKNOWN')
  const stranger = await makeSession(production, owner)
  const mine = sessions.find(({ isCurrent }) => isCurrent)!.sessionId
  assert.equal((await call(stranger, { method: 'DELETE', path: `/session/${mine}` })).status, 404)
  assert.equal((await call(current, { path: '/session' })).status, 200)
})

test('an owner renames the team, and the audit has both names', async () => {
  const session = await makeSession(production, owner)
  const { status, body } = await call(session, { method: 'PUT', path: '/team', body: { name: ' Big shop ' } })
  assert.deepEqual(
    [status, body.name, (await call(session, { path: '/team' })).body.name],
    [200, 'Big shop', 'Big shop'],
  )
  const { rows } = await production.store.audit(teamId, { limit: 1 })
  assert.deepEqual(
    [rows[0]?.what, rows[0]?.before, rows[0]?.after],
    ['updateTeam', { name: 'Shop' }, { name: 'Big shop' }],
  )
})
