import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CreatedApplication, Member, Role } from '#contract/account.ts'
import type { ErrorObject } from '#contract/errorObject.ts'
import { type Scope, scopes } from '#contract/scopes.ts'
import { makePerson, makeSession } from '../../test/fake/sessionCases.ts'
import {
  askTokenEndpoint,
  authorizeUrl,
  callApi,
  callback,
  type FormBrowser,
  giveConsent,
  makeApplication,
  makeMember,
  makeTeam,
  openFormBrowser,
  openTestServer,
  pkce,
} from '../../test/fake/testServer.ts'
import { roleScopes } from './roleScopes.ts'
import { createToken } from './token.ts'

const place = await openTestServer()
after(place.close)
const { production } = place.environments
const team = await makeTeam(production)
const owner = await makeMember(place, production, team.teamId, 'owner', 'owner@example.com')
const { teamId } = team

type ResponseBody = ErrorObject & Record<string, unknown>
const everything = ['tag:read', 'user:erase', 'application:write'] as const
const tokenWith = async (...scopes: Scope[]) => createToken(production, { teamId, scopes }, 'operator')
const call = (token: string, method: string, path: string, body?: unknown) =>
  callApi<ResponseBody>(production, { token, teamId }, method, path, body)
const memberOf = async (email: string) =>
  ((await call(team.token, 'GET', '/member')).body.members as Member[]).find((each) => each.email === email)!
const newMember = async (role: Role, email: string) => {
  await makeMember(place, production, teamId, role, email)
  return (await memberOf(email)).personId
}
const lacking = (role: Role, ...scopes: Scope[]) => roleScopes(role).filter((scope) => !scopes.includes(scope))

function refused({ status, body }: { status: number; body: ResponseBody }, missing: readonly string[]): void {
  assert.deepEqual([status, body.error, body.attributes], [403, 'SCOPE_MISSING', { missing }])
}

test('application:write alone cannot rotate the secret of an application with more scopes, and the refusal is in the audit', async () => {
  const application = await makeApplication(production, team, { scopes: everything })
  const { applicationId } = application
  const weak = await tokenWith('application:write')
  refused(await call(weak.token, 'POST', `/application/${applicationId}/secret`, {}), ['tag:read', 'user:erase'])
  const [entry] = (await production.store.audit(teamId, { limit: 1 })).rows
  assert.deepEqual(
    [entry?.what, entry?.by, entry?.object, entry?.from, entry?.after],
    ['rotateClientSecret.refused', weak.tokenId, applicationId, '127.0.0.1', { missing: ['tag:read', 'user:erase'] }],
  )
  assert.equal((await askTokenEndpoint(production, application, { grant_type: 'client_credentials' })).status, 200)
  const equal = await tokenWith(...everything)
  assert.equal((await call(equal.token, 'POST', `/application/${applicationId}/secret`, {})).status, 200)
})

test('application:write alone can neither delete an application with more scopes nor revoke its tokens', async () => {
  const { applicationId } = await makeApplication(production, team, { scopes: everything })
  const issued = await call(team.token, 'POST', `/application/${applicationId}/token`, { scopes: everything })
  const weak = await tokenWith('application:write')
  refused(await call(weak.token, 'DELETE', `/application/${applicationId}`), ['tag:read', 'user:erase'])
  refused(await call(weak.token, 'DELETE', `/token/${issued.body.tokenId}`), ['tag:read', 'user:erase'])
  assert.equal((await call(`${issued.body.token}`, 'GET', '/me')).status, 200)
  assert.equal((await call(weak.token, 'DELETE', `/token/${weak.tokenId}`)).status, 200, 'itself it may end')
})

test('application:write alone cannot invite, and with a viewer’s scopes it can invite only viewers', async () => {
  const weak = await tokenWith('application:write')
  for (const role of ['owner', 'editor', 'viewer'] as const)
    refused(
      await call(weak.token, 'POST', '/invitation', { role }),
      scopes.filter((scope) => lacking(role, 'application:write').includes(scope)),
    )
  const viewing = await tokenWith('application:write', ...roleScopes('viewer'))
  assert.equal((await call(viewing.token, 'POST', '/invitation', { role: 'viewer' })).status, 200)
  assert.equal((await call(viewing.token, 'POST', '/invitation', { role: 'editor' })).status, 403)
  const token = (await call(team.token, 'POST', '/invitation', { role: 'owner' })).body
  const path = `/invitation/${token.invitationId}`
  assert.equal((await call(viewing.token, 'DELETE', path)).status, 403, 'nor takes back what gives more')
  assert.equal((await call(team.token, 'DELETE', path)).status, 200)
})

test('a caller with fewer scopes than an owner can neither add, change nor remove an owner', async () => {
  const [other, viewer] = [await newMember('owner', 'other@example.com'), await newMember('viewer', 'low@example.com')]
  const scopeList: Scope[] = ['application:write', ...roleScopes('editor')]
  const { token } = await tokenWith(...scopeList)
  const missing = lacking('owner', ...scopeList)
  refused(await call(token, 'PUT', `/member/${viewer}`, { role: 'owner' }), missing)
  refused(await call(token, 'PUT', `/member/${other}`, { role: 'viewer' }), missing)
  refused(await call(token, 'DELETE', `/member/${other}`), missing)
  assert.deepEqual(
    [(await memberOf('other@example.com')).role, (await memberOf('low@example.com')).role],
    ['owner', 'viewer'],
  )
  assert.equal((await call(token, 'PUT', `/member/${viewer}`, { role: 'editor' })).status, 200)
  assert.equal((await call(token, 'DELETE', `/member/${viewer}`)).status, 200)
})

