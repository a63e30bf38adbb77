import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access } from '#account/access.ts'
import { fault } from '#contract/fault.ts'
import type { Scope } from '#contract/scopes.ts'
import { event, openDoor, teamId } from './edge.fixture.ts'

const otherTeam = teamId.replace('j', 'k')
const tokens: Record<string, Partial<Access>> = {
  'Bearer good': {},
  'Bearer other': { teamId: otherTeam },
  'Bearer weak': { scopes: new Set<Scope>(['event:read']) },
}
const authenticate = async (authorization: string | undefined): Promise<Access> => {
  const access = tokens[authorization ?? '']
  if (!access) throw fault('tokenRefused', { headers: { 'www-authenticate': 'Bearer' } })
  return { tokenId: 'tok', teamId, application: 'test', scopes: new Set<Scope>(['event:write']), ...access }
}

test('a call with a good token of the team is trusted', async (t) => {
  const door = await openDoor(t, { on: { authenticate } })
  const { status } = await door.ask({ body: event(), headers: { authorization: 'Bearer good', 'team-id': teamId } })
  assert.equal(status, 200)
  assert.equal(door.last().context.trusted, true)
})

test('a token that is sent is checked, and what it is refused for is said', async (t) => {
  const door = await openDoor(t, { on: { authenticate } })
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
    const answer = await door.ask({ body: event(), headers: { authorization, ...(team && { 'team-id': team }) } })
    assert.deepEqual([answer.status, answer.json.error], [status, error], `${authorization} ${team}`)
    assert.equal(answer.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined)
  }
  assert.equal(door.kept.length, 0)
})

test('a tag that requires a server token takes an allowed Origin or a token, and nothing else', async (t) => {
  const door = await openDoor(t, { on: { authenticate }, tag: { serverToken: 'required' } })
  const refused = await door.ask({ body: event() })
  assert.deepEqual([refused.status, refused.json.error], [403, 'SERVER_TOKEN_REQUIRED'])
  const page = await door.ask({ body: event(), headers: { origin: 'https://example.com' } })
  assert.deepEqual([page.status, door.last().context.trusted], [200, false])
  const server = { authorization: 'Bearer good', 'team-id': teamId }
  assert.equal((await door.ask({ body: event({ eventId: 'e-2' }), headers: server })).status, 200)
})

test('a token does not open the door to a page of another origin', async (t) => {
  const door = await openDoor(t, { on: { authenticate } })
  const headers = { authorization: 'Bearer good', 'team-id': teamId, origin: 'https://evil.test' }
  assert.equal((await door.ask({ body: event(), headers })).json.error, 'ORIGIN_REFUSED')
})
