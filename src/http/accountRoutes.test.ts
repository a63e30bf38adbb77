import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { approveApplication, createApplication } from '#account/application.ts'
import { operatorHolder } from '#account/privilege.ts'
import { createSignInLink } from '#account/signInLink.ts'
import { createTeam } from '#account/team.ts'
import { openTestControl } from '../../test/fake/testControl.ts'
import { accountRoutes } from './accountRoutes.ts'
import { createFastify } from './fastifyApp.ts'

const origin = 'https://aglet.example'
const control = await openTestControl()
const production = control.environments.production
const app = createFastify({ log: production.log })
app.register(async (routes) => accountRoutes(routes, { ...production, origin }))
after(async () => {
  await app.close()
  await control.close()
})

const limited = createFastify({ log: production.log, trustProxy: ['127.0.0.1/32'] })
limited.register(async (routes) => accountRoutes(routes, { ...production, origin, rateLimit: () => 2 }))
after(() => limited.close())
const { teamId } = await createTeam(production, 'Shop', 'operator')
const redirectUris = ['https://app.example/cb']
const write = { name: 'App', scopes: ['tag:read' as const], redirectUris }
const { application } = await createApplication(production, teamId, write, operatorHolder)
await approveApplication(production, application.applicationId, { by: 'test' })

test('behind a TLS proxy every cookie is Secure and every URL has the origin, for any Host header', async () => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: application.applicationId,
    redirect_uri: redirectUris[0]!,
    scope: 'tag:read',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
  const answer = await app.inject({ url: `/v1/oauth/authorize?${query}`, headers })
  assert.equal(answer.statusCode, 303)
  assert.match(`${answer.headers.location}`, /^\/v1\/oauth\/interaction\/[\w-]+$/)
  const cookies = [answer.headers['set-cookie']].flat()
  assert.ok(cookies.length >= 2)
  for (const cookie of cookies) assert.match(`${cookie}`, /path=\/v1\/oauth\/.*secure; httponly/i)
  assert.doesNotMatch(JSON.stringify(answer.headers), /evil/)
})

test('a session cookie is Secure if the origin is https', async () => {
  const { url } = await createSignInLink(production, production.baseUrl)
  const answer = await app.inject({ method: 'POST', url: new URL(url).pathname, headers: { origin } })
  const [session, device] = [answer.headers['set-cookie']].flat()
  assert.match(`${session}`, /^aglet_session=.*; HttpOnly; SameSite=Lax; Secure$/)
  assert.match(`${device}`, /^aglet_device=.*; HttpOnly; SameSite=Strict; Secure$/)
})

test('a page request on another host is redirected to the origin', async () => {
  const answer = await app.inject({ url: '/v1/account', headers: { host: 'evil.example' } })
  assert.deepEqual([answer.statusCode, answer.headers.location], [303, `${origin}/v1/account`])
})

test('OAuth refuses other methods and content types', async () => {
  const jsonBody = { method: 'POST', payload: '{}', headers: { 'content-type': 'application/json' } } as const
  const json = await app.inject({ url: '/v1/oauth/token', ...jsonBody })
  assert.deepEqual([json.statusCode, json.json().error], [400, 'invalid_request'])
  const got = await app.inject({ url: '/v1/oauth/token' })
  assert.deepEqual([got.statusCode, got.headers.allow], [405, 'OPTIONS, POST'])
  const long = new URLSearchParams({ grant_type: 'x'.repeat(60_000) }).toString()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const large = await app.inject({ url: '/v1/oauth/token', method: 'POST', payload: long, headers: form })
  assert.equal(large.statusCode, 400)
})

test('the calls of an IP address to OAuth and to the pages share one limit, and each gets its kind of error', async () => {
  const from = (address: string) => ({ host: 'aglet.example', 'x-forwarded-for': address })
  const page = (address: string) => limited.inject({ url: '/v1/account/sign-in', headers: from(address) })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const token = (address: string) =>
    limited.inject({ method: 'POST', url: '/v1/oauth/token', headers: { ...from(address), ...form }, payload: 'a=b' })
  assert.equal((await page('192.0.2.1')).statusCode, 200)
  assert.equal((await token('192.0.2.1')).statusCode, 400)
  const response = await token('192.0.2.1')
  assert.deepEqual([response.statusCode, response.json().error], [429, 'temporarily_unavailable'])
  assert.match(`${response.headers['retry-after']}`, /^[1-9]\d*$/)
  const shown = await page('192.0.2.1')
  assert.deepEqual([shown.statusCode, shown.json().error], [429, 'TOO_MANY_REQUESTS'])
  assert.match(`${shown.headers['retry-after']}`, /^[1-9]\d*$/)
  assert.equal((await page('192.0.2.2')).statusCode, 200)
})
