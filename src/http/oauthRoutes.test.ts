import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isWellFormed } from '#account/token.ts'
import type { CreatedApplication } from '#contract/account.ts'
import { scopes } from '#contract/scopes.ts'
import {
  askTokenEndpoint,
  authorizeUrl,
  callApi,
  callback,
  codeForm,
  findInData,
  giveConsent,
  makeApplication,
  makeMember,
  makeTeam,
  openFormBrowser,
  openTestServer,
  pkce,
} from '../../test/fake/testServer.ts'

const place = await openTestServer()
after(place.close)
const { production, sandbox } = place.environments
const team = await makeTeam(production)
const owner = await makeMember(place, production, team.teamId, 'owner', 'owner@example.com')
const application = await makeApplication(production, team)

const me = async (token: unknown, deps = production) => {
  const answer = await fetch(`${deps.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** An authorization code for the application, with its verifier. */
const newCode = (scope = 'tag:read', as = application, person = owner) =>
  codeForm(production, as, { person, teamId: team.teamId, scope })
const tokensOf = async (scope?: string, as = application) =>
  (await askTokenEndpoint(production, as, await newCode(scope, as))).body
const refresh = (token: unknown, as = application) =>
  askTokenEndpoint(production, as, { grant_type: 'refresh_token', refresh_token: `${token}` })

test('a person consents, the application exchanges the code with its verifier, and calls as the person’s team', async () => {
  const { verifier, challenge } = pkce()
  const url = authorizeUrl(production, application.applicationId, challenge, { scope: 'tag:read event:write' })
  const params = await giveConsent(owner, url, team.teamId)
  assert.equal(params.get('state'), 'as it was')
  assert.equal(params.get('iss'), place.origin)
  const { status, body } = await askTokenEndpoint(production, application, {
    grant_type: 'authorization_code',
    code: params.get('code')!,
    code_verifier: verifier,
    redirect_uri: callback,
  })
  assert.equal(status, 200)
  assert.deepEqual([body.token_type, body.expires_in, body.scope], ['Bearer', 900, 'tag:read event:write'])
  assert.ok(isWellFormed(`${body.access_token}`, 'production'))
  const response = await me(body.access_token)
  assert.equal(response.status, 200)
  const { teamId, application: by, scopes: tokenScopes } = response.body
  assert.deepEqual([teamId, by, tokenScopes], [team.teamId, application.applicationId, ['tag:read', 'event:write']])
})

test('a wrong verifier, another redirect URI and a missing verifier are refused, and the code stays unused', async () => {
  const good = await newCode()
  const { code_verifier: _, ...none } = good
  for (const wrong of [{ ...good, code_verifier: pkce().verifier }, { ...good, redirect_uri: `${callback}2` }, none]) {
    const { status, body } = await askTokenEndpoint(production, application, wrong)
    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  }
  assert.equal((await askTokenEndpoint(production, application, good)).status, 200)
})

test('a reused code is refused, and revokes the tokens that it gave', async () => {
  const good = await newCode()
  const { body } = await askTokenEndpoint(production, application, good)
  assert.equal((await me(body.access_token)).status, 200)
  const again = await askTokenEndpoint(production, application, good)
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  await place.clock.turn(5_000)
  assert.equal((await me(body.access_token)).status, 401)
  assert.equal((await refresh(body.refresh_token)).body.error, 'invalid_grant')
})

test('concurrent requests with one code get tokens at most once', async () => {
  const good = await newCode()
  const answers = await Promise.all(Array.from({ length: 8 }, () => askTokenEndpoint(production, application, good)))
  assert.ok(answers.filter(({ status }) => status === 200).length <= 1)
  assert.ok(answers.every(({ status }) => status === 200 || status === 400))
})

test('a refresh token works once; reusing an old one revokes all tokens of its grant', async () => {
  const first = await tokensOf()
  const second = (await refresh(first.refresh_token)).body
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal((await me(second.access_token)).status, 200)
  assert.equal((await refresh(first.refresh_token)).body.error, 'invalid_grant')
  await place.clock.turn(5_000)
  assert.equal((await me(second.access_token)).status, 401)
  assert.equal((await refresh(second.refresh_token)).body.error, 'invalid_grant')
})

test('a refresh can request fewer scopes, and not more', async () => {
  const got = await tokensOf('tag:read event:write')
  const form = { grant_type: 'refresh_token', refresh_token: `${got.refresh_token}` }
  const more = await askTokenEndpoint(production, application, { ...form, scope: 'tag:read application:write' })
  assert.equal(more.body.error, 'invalid_scope')
  assert.equal((await askTokenEndpoint(production, application, { ...form, scope: 'tag:read' })).body.scope, 'tag:read')
})

test('client_credentials gives a token of the application’s team for 15 minutes, with the requested scopes', async () => {
  const all = await askTokenEndpoint(production, application, { grant_type: 'client_credentials' })
  assert.deepEqual([all.status, all.body.expires_in], [200, 900])
  assert.deepEqual(`${all.body.scope}`.split(' ').sort(), [...application.scopes].sort())
  const response = await me(all.body.access_token)
  assert.deepEqual([response.body.teamId, response.body.application], [team.teamId, application.applicationId])
  const some = await askTokenEndpoint(production, application, { grant_type: 'client_credentials', scope: 'tag:read' })
  assert.deepEqual((await me(some.body.access_token)).body.scopes, ['tag:read'])
  const more = await askTokenEndpoint(production, application, {
    grant_type: 'client_credentials',
    scope: 'user:erase',
  })
  assert.equal(more.body.error, 'invalid_scope')
  await place.clock.turn(15 * 60_000)
  assert.equal((await me(some.body.access_token)).status, 401)
})

test('a wrong or missing secret, or one of another application, is refused', async () => {
  const other = await makeApplication(production, team)
  for (const clientSecret of ['aglet_secret_wrong', other.clientSecret!, `${application.clientSecret}x`]) {
    const { status, body } = await askTokenEndpoint(
      production,
      { ...application, clientSecret },
      { grant_type: 'client_credentials' },
    )
    assert.deepEqual([status, body.error], [401, 'invalid_client'])
  }
  const { clientSecret: _, ...bare } = application
  assert.equal(
    (await askTokenEndpoint(production, bare, { grant_type: 'client_credentials' })).body.error,
    'invalid_client',
  )
  const posted = { client_id: application.applicationId, client_secret: application.clientSecret! }
  const answer = await fetch(`${production.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...posted }),
  })
  assert.equal(answer.status, 200, 'in the body it is taken, too')
})