test('for another team’s object the response is that it is unknown, not which scopes are missing', async () => {
  const other = await makeTeam(production, 'Other')
  const { applicationId } = await makeApplication(production, other, { scopes: everything })
  const weak = await tokenWith('application:write')
  assert.equal((await call(weak.token, 'POST', `/application/${applicationId}/secret`, {})).status, 404)
})

const joins = await makePerson(production, 'joins@example.com')

/** Whether an invitation link is still valid. */
async function opens(url: unknown): Promise<boolean> {
  const invitation = `${url}`
  const isShown = (await openFormBrowser(place).go(invitation)).status === 200
  const answer = await fetch(`${production.baseUrl}/invitation/accept`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await makeSession(production, joins)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ invitation }),
  })
  assert.equal(answer.status === 200, isShown, 'page and API say the same')
  return isShown
}

/** The link of an invitation that a signed-in person makes. */
const inviteInBrowser = async (person: FormBrowser) =>
  `${(await person.call('POST', '/v1/invitation', { role: 'owner' }, teamId)).body.url}`

test('the open invitations of an owner end when the owner is removed or gets another role', async () => {
  for (const [email, change] of [
    ['gone@example.com', (path: string) => call(team.token, 'DELETE', path)],
    ['lowered@example.com', (path: string) => call(team.token, 'PUT', path, { role: 'editor' })],
  ] as const) {
    const person = await makeMember(place, production, teamId, 'owner', email)
    const [used, left] = [await inviteInBrowser(person), await inviteInBrowser(person)]
    assert.ok(await opens(used))
    assert.equal((await change(`/member/${(await memberOf(email)).personId}`)).status, 200)
    assert.ok(!(await opens(left)), email)
  }
  const { invitations } = (await call(team.token, 'GET', '/invitation')).body
  const owners = (invitations as { role: Role }[]).filter(({ role }) => role === 'owner')
  assert.deepEqual(owners, [], 'nor is it listed')
})

async function tokensOf(application: CreatedApplication, person: FormBrowser) {
  const { verifier, challenge } = pkce()
  const url = authorizeUrl(production, application.applicationId, challenge, { scope: scopes.join(' ') })
  const code = (await giveConsent(person, url, teamId)).get('code')!
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback }
  const { status, body } = await askTokenEndpoint(production, application, form)
  assert.equal(status, 200)
  return body
}
const inviteBy = async (token: unknown) => {
  const { status, body } = await call(`${token}`, 'POST', '/invitation', { role: 'owner' })
  assert.equal(status, 200, JSON.stringify(body))
  return body.url
}

test('an invitation by an application ends with the application’s access, not with the token that made it', async () => {
  const person = await makeMember(place, production, teamId, 'owner', 'grants@example.com')
  const application = await makeApplication(production, team, { scopes })
  const { access_token: token } = await tokensOf(application, person)
  const [firstLink, secondLink] = [await inviteBy(token), await inviteBy(token)]
  await place.clock.turn(20 * 60_000)
  assert.equal((await call(`${token}`, 'GET', '/me')).status, 401)
  await makeApplicationCall(application) // deletes expired rows
  assert.ok(await opens(firstLink))
  await person.call('DELETE', `/v1/grant?applicationId=${application.applicationId}&teamId=${teamId}`)
  assert.ok(!(await opens(secondLink)))
})
const makeApplicationCall = async (application: CreatedApplication) =>
  (await askTokenEndpoint(production, application, { grant_type: 'client_credentials' })).body.access_token

test('an invitation by an application itself ends with the application, and one by a token when the token is revoked', async () => {
  const application = await makeApplication(production, team, { scopes })
  const own = await inviteBy(await makeApplicationCall(application))
  await call(team.token, 'DELETE', `/application/${application.applicationId}`)
  assert.ok(!(await opens(own)))
  const token = await tokenWith(...scopes)
  const link = await inviteBy(token.token)
  await call(team.token, 'DELETE', `/token/${token.tokenId}`)
  assert.ok(!(await opens(link)))
})

test('a refresh is refused if the person’s current role lacks a granted scope', async () => {
  const person = await makeMember(place, production, teamId, 'owner', 'refresh@example.com')
  const application = await makeApplication(production, team, { scopes })
  const got = await tokensOf(application, person)
  const { personId } = await memberOf('refresh@example.com')
  // Simulates a role change concurrent with the consent: the role is lower, and the grant still exists.
  const row = { ...(await production.store.accounts.member(teamId, personId))!, role: 'viewer' as const }
  await production.store.write([{ account: { put: 'member', row } }])
  const again = await askTokenEndpoint(production, application, {
    grant_type: 'refresh_token',
    refresh_token: `${got.refresh_token}`,
  })
  assert.deepEqual([again.status, again.body.error, again.body.access_token], [400, 'invalid_grant', undefined])
})

test('consent grants only scopes of the person’s role, whatever is requested', async () => {
  for (const role of ['editor', 'viewer'] as const) {
    const person = await makeMember(place, production, teamId, role, `${role}@consent.example`)
    const application = await makeApplication(production, team, { scopes })
    const { access_token: token } = await tokensOf(application, person)
    assert.deepEqual((await call(`${token}`, 'GET', '/me')).body.scopes, roleScopes(role))
  }
  assert.equal((await owner.call('GET', '/v1/session')).status, 200)
})
