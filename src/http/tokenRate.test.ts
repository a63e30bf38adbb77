import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ApplicationMade } from '#contract/account.ts'
import { usualTeamLimits } from '#contract/teamLimits.ts'
import {
  ask,
  authorizeUrl,
  callback,
  consent,
  makeApplication,
  makeMember,
  makeTeam,
  openPlace,
  pkce,
} from '../../test/fake/place.ts'

const place = await openPlace()
after(place.close)
const { production } = place.worlds
const team = await makeTeam(production)
const owner = await makeMember(place, production, team.teamId, 'owner', 'owner@example.com')

/** As many tokens as an application may be issued in a minute. */
function useUp({ applicationId }: Pick<ApplicationMade, 'applicationId'>): void {
  for (let n = 0; n < usualTeamLimits.tokenRate; n++) production.tokenRate.take(applicationId)
}
const minute = () => place.clock.turn(60_000)

test('an application that is issued too many access tokens is answered 429 with Retry-After, and another is not', async () => {
  const [loud, quiet] = [await makeApplication(production, team), await makeApplication(production, team)]
  useUp(loud)
  const asked = { grant_type: 'client_credentials' }
  const { status, body, headers } = await ask(production, loud, asked)
  assert.deepEqual([status, body.error], [429, 'temporarily_unavailable'])
  assert.match(`${body.error_description}`, /limit of 300 access tokens a minute/)
  assert.match(`${headers.get('retry-after')}`, /^[1-9]\d*$/)
  assert.equal((await ask(production, quiet, asked)).status, 200)
  await minute()
  assert.equal((await ask(production, loud, asked)).status, 200)
})

test('a code or a refresh token that comes above the limit is good later', async () => {
  const application = await makeApplication(production, team)
  const { verifier, challenge } = pkce()
  const url = authorizeUrl(production, application.applicationId, challenge, { scope: 'tag:read' })
  const given = await consent(owner, url, team.teamId)
  const code = {
    grant_type: 'authorization_code',
    code: given.get('code')!,
    code_verifier: verifier,
    redirect_uri: callback,
  }
  useUp(application)
  assert.equal((await ask(production, application, code)).status, 429)
  await place.clock.turn(1_000)
  const got = await ask(production, application, code)
  assert.equal(got.status, 200)
  useUpRest(application)
  const refresh = { grant_type: 'refresh_token', refresh_token: `${got.body.refresh_token}` }
  assert.equal((await ask(production, application, refresh)).status, 429)
  await minute()
  assert.equal((await ask(production, application, refresh)).status, 200)
})

/** What is left of the minute's tokens. */
function useUpRest({ applicationId }: Pick<ApplicationMade, 'applicationId'>): void {
  try {
    for (;;) production.tokenRate.take(applicationId)
  } catch {
    return
  }
}