test('an application that the operator has not approved is unknown to OAuth', async () => {
  const body = { name: 'Waiting', scopes: ['tag:read'], redirectUris: [callback] }
  const created = (await callApi<CreatedApplication>(production, team, 'POST', '/application', body)).body
  assert.equal(created.status, 'pending')
  const early = await askTokenEndpoint(production, created, { grant_type: 'client_credentials' })
  assert.deepEqual([early.status, early.body.error], [401, 'invalid_client'])
  const page = await owner.go(authorizeUrl(production, created.applicationId, pkce().challenge))
  assert.deepEqual([page.status, page.location], [400, undefined])
  await callApi(production, team, 'POST', `/application/${created.applicationId}/approve`)
  assert.equal((await askTokenEndpoint(production, created, { grant_type: 'client_credentials' })).status, 200)
})

test('a public application needs no secret, gets no client_credentials, and still needs a verifier', async () => {
  const phone = await makeApplication(production, team, { isPublic: true })
  assert.equal(phone.clientSecret, undefined)
  assert.ok((await tokensOf('tag:read', phone)).refresh_token)
  const refused = await askTokenEndpoint(production, phone, { grant_type: 'client_credentials' })
  assert.deepEqual([refused.status, refused.body.access_token], [400, undefined])
})

test('PKCE with S256 is required; other response types, methods and redirect URIs give no code', async () => {
  const { challenge } = pkce()
  const at = (more: Record<string, string | undefined>, redirect = callback) =>
    owner.go(authorizeUrl(production, application.applicationId, challenge, { more, redirect }))
  for (const more of [
    { code_challenge: undefined },
    { code_challenge_method: 'plain' },
    { code_challenge_method: undefined },
    { response_type: 'token' },
    { response_type: 'code id_token' },
    { response_mode: 'fragment' },
  ]) {
    const { status, location } = await at(more)
    const errorParams = location ? new URL(location.replace('#', '?')).searchParams : undefined
    assert.ok(status === 400 || errorParams?.get('error'), JSON.stringify(more))
    assert.equal(errorParams?.get('code') ?? undefined, undefined)
  }
  for (const redirect of [`${callback}/`, `${callback}?a=b`, 'http://127.0.0.2:9/callback', 'https://evil.example/'])
    assert.deepEqual([(await at({}, redirect)).status, (await at({}, redirect)).location], [400, undefined], redirect)
  for (const grant_type of ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code']) {
    const { body } = await askTokenEndpoint(production, application, { grant_type, username: 'a', password: 'b' })
    assert.equal(body.error, 'unsupported_grant_type')
  }
})

test('a denied request redirects with access_denied, and one without a scope with invalid_scope', async () => {
  const { challenge } = pkce()
  const denied = await giveConsent(
    owner,
    authorizeUrl(production, application.applicationId, challenge),
    team.teamId,
    'deny',
  )
  assert.deepEqual([denied.get('error'), denied.get('code'), denied.get('state')], ['access_denied', null, 'as it was'])
  const url = authorizeUrl(production, application.applicationId, challenge, { more: { scope: undefined } })
  const page = await owner.follow(await owner.go(url))
  assert.equal(new URL(page.location!).searchParams.get('error'), 'invalid_scope')
})

