import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createAccountFixture, faultOf } from './account.fixture.ts'
import { openKeyring } from './keyring.ts'
import { RootKeyError } from './rootKey.ts'
import { createTeam, loadAllTeamKeys } from './team.ts'

test('a new team has an id, a name, a key that is usable at once, and an audit row', async () => {
  const fixture = createAccountFixture()
  const { teamId } = await createTeam(fixture, '  Shop & Sons ', 'operator')
  assert.match(teamId, /^team_[0-9a-z]{26}$/)
  const row = await fixture.store.team(teamId)
  assert.equal(row?.name, 'Shop & Sons')
  assert.equal(row?.createdAt, fixture.clock.now())
  assert.equal(
    fixture.keys.team(teamId).eventKey('tag_1', 'e', true),
    fixture.keys.team(teamId).eventKey('tag_1', 'e', true),
  )
  const expected = { what: 'createTeam', teamId, object: teamId, after: { name: 'Shop & Sons' } }
  assert.deepEqual(fixture.audit, [{ at: fixture.clock.now(), by: 'operator', ...expected }])
})

test('a blank name and a name of more than 200 characters are refused', async () => {
  const fixture = createAccountFixture()
  for (const name of ['', ' \n', 'x'.repeat(201)]) {
    const refused = await faultOf(createTeam(fixture, name, 'operator'))
    assert.equal(refused.fault, 'badRequest')
    assert.match(refused.message, /1 to 200 characters/)
  }
  assert.deepEqual(fixture.audit, [])
  await createTeam(fixture, 'x'.repeat(200), 'operator')
})

test('a start loads the key of every team; a wrong root key throws a RootKeyError', async () => {
  const rootKey = randomBytes(32)
  const fixture = createAccountFixture('production', rootKey)
  const { teamId } = await createTeam(fixture, 'One', 'operator')
  const sealed = fixture.keys.team(teamId).sealEvent(Buffer.from('kept'), 'tag_1')
  const keys = openKeyring(rootKey, 'production')
  await loadAllTeamKeys({ store: fixture.store, keys })
  assert.equal(keys.team(teamId).openEvent(sealed, 'tag_1').toString(), 'kept')
  const wrong = openKeyring(randomBytes(32), 'production')
  await assert.rejects(loadAllTeamKeys({ store: fixture.store, keys: wrong }), RootKeyError)
})
