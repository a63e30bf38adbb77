import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { accountWorld, faultOf } from './account.fixture.ts'
import { openKeyring } from './keyring.ts'
import { RootKeyProblem } from './rootKey.ts'
import { createTeam, loadTeams } from './team.ts'

test('a team has an id, a name, a key of its own that is usable at once, and an audit row', async () => {
  const on = accountWorld()
  const { teamId } = await createTeam(on, '  Shop & Sons ', 'operator')
  assert.match(teamId, /^team_[0-9a-z]{26}$/)
  const row = await on.store.team(teamId)
  assert.equal(row?.name, 'Shop & Sons')
  assert.equal(row?.createdAt, on.clock.now())
  assert.equal(on.keys.team(teamId).eventKey('tag_1', 'e', true), on.keys.team(teamId).eventKey('tag_1', 'e', true))
  const made = { what: 'createTeam', teamId, object: teamId, after: { name: 'Shop & Sons' } }
  assert.deepEqual(on.audit, [{ at: on.clock.now(), by: 'operator', ...made }])
})

test('a blank name and one of more than 200 characters are refused', async () => {
  const on = accountWorld()
  for (const name of ['', ' \n', 'x'.repeat(201)]) {
    const refused = await faultOf(createTeam(on, name, 'operator'))
    assert.equal(refused.fault, 'badRequest')
    assert.match(refused.message, /1 to 200 characters/)
  }
  assert.deepEqual(on.audit, [])
  await createTeam(on, 'x'.repeat(200), 'operator')
})

test('a start loads the key of every team; with another root key it says so', async () => {
  const rootKey = randomBytes(32)
  const on = accountWorld('production', rootKey)
  const { teamId } = await createTeam(on, 'One', 'operator')
  const sealed = on.keys.team(teamId).sealEvent(Buffer.from('kept'), 'tag_1')
  const keys = openKeyring(rootKey, 'production')
  await loadTeams({ store: on.store, keys })
  assert.equal(keys.team(teamId).openEvent(sealed, 'tag_1').toString(), 'kept')
  const wrong = openKeyring(randomBytes(32), 'production')
  await assert.rejects(loadTeams({ store: on.store, keys: wrong }), RootKeyProblem)
})
