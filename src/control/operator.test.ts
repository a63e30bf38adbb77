import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServerReport } from '#runtime/serverReport.ts'
import { readSettings } from '#settings/settings.ts'
import { operatorSession } from '../../test/fake/operatorCases.ts'
import { makeTeam, openTestServer } from '../../test/fake/testServer.ts'

const place = await openTestServer()
after(place.close)
const { production } = place.environments
const { teamId } = await makeTeam(production, 'Shop')

/** Calls an operation as the operator page does. */
async function call<Body = Record<string, unknown>>(method: string, path: string, body?: unknown) {
  const answer = await fetch(production.baseUrl + path, {
    method,
    headers: {
      cookie: `aglet_session=${await operatorSession(production)}`,
      'aglet-session': '1',
      origin: place.origin,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Body }
}

test('the operator makes a team, which is then listed and can be acted for', async () => {
  const made = await call<{ teamId: string }>('POST', '/operator/team', { name: ' New team ' })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const { teams } = (await call<{ teams: { teamId: string; name: string }[] }>('GET', '/operator/team')).body
  assert.deepEqual(
    teams.map(({ name }) => name),
    ['Shop', 'New team'],
  )
  const operator = (await production.store.person('operator'))!
  assert.ok((await production.findPersonAccess(operator, made.body.teamId))?.scopes.has('tag:write'))
  const { rows } = await production.store.audit(made.body.teamId, { limit: 1 })
  assert.deepEqual([rows[0]?.what, rows[0]?.by, rows[0]?.from], ['createTeam', operator.personId, '127.0.0.1'])
})

test('a pending application is listed with its team, until it is approved', async () => {
  const session = await operatorSession(production)
  const register = await fetch(`${production.baseUrl}/application`, {
    method: 'POST',
    headers: {
      cookie: `aglet_session=${session}`,
      'aglet-session': '1',
      'team-id': teamId,
      origin: place.origin,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Wizard', scopes: ['tag:read'] }),
  })
  const { applicationId } = (await register.json()) as { applicationId: string }
  type Pending = { applications: { applicationId: string; teamName: string }[] }
  const before = await call<Pending>('GET', '/operator/application')
  assert.deepEqual(
    before.body.applications.map((each) => [each.applicationId, each.teamName]),
    [[applicationId, 'Shop']],
  )
  const approved = await call('POST', `/operator/application/${applicationId}/approve`)
  assert.deepEqual([approved.status, approved.body.status], [200, 'approved'])
  assert.deepEqual((await call<Pending>('GET', '/operator/application')).body.applications, [])
})

test('a published policy is the latest of its type', async () => {
  for (const version of ['1', '2'])
    await call('POST', '/operator/policy', { policyType: 'PRIVACY_POLICY', version, required: version === '2' })
  type Listed = { policies: { version: string; required: boolean; isLatest: boolean }[] }
  const { policies } = (await call<Listed>('GET', '/operator/policy')).body
  assert.deepEqual(
    policies.map(({ version, required, isLatest }) => [version, required, isLatest]),
    [
      ['1', false, false],
      ['2', true, true],
    ],
  )
  const wrong = await call('POST', '/operator/policy', {
    policyType: 'PRIVACY_POLICY',
    version: 'a/b',
    required: false,
  })
  assert.equal(wrong.status, 400)
})

test('health tells the readiness checks; settings show no secret', async () => {
  const health = await call('GET', '/operator/health')
  assert.deepEqual(health.body, { version: '0.0.0', isReady: true, checks: { store: 'ok' }, advice: [] })
  const { settings } = (await call<{ settings: { name: string; value: string }[] }>('GET', '/operator/settings')).body
  assert.equal(settings.find(({ name }) => name === 'AGLET_PORT')?.value, '4000')
})

test('the report of a public server advises a tag origin and https, and hides the root key', () => {
  const rootKey = 'A'.repeat(43)
  const settings = readSettings(
    { AGLET_HOST: '0.0.0.0', AGLET_ORIGIN: 'http://a.example', AGLET_ROOT_KEY: rootKey },
    {},
  )
  const report = createServerReport(settings, { version: '1', ready: async () => ({ ready: true, checks: {} }) })
  assert.match(report.advice().join(' '), /AGLET_TAG_ORIGIN.*https/)
  const shown = report.settings().find(({ name }) => name === 'AGLET_ROOT_KEY')
  assert.deepEqual([shown?.value, shown?.isHidden], ['set', true])
  assert.ok(!JSON.stringify(report.settings()).includes(rootKey))
})
