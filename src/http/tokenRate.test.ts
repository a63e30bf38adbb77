import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CreatedApplication } from '#contract/account.ts'
import { defaultTeamLimits } from '#settings/teamLimits.ts'
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

/** Uses up the tokens that an application may be issued in a minute. */
function useUp({ applicationId }: Pick<CreatedApplication, 'applicationId'>): void {
  for (let n = 0; n < defaultTeamLimits.tokenRate; n++) production.tokenRate.take(applicationId)
}
const minute = () => place.clock.turn(60_000)

test('an application above its limit of access tokens gets 429 with Retry-After, and another one does not', async () => {
  const [loud, quiet] = [await makeApplication(production, team), await makeApplication(production, team)]
  useUp(loud)
  const form = { grant_type: 'client_credentials' }
  const { status, body, headers } = await askTokenEndpoint(production, loud, form)
  assert.deepEqual([status, body.error], [429, 'temporarily_unavailable'])
  assert.match(`${body.error_description}`, /limit of 300 access tokens per minute/)
  assert.match(`${headers.get('retry-after')}`, /^[1-9]\d*$/)
  assert.equal((await askTokenEndpoint(production, quiet, form)).status, 200)
  await minute()
  assert.equal((await askTokenEndpoint(production, loud, form)).status, 200)
})

test('a code or refresh token above the limit stays valid for later', async () => {
  const application = await makeApplication(production, team)
  const code = await codeForm(production, application, { person: owner, teamId: team.teamId })
  useUp(application)
  assert.equal((await askTokenEndpoint(production, application, code)).status, 429)
  await place.clock.turn(1_000)
  const got = await askTokenEndpoint(production, application, code)
  assert.equal(got.status, 200)
  useUpRest(application)
  const refresh = { grant_type: 'refresh_token', refresh_token: `${got.body.refresh_token}` }
  assert.equal((await askTokenEndpoint(production, application, refresh)).status, 429)
  await minute()
  assert.equal((await askTokenEndpoint(production, application, refresh)).status, 200)
})

/** Uses up the remaining tokens of the minute. */
function useUpRest({ applicationId }: Pick<CreatedApplication, 'applicationId'>): void {
  try {
    for (;;) production.tokenRate.take(applicationId)
  } catch {
    return
  }
}
