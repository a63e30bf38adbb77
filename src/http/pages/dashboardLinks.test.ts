import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { invitationUrl, invite } from '#account/invitation.ts'
import { operatorHolder } from '#account/privilege.ts'
import { createSignInLink } from '#account/signInLink.ts'
import { makePerson, password } from '../../../test/fake/sessionCases.ts'
import { makeTeam, openFormBrowser, openTestServer } from '../../../test/fake/testServer.ts'

const place = await openTestServer()
after(place.close)
const { production, sandbox } = place.environments
const { teamId } = await makeTeam(production)
await makePerson(production, 'ada@example.com')
await makePerson(sandbox, 'ada@example.com')

test('the operator’s sign-in link leads to the dashboard of its environment', async () => {
  for (const [deps, path] of [
    [production, '/dashboard'],
    [sandbox, '/sandbox/dashboard'],
  ] as const) {
    const { url } = await createSignInLink(deps, deps.baseUrl)
    assert.equal((await openFormBrowser(place).send(url, {})).location, place.origin + path)
  }
})

test('signing in leads to the dashboard, or back to the page of it that was asked for', async () => {
  const signIn = async (base: string, next: string) =>
    (await openFormBrowser(place).send(`${base}/account/sign-in`, { email: 'ada@example.com', password, next }))
      .location
  for (const [base, next, to] of [
    ['/v1', '', '/dashboard'],
    ['/v1', `/dashboard/${teamId}/tags/tag_1/events?status=dead`, `/dashboard/${teamId}/tags/tag_1/events?status=dead`],
    ['/v1', '/v1/account', '/v1/account'],
    ['/v1', '/sandbox/dashboard/team_1', '/dashboard'],
    ['/v1', '//evil.example/dashboard/', '/dashboard'],
    ['/v1', '/dashboard/../demo', '/dashboard'],
    ['/sandbox/v1', '/sandbox/dashboard/team_1', '/sandbox/dashboard/team_1'],
    ['/sandbox/v1', '/dashboard/team_1', '/sandbox/dashboard'],
  ] as const)
    assert.equal(await signIn(base, next), place.origin + to, next)
})

test('an accepted invitation leads to what the person can do next, and from there to the dashboard of the team', async () => {
  const { secret } = await invite(production, { teamId, role: 'viewer' }, operatorHolder)
  const fields = { name: 'Grace Hopper', email: 'grace@example.com', password }
  const person = openFormBrowser(place)
  const joined = await person.follow(await person.send(invitationUrl(production.baseUrl, secret), fields))
  assert.match(joined.text, /What you can do next/)
  assert.ok(joined.text.includes(`href="/dashboard/${teamId}"`))
})

test('the addresses of the account and of a team lead to the dashboard, and a visitor to signing in', async () => {
  const person = openFormBrowser(place)
  await person.send('/v1/account/sign-in', { email: 'ada@example.com', password, next: '' })
  assert.equal((await person.go('/v1/account')).location, `${place.origin}/dashboard`)
  assert.equal((await person.go(`/v1/account/team/${teamId}`)).location, `${place.origin}/dashboard/${teamId}/members`)
  for (const path of ['/v1/account', `/v1/account/team/${teamId}`])
    assert.match(`${(await openFormBrowser(place).go(path)).location}`, /\/v1\/account\/sign-in\?next=/)
})
