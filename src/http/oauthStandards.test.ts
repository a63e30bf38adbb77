import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  askTokenEndpoint,
  authorizeUrl,
  callback,
  codeForm,
  makeApplication,
  makeMember,
  makeTeam,
  openTestServer,
  pkce,
} from '../../test/fake/testServer.ts'

/** The behaviour that OAuth client libraries rely on: RFC 6749 (errors), RFC 6750 (challenges), RFC 8252 (loopback), CORS. */
const place = await openTestServer()
after(place.close)
const { production } = place.environments
const team = await makeTeam(production)
const owner = await makeMember(place, production, team.teamId, 'owner', 'owner@example.com')
const application = await makeApplication(production, team)

/** The tokens that the owner's consent gives the application. */
async function tokensOf() {
  const form = await codeForm(production, application, { person: owner, teamId: team.teamId })
  return (await askTokenEndpoint(production, application, form)).body
}

test('a scope that does not exist is refused as invalid_scope, alone and among others', async () => {
  for (const scope of ['tag:raed', 'tag:read tag:raed']) {
    const form = { grant_type: 'client_credentials', scope }
    const { status, body } = await askTokenEndpoint(production, application, form)
    assert.deepEqual([status, body.error, body.access_token], [400, 'invalid_scope', undefined])
    const url = authorizeUrl(production, application.applicationId, pkce().challenge, { scope })
    const page = await owner.follow(await owner.go(url))
    assert.equal(new URL(page.location!).searchParams.get('error'), 'invalid_scope')
  }
  const got = await tokensOf()
  const form = { grant_type: 'refresh_token', refresh_token: `${got.refresh_token}`, scope: 'tag:raed' }
  assert.equal((await askTokenEndpoint(production, application, form)).body.error, 'invalid_scope')
})

test('a redirect URI on a loopback address is accepted with any port', async () => {
  const redirect = callback.replace(':9/', ':54321/')
  const form = await codeForm(production, application, { person: owner, teamId: team.teamId, redirect })
  assert.equal((await askTokenEndpoint(production, application, form)).status, 200)
})

test('a grant type that the application may not use is refused as unauthorized_client', async () => {
  const phone = await makeApplication(production, team, { isPublic: true })
  const { status, body } = await askTokenEndpoint(production, phone, { grant_type: 'client_credentials' })
  assert.deepEqual([status, body.error], [400, 'unauthorized_client'])
})

test('a page of a public application may call the token endpoint from the origin of its redirect URI only', async () => {
  const redirectUris = ['https://studio.example/callback']
  const page = await makeApplication(production, team, { isPublic: true, redirectUris })
  const allowedFor = async (origin: string, clientId: string) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'none', client_id: clientId })
    const answer = await fetch(`${production.baseUrl}/oauth/token`, { method: 'POST', headers: { origin }, body })
    return answer.headers.get('access-control-allow-origin')
  }
  assert.equal(await allowedFor('https://studio.example', page.applicationId), 'https://studio.example')
  assert.equal(await allowedFor('https://evil.example', page.applicationId), null)
  assert.equal(await allowedFor('https://studio.example', application.applicationId), null)
})

test('the public documents may be read by a page of any origin', async () => {
  for (const path of ['jwks.json', 'openapi.json']) {
    const answer = await fetch(`${production.baseUrl}/${path}`, { headers: { origin: 'https://studio.example' } })
    assert.equal(answer.headers.get('access-control-allow-origin'), '*', path)
  }
})

test('a refused token is challenged with its error, a missing one without, and a missing scope with the needed ones', async () => {
  const challengeOf = async (authorization?: string) => {
    const answer = await fetch(`${production.baseUrl}/me`, { headers: authorization ? { authorization } : {} })
    return answer.headers.get('www-authenticate')
  }
  assert.equal(await challengeOf(), 'Bearer')
  assert.equal(await challengeOf('Bearer nonsense'), 'Bearer error="invalid_token"')
  const form = { grant_type: 'client_credentials', scope: 'tag:read' }
  const token = (await askTokenEndpoint(production, application, form)).body.access_token
  const answer = await fetch(`${production.baseUrl}/audit`, {
    headers: { authorization: `Bearer ${token}`, 'team-id': team.teamId },
  })
  assert.equal(answer.status, 403)
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer error="insufficient_scope", scope="audit:read"')
})
