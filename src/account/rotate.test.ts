import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { accountWorld, faultOf } from './account.fixture.ts'
import { authenticate } from './authenticate.ts'
import { loadKeyring } from './loadKeyring.ts'
import { RootKeyProblem } from './rootKey.ts'
import { rotateRootKey, rotateTeamKeys } from './rotate.ts'
import { openSealingKeys } from './sealingKeys.ts'
import { createTeam } from './team.ts'
import { createToken } from './token.ts'

/** An environment as the first start leaves it, on a root key. */
async function opened(environment: 'production' | 'sandbox' = 'production', rootKey = randomBytes(32)) {
  const world = accountWorld(environment, rootKey)
  const keys = await loadKeyring(world.store, environment, { inUse: rootKey })
  return { ...world, keys, rootKey }
}
const restart = async (on: Awaited<ReturnType<typeof opened>>, inUse: Uint8Array, before?: Uint8Array) => ({
  ...on,
  keys: await loadKeyring(on.store, on.environment, { inUse, ...(before && { before }) }),
})

test('the keys of every team are renewed, or those of one, and each leaves an audit row', async () => {
  const on = await opened()
  const teams = [await createTeam(on, 'one', 'operator'), await createTeam(on, 'two', 'operator')]
  const sealed = on.keys.team(teams[0]!.teamId).sealEvent(on.rootKey, 'tag_1')
  assert.deepEqual(await rotateTeamKeys(on, undefined, 'operator'), { teams: 2 })
  assert.deepEqual(await rotateTeamKeys(on, teams[1]!.teamId, 'operator'), { teams: 1 })
  const rows = on.audit.filter(({ what }) => what === 'rotateTeamKey').map(({ teamId }) => teamId)
  assert.deepEqual(rows, [teams[0]!.teamId, teams[1]!.teamId, teams[1]!.teamId])
  const later = await restart(on, on.rootKey)
  assert.deepEqual(later.keys.team(teams[0]!.teamId).openEvent(sealed, 'tag_1'), on.rootKey)
})

test('what is sealed after a rotation opens after a restart, and not without the new key', async () => {
  const on = await opened()
  const { teamId } = await createTeam(on, 'one', 'operator')
  const before = await restart(on, on.rootKey)
  await rotateTeamKeys(on, teamId, 'operator')
  const sealed = on.keys.team(teamId).sealUser(on.rootKey, 'usr_1')
  assert.throws(() => before.keys.team(teamId).openUser(sealed, 'usr_1'), /do not open/)
  const after = await restart(on, on.rootKey)
  assert.deepEqual(after.keys.team(teamId).openUser(sealed, 'usr_1'), on.rootKey)
})

test('a key that did not reach the disk seals nothing', async () => {
  const on = await opened()
  const { teamId } = await createTeam(on, 'one', 'operator')
  const disk = on.store.write
  on.store.write = async () => Promise.reject(new Error('disk full'))
  await assert.rejects(rotateTeamKeys(on, teamId, 'operator'), /disk full/)
  on.store.write = disk
  const sealed = on.keys.team(teamId).sealEvent(on.rootKey, 'tag_1')
  const after = await restart(on, on.rootKey)
  assert.deepEqual(after.keys.team(teamId).openEvent(sealed, 'tag_1'), on.rootKey)
})

test('a team that is not there cannot be rotated', async () => {
  const told = await faultOf(rotateTeamKeys(await opened(), 'team_none', 'operator'))
  assert.equal(told.fault, 'teamUnknown')
})

test('under a new root key tokens stay valid, sealing keys and teams open, and the old root key opens nothing', async () => {
  const on = await opened()
  const { teamId } = await createTeam(on, 'one', 'operator')
  const { token } = await createToken(on, { teamId }, 'operator')
  const { active } = await openSealingKeys(on.store, on.keys, on.clock)
  const sealed = on.keys.team(teamId).sealEvent(on.rootKey, 'tag_1')
  const next = randomBytes(32)
  await rotateRootKey([on], next, 'operator')
  const after = await restart(on, next)
  assert.equal((await authenticate(after)(`Bearer ${token}`)).teamId, teamId)
  assert.deepEqual((await openSealingKeys(after.store, after.keys, after.clock)).active(), active())
  assert.deepEqual(after.keys.team(teamId).openEvent(sealed, 'tag_1'), on.rootKey)
  await assert.rejects(restart(on, on.rootKey), RootKeyProblem)
  assert.equal(on.audit.filter(({ what }) => what === 'rotateRootKey').length, 1)
})

test('a team that is made while the root key is rotated opens under the new one', async () => {
  const on = await opened()
  const next = randomBytes(32)
  const made = createTeam(on, 'at the same time', 'operator')
  await rotateRootKey([on], next, 'operator')
  const { teamId } = await made
  const later = await createTeam(on, 'after', 'operator')
  const after = await restart(on, next)
  for (const each of [teamId, later.teamId]) assert.ok(after.keys.team(each))
})

test('a rotation of the root key that stopped between the environments is finished by doing it again', async () => {
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
