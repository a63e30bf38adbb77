import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from './keyring.ts'

const root = Buffer.alloc(32, 7)
const text = Buffer.from('an event')

/** Two processes with one environment key. `stored` is the store's row of the team. */
function openTwo() {
  const one = openKeyring(root, 'production')
  const stored: { key?: Uint8Array; reads: number } = { reads: 0 }
  const other = openKeyring(root, 'production', {
    environmentKey: one.sealedEnvironmentKey(),
    async readTeamKey() {
      stored.reads++
      return stored.key
    },
  })
  return { one, other, stored }
}

test('a team that another process has just made is read from the store once', async () => {
  const { one, other, stored } = openTwo()
  stored.key = one.createTeamKey('team_1')
  const sealed = one.team('team_1').sealEvent(text, 'tag_1')
  for (let n = 0; n < 3; n++) await other.findTeamKey('team_1', sealed)
  assert.deepEqual(other.team('team_1').openEvent(sealed, 'tag_1'), text)
  assert.equal(stored.reads, 1)
})

test('what a team key sealed that another process has just made opens after one read of the store', async () => {
  const { one, other, stored } = openTwo()
  other.loadTeamKey('team_1', one.createTeamKey('team_1'))
  const before = one.team('team_1').sealUser(text, 'usr_1')
  const { sealedKey, use } = one.addTeamKey('team_1')
  stored.key = sealedKey
  use()
  const sealed = one.team('team_1').sealUser(text, 'usr_1')
  await other.findTeamKey('team_1', before)
  assert.equal(stored.reads, 0)
  assert.equal(other.hasTeamKey('team_1', sealed), false)
  await other.findTeamKey('team_1', sealed)
  assert.deepEqual(other.team('team_1').openUser(sealed, 'usr_1'), text)
})

test('a change feed that is late takes no key away', () => {
  const { one, other } = openTwo()
  const first = one.createTeamKey('team_1')
  other.loadTeamKey('team_1', first)
  const { sealedKey, use } = one.addTeamKey('team_1')
  use()
  other.loadTeamKey('team_1', sealedKey)
  other.loadTeamKey('team_1', first)
  assert.deepEqual(other.team('team_1').openEvent(one.team('team_1').sealEvent(text, 'tag_1'), 'tag_1'), text)
})

test('a team that does not exist stays unknown', async () => {
  const { other } = openTwo()
  await other.findTeamKey('team_1')
  assert.equal(other.hasTeamKey('team_1'), false)
  assert.throws(() => other.team('team_1'), /not loaded/)
})