test('consent is required each time, and prompt=none is refused', async () => {
  const { challenge } = pkce()
  await newCode()
  const url = authorizeUrl(production, application.applicationId, challenge, { more: { prompt: 'none' } })
  const { location } = await owner.go(url)
  assert.equal(new URL(location!).searchParams.get('error'), 'login_required')
})

test('revoking ends an access token within 5 s, and a refresh token with its whole grant', async () => {
  const { access_token: token } = (
    await askTokenEndpoint(production, application, { grant_type: 'client_credentials' })
  ).body
  assert.equal((await me(token)).status, 200)
  assert.equal((await askTokenEndpoint(production, application, { token: `${token}` }, '/oauth/revoke')).status, 200)
  const got = await tokensOf()
  await me(got.access_token)
  await askTokenEndpoint(production, application, { token: `${got.refresh_token}` }, '/oauth/revoke')
  await place.clock.turn(5_000)
  assert.equal((await me(token)).status, 401)
  assert.equal((await me(got.access_token)).status, 401)
  assert.equal((await refresh(got.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await askTokenEndpoint(production, application, { token: 'unknown' }, '/oauth/revoke')).status, 200)
})

test('an application can neither exchange, refresh nor revoke the codes and tokens of another', async () => {
  const other = await makeApplication(production, team)
  assert.equal((await askTokenEndpoint(production, other, await newCode())).body.error, 'invalid_grant')
  const got = await tokensOf()
  assert.equal((await refresh(got.refresh_token, other)).body.error, 'invalid_grant')
  await askTokenEndpoint(production, other, { token: `${got.access_token}` }, '/oauth/revoke')
  await place.clock.turn(5_000)
  assert.equal((await me(got.access_token)).status, 200)
})

test('a person who is not signed in is sent to sign in, and then back to the consent page', async () => {
  const stranger = openFormBrowser(place)
  const url = authorizeUrl(production, application.applicationId, pkce().challenge)
  const page = await stranger.follow(await stranger.go(url))
  assert.match(page.url, /\/v1\/account\/sign-in\?next=/)
  const next = new URL(page.url).searchParams.get('next')!
  const signedIn = await stranger.send('/v1/account/sign-in', {
    email: 'owner@example.com',
    password: 'correct horse',
    next,
  })
  assert.equal(signedIn.location, place.origin + next)
  assert.match((await stranger.go(next)).text, /asks for access/)
})

test('the metadata of both issuers is at the path of RFC 8414 and below the issuer, and its endpoints answer', async () => {
  const read = async (path: string) => {
    const answer = await fetch(place.origin + path)
    assert.equal(answer.status, 200, path)
    return (await answer.json()) as Record<string, string & string[]>
  }
  const wellKnown = '/.well-known/oauth-authorization-server'
  const live = await read(wellKnown)
  const test = await read(`${wellKnown}/sandbox`)
  assert.deepEqual(await read(`/sandbox${wellKnown}`), test)
  assert.deepEqual([live.issuer, test.issuer], [place.origin, `${place.origin}/sandbox`])
  assert.equal(test.token_endpoint, `${place.origin}/sandbox/v1/oauth/token`)
  assert.deepEqual(live.code_challenge_methods_supported, ['S256'])
  assert.deepEqual(live.grant_types_supported, ['authorization_code', 'refresh_token', 'client_credentials'])
  assert.deepEqual(live.scopes_supported, [...scopes])
  for (const { authorization_endpoint, token_endpoint, revocation_endpoint } of [live, test]) {
    assert.equal((await fetch(authorization_endpoint!)).status, 400)
    for (const url of [token_endpoint!, revocation_endpoint!])
      assert.equal((await fetch(url, { method: 'POST', body: new URLSearchParams() })).status, 400)
  }
  assert.equal((await fetch(`${place.origin}/v1/oauth/jwks`)).status, 404)
})

test('tokens, applications and sessions of one environment are unknown in the other', async () => {
  const { access_token: token } = (
    await askTokenEndpoint(production, application, { grant_type: 'client_credentials' })
  ).body
  assert.equal((await me(token, sandbox)).status, 401)
  assert.equal(
    (await askTokenEndpoint(sandbox, application, { grant_type: 'client_credentials' })).body.error,
    'invalid_client',
  )
  assert.equal((await owner.go(authorizeUrl(sandbox, application.applicationId, pkce().challenge))).status, 400)
  for (const { path } of owner.jar.values()) assert.match(path, /^\/v1(\/|$)/)
  assert.match(`${(await owner.go('/sandbox/v1/account')).location}`, /sign-in/)
  const [cookie] = [...owner.jar.values()].filter(({ name }) => name === 'aglet_session')
  const stolen = await fetch(`${sandbox.baseUrl}/account`, {
    redirect: 'manual',
    headers: { cookie: `aglet_sandbox_session=${cookie!.value}; aglet_session=${cookie!.value}` },
  })
  assert.equal(stolen.status, 303)
})

test('the grants of a member end when the member leaves or gets another role', async () => {
  for (const [email, change] of [
    ['leaves@example.com', (path: string) => callApi(production, team, 'DELETE', path)],
    ['changes@example.com', (path: string) => callApi(production, team, 'PUT', path, { role: 'viewer' })],
  ] as const) {
    const person = await makeMember(place, production, team.teamId, 'editor', email)
    const got = (await askTokenEndpoint(production, application, await newCode('tag:read', application, person))).body
    assert.equal((await me(got.access_token)).status, 200)
    const { members } = (
      await callApi<{ members: { personId: string; email: string }[] }>(production, team, 'GET', '/member')
    ).body
    const { personId } = members.find((each) => each.email === email)!
    assert.equal((await change(`/member/${personId}`)).status, 200)
    await place.clock.turn(5_000)
    assert.equal((await me(got.access_token)).status, 401)
    assert.equal((await refresh(got.refresh_token)).body.error, 'invalid_grant')
  }
})

test('a person sees the applications that they granted access, and can end the access of one', async () => {
  const person = await makeMember(place, production, team.teamId, 'editor', 'ends@example.com')
  const other = await makeApplication(production, team, { name: 'Kept <i>App</i>' })
  const otherTokens = (await askTokenEndpoint(production, other, await newCode('tag:read', other, person))).body
  const got = (await askTokenEndpoint(production, application, await newCode('tag:read', application, person))).body
  const granted = async () =>
    ((await person.call('GET', '/v1/grant')).body as { grants: { applicationId: string }[] }).grants.map(
      ({ applicationId }) => applicationId,
    )
  assert.deepEqual((await granted()).sort(), [application.applicationId, other.applicationId].sort())
  const path = `/v1/grant?applicationId=${application.applicationId}&teamId=${team.teamId}`
  await owner.call('DELETE', path.replace(application.applicationId, other.applicationId))
  assert.equal((await person.call('DELETE', path)).status, 200)
  assert.deepEqual(await granted(), [other.applicationId])
  await place.clock.turn(5_000)
  assert.equal((await me(got.access_token)).status, 401)
  assert.equal((await refresh(got.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await me(otherTokens.access_token)).status, 200, 'what another person granted stays')
})

test('a person grants only scopes of their role', async () => {
  const viewer = await makeMember(place, production, team.teamId, 'viewer', 'viewer@example.com')
  const got = (
    await askTokenEndpoint(production, application, await newCode('tag:read event:write', application, viewer))
  ).body
  assert.equal(got.scope, 'tag:read')
  const url = authorizeUrl(production, application.applicationId, pkce().challenge, { scope: 'event:write' })
  const page = await viewer.follow(await viewer.go(url))
  const refused = await viewer.send(page.url, { team: team.teamId, decision: 'allow' })
  assert.equal(refused.status, 403)
  const other = await makeTeam(production, 'Another')
  const elsewhere = await viewer.send(page.url, { team: other.teamId, decision: 'allow' })
  assert.equal(elsewhere.status, 403, 'a team they are not in')
})

test('every granted token has an audit row with the IP address, and no secret is stored or logged in plaintext', async () => {
  const good = await newCode()
  const got = (await askTokenEndpoint(production, application, good)).body
  const { entries } = (
    await callApi<{ entries: { what: string; by: string; from?: string }[] }>(
      production,
      team,
      'GET',
      '/audit?limit=200',
    )
  ).body
  for (const what of [
    'createApplication',
    'approveApplication',
    'grantApplication',
    'grantToken',
    'endGrant',
    'deleteToken',
  ]) {
    const matching = entries.filter((entry) => entry.what === what)
    assert.ok(matching.length > 0 && matching.every(({ from }) => from === '127.0.0.1'), what)
  }
  const secrets = [good.code, got.access_token, got.refresh_token, application.clientSecret]
  const logged = JSON.stringify([entries, place.lines])
  for (const secret of secrets) assert.ok(!logged.includes(`${secret}`))
  assert.deepEqual(findInData(place, [application.applicationId, ...secrets.map(String)]), [application.applicationId])
})

test('nothing is logged as a bug', () => {
  assert.deepEqual(
    place.lines.filter(({ level }) => level === 'error'),
    [],
  )
})
