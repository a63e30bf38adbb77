import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createAccountFixture, faultOf } from './account.fixture.ts'
import { resealByRootKey, rotateRootKey, rotateTeamKeys } from './keyRotation.ts'
import { loadKeyring } from './loadKeyring.ts'
import { RootKeyError } from './rootKey.ts'
import { openSealingKeys } from './sealingKeys.ts'
import { createTeam } from './team.ts'
import { createToken } from './token.ts'
import { createTokenAuthenticator } from './tokenAuthenticator.ts'

/** An environment after its first start with a root key. */
async function opened(environment: 'production' | 'sandbox' = 'production', rootKey = randomBytes(32)) {
  const fixture = createAccountFixture(environment, rootKey)
  const keys = await loadKeyring(fixture.store, environment, { inUse: rootKey })
  return { ...fixture, keys, rootKey }
}
const restart = async (deps: Awaited<ReturnType<typeof opened>>, inUse: Uint8Array, before?: Uint8Array) => ({
  ...deps,
  keys: await loadKeyring(deps.store, deps.environment, { inUse, ...(before && { before }) }),
})

test('the key of every team, or of a given one, is rotated with an audit row each', async () => {
  const fixture = await opened()
  const teams = [await createTeam(fixture, 'one', 'operator'), await createTeam(fixture, 'two', 'operator')]
  const sealed = fixture.keys.team(teams[0]!.teamId).sealEvent(fixture.rootKey, 'tag_1')
  assert.deepEqual(await rotateTeamKeys(fixture, undefined, 'operator'), { teams: 2 })
  assert.deepEqual(await rotateTeamKeys(fixture, teams[1]!.teamId, 'operator'), { teams: 1 })
  const rows = fixture.audit.filter(({ what }) => what === 'rotateTeamKey').map(({ teamId }) => teamId)
  assert.deepEqual(rows, [teams[0]!.teamId, teams[1]!.teamId, teams[1]!.teamId])
  const later = await restart(fixture, fixture.rootKey)
  assert.deepEqual(later.keys.team(teams[0]!.teamId).openEvent(sealed, 'tag_1'), fixture.rootKey)
})

test('data sealed after a rotation opens after a restart, and only with the new key', async () => {
  const fixture = await opened()
  const { teamId } = await createTeam(fixture, 'one', 'operator')
  const before = await restart(fixture, fixture.rootKey)
  await rotateTeamKeys(fixture, teamId, 'operator')
  const sealed = fixture.keys.team(teamId).sealUser(fixture.rootKey, 'usr_1')
  assert.throws(() => before.keys.team(teamId).openUser(sealed, 'usr_1'), /could not be decrypted/)
  const after = await restart(fixture, fixture.rootKey)
  assert.deepEqual(after.keys.team(teamId).openUser(sealed, 'usr_1'), fixture.rootKey)
})

test('a key that was not written to the store does not seal', async () => {
  const fixture = await opened()
  const { teamId } = await createTeam(fixture, 'one', 'operator')
  const disk = fixture.store.write
  fixture.store.write = async () => Promise.reject(new Error('disk full'))
  await assert.rejects(rotateTeamKeys(fixture, teamId, 'operator'), /disk full/)
  fixture.store.write = disk
  const sealed = fixture.keys.team(teamId).sealEvent(fixture.rootKey, 'tag_1')
  const after = await restart(fixture, fixture.rootKey)
  assert.deepEqual(after.keys.team(teamId).openEvent(sealed, 'tag_1'), fixture.rootKey)
})

test('rotating an unknown team is refused', async () => {
  const response = await faultOf(rotateTeamKeys(await opened(), 'team_none', 'operator'))
  assert.equal(response.fault, 'teamUnknown')
})

test('under a new root key tokens stay valid, sealing keys and teams open, and the old root key opens nothing', async () => {
  const fixture = await opened()
  const { teamId } = await createTeam(fixture, 'one', 'operator')
  const { token } = await createToken(fixture, { teamId }, 'operator')
  const { active } = await openSealingKeys(fixture.store, fixture.keys, fixture.clock)
  const sealed = fixture.keys.team(teamId).sealEvent(fixture.rootKey, 'tag_1')
  const next = randomBytes(32)
  await rotateRootKey([fixture], next, 'operator')
  const after = await restart(fixture, next)
  assert.equal((await createTokenAuthenticator(after)(`Bearer ${token}`)).teamId, teamId)
  assert.deepEqual((await openSealingKeys(after.store, after.keys, after.clock)).active(), active())
  assert.deepEqual(after.keys.team(teamId).openEvent(sealed, 'tag_1'), fixture.rootKey)
  await assert.rejects(restart(fixture, fixture.rootKey), RootKeyError)
  assert.equal(fixture.audit.filter(({ what }) => what === 'rotateRootKey').length, 1)
})

test('a team that is created during a rotation of the root key opens with the new one', async () => {
  const fixture = await opened()
  const next = randomBytes(32)
  const creation = createTeam(fixture, 'at the same time', 'operator')
  await rotateRootKey([fixture], next, 'operator')
  const { teamId } = await creation
  const later = await createTeam(fixture, 'after', 'operator')
  const after = await restart(fixture, next)
  for (const each of [teamId, later.teamId]) assert.ok(after.keys.team(each))
})

test('repeating a root key rotation that stopped between two environments finishes it', async () => {
  const rootKey = randomBytes(32)
  const production = await opened('production', rootKey)
  const sandbox = await opened('sandbox', rootKey)
  const { teamId } = await createTeam(sandbox, 'one', 'operator')
  const next = randomBytes(32)
  await rotateRootKey([production], next, 'operator')
  const again = [await restart(production, next, rootKey), await restart(sandbox, next, rootKey)]
  await rotateRootKey(again, next, 'operator')
  await rotateRootKey(again, next, 'operator')
  for (const { audit } of [production, sandbox])
    assert.equal(audit.filter(({ what }) => what === 'rotateRootKey').length, 1, 'once in each environment')
  assert.ok((await restart(sandbox, next)).keys.team(teamId))
  assert.ok(await restart(production, next))
})

test('keys that the previous root key sealed are sealed by the current one, once, with one audit row', async () => {
  const fixture = await opened()
  const { teamId } = await createTeam(fixture, 'one', 'operator')
  const sealed = fixture.keys.team(teamId).sealEvent(fixture.rootKey, 'tag_1')
  const next = randomBytes(32)
  const started = await restart(fixture, next, fixture.rootKey)
  // a process that still has the previous key creates a team meanwhile
  const late = await createTeam(fixture, 'late', 'operator')
  assert.equal(await resealByRootKey(started, next, 'operator'), 3, 'the key of the environment and those of two teams')
  assert.equal(await resealByRootKey(started, next, 'operator'), 0)
  const after = await restart(fixture, next)
  assert.deepEqual(after.keys.team(teamId).openEvent(sealed, 'tag_1'), fixture.rootKey)
  assert.ok(after.keys.team(late.teamId))
  assert.equal(fixture.audit.filter(({ what }) => what === 'rotateRootKey').length, 1)
})
