import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TeamAccess } from '#account/teamAccess.ts'
import { fault } from '#contract/fault.ts'
import type { Scope } from '#contract/scopes.ts'
import { event, openTestEdge, teamId } from './edge.fixture.ts'

const otherTeam = teamId.replace('j', 'k')
const tokens: Record<string, Partial<TeamAccess>> = {
  'Bearer good': {},
  'Bearer other': { teamId: otherTeam },
  'Bearer weak': { scopes: new Set<Scope>(['event:read']) },
}
const authenticate = async (authorization: string | undefined): Promise<TeamAccess> => {
  const access = tokens[authorization ?? '']
  if (!access) throw fault('tokenRefused', { headers: { 'www-authenticate': 'Bearer' } })
  return { by: 'tok', teamId, application: 'test', scopes: new Set<Scope>(['event:write']), ...access }
}

test('a call with a good token of the team is trusted', async (t) => {
  const edge = await openTestEdge(t, { deps: { authenticate } })
  const { status } = await edge.ask({ body: event(), headers: { authorization: 'Bearer good', 'team-id': teamId } })
  assert.equal(status, 200)
  assert.equal(edge.lastRecord().context.trusted, true)
})

test('an invalid token is refused with the status and code of its defect', async (t) => {
  const edge = await openTestEdge(t, { deps: { authenticate } })
  const cases = [
    ['Bearer bad', teamId, 401, 'TOKEN_REFUSED'],
    ['', teamId, 401, 'TOKEN_REFUSED'],
    ['Bearer good', undefined, 400, 'TEAM_ID_MISSING'],
    ['Bearer good', 'acme', 400, 'TEAM_ID_MISSING'],
    ['Bearer good', otherTeam, 403, 'TEAM_REFUSED'],
    ['Bearer other', teamId, 403, 'TEAM_REFUSED'],
    ['Bearer other', otherTeam, 403, 'TEAM_REFUSED'],
    ['Bearer weak', teamId, 403, 'SCOPE_MISSING'],
  ] as const
  for (const [authorization, team, status, error] of cases) {
    const answer = await edge.ask({ body: event(), headers: { authorization, ...(team && { 'team-id': team }) } })
    assert.deepEqual([answer.status, answer.json.error], [status, error], `${authorization} ${team}`)
    assert.equal(answer.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined)
  }
  assert.equal(edge.appended.length, 0)
})

test('a tag that requires a server token accepts only an allowed Origin or a token', async (t) => {
  const edge = await openTestEdge(t, { deps: { authenticate }, tag: { serverToken: 'required' } })
  const refused = await edge.ask({ body: event() })
  assert.deepEqual([refused.status, refused.json.error], [403, 'SERVER_TOKEN_REQUIRED'])
  const page = await edge.ask({ body: event(), headers: { origin: 'https://example.com' } })
  assert.deepEqual([page.status, edge.lastRecord().context.trusted], [200, false])
  const server = { authorization: 'Bearer good', 'team-id': teamId }
  assert.equal((await edge.ask({ body: event({ eventId: 'e-2' }), headers: server })).status, 200)
})

test('a token does not allow a page of another origin', async (t) => {
  const edge = await openTestEdge(t, { deps: { authenticate } })
  const headers = { authorization: 'Bearer good', 'team-id': teamId, origin: 'https://evil.test' }
  assert.equal((await edge.ask({ body: event(), headers })).json.error, 'ORIGIN_REFUSED')
})
