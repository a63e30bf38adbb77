import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CreatedApplication } from '#contract/account.ts'
import {
  askTokenEndpoint,
  codeForm,
  makeApplication,
  makeMember,
  makeTeam,
  openTestServer,
} from '../../test/fake/testServer.ts'

const place = await openTestServer()
after(place.close)
const { production } = place.environments
const team = await makeTeam(production)
const owner = await makeMember(place, production, team.teamId, 'owner', 'owner@example.com')

async function control(method: string, path: string, body?: object) {
  const answer = await fetch(production.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${team.token}`,
      'team-id': team.teamId,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const tokenFor = async (application: CreatedApplication, clientSecret: unknown = application.clientSecret) =>
  askTokenEndpoint(
    production,
    { ...application, clientSecret: `${clientSecret}` },
    { grant_type: 'client_credentials' },
  )
const isGood = async (application: CreatedApplication, clientSecret: unknown) =>
  (await tokenFor(application, clientSecret)).status === 200
const rotate = async ({ applicationId }: CreatedApplication, body: object = {}) => {
  const response = await control('POST', `/application/${applicationId}/secret`, body)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body
}
const works = async (token: unknown) =>
  (await fetch(`${production.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } })).status === 200

test('after a rotation both secrets are valid until beforeEndsAt, then only the new one', async () => {
  const application = await makeApplication(production, team)
  const { clientSecret, beforeEndsAt } = await rotate(application)
  assert.equal(beforeEndsAt, place.clock.now() + 86_400_000)
  assert.deepEqual(
    [await isGood(application, application.clientSecret), await isGood(application, clientSecret)],
    [true, true],
  )
  assert.equal(await isGood(application, `${clientSecret}x`), false)
  await place.clock.turn(86_400_000)
  assert.deepEqual(
    [await isGood(application, application.clientSecret), await isGood(application, clientSecret)],
    [false, true],
  )
})

test('with keepBefore 0m the previous secret ends at once', async () => {
  const application = await makeApplication(production, team)
  const { clientSecret } = await rotate(application, { keepBefore: '0m' })
  assert.deepEqual(
    [await isGood(application, application.clientSecret), await isGood(application, clientSecret)],
    [false, true],
  )
})

test('of three secrets the last two are valid', async () => {
  const application = await makeApplication(production, team)
  const second = (await rotate(application)).clientSecret
  const third = (await rotate(application)).clientSecret
  const good = await Promise.all([application.clientSecret, second, third].map((each) => isGood(application, each)))
  assert.deepEqual(good, [false, true, true])
})

test('keepBefore is a duration of at most 30 days', async () => {
  const { applicationId } = await makeApplication(production, team)
  for (const keepBefore of ['31d', 'soon'])
    assert.equal((await control('POST', `/application/${applicationId}/secret`, { keepBefore })).status, 400)
})

test('deleting an application ends its tokens, codes and grants', async () => {
  const application = await makeApplication(production, team)
  const { applicationId } = application
  const code = await codeForm(production, application, { person: owner, teamId: team.teamId })
  const granted = (await askTokenEndpoint(production, application, code)).body
  const own = (await tokenFor(application)).body.access_token
  const issued = (await control('POST', `/application/${applicationId}/token`, { scopes: ['tag:read'] })).body.token
  for (const token of [granted.access_token, own, issued]) assert.equal(await works(token), true)
  assert.equal((await control('DELETE', `/application/${applicationId}`)).status, 200)
  await place.clock.turn(5_000)
  for (const token of [granted.access_token, own, issued]) assert.equal(await works(token), false)
  const refresh = { grant_type: 'refresh_token', refresh_token: `${granted.refresh_token}` }
  assert.equal((await askTokenEndpoint(production, application, refresh)).body.error, 'invalid_client')
  assert.equal((await control('POST', `/application/${applicationId}/token`, { scopes: ['tag:read'] })).status, 404)
  assert.doesNotMatch((await owner.go(`${production.baseUrl}/account`)).text, new RegExp(applicationId))
  const rows = (await control('GET', '/audit?limit=5')).body.entries as { what: string }[]
  assert.ok(rows.some(({ what }) => what === 'deleteApplication'))
})
