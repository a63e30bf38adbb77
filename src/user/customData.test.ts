import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { silentLog } from '#kit/log.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import { isCustomNew, searchableValues } from './customData.ts'
import { noUserFacts, type Profile, updateProfile } from './profile.ts'
import { openProfiles } from './profiles.ts'

const tag = { tagId: 'tag_1', teamId: 'team_1' }
const profileWith = (custom: Profile['custom']): Profile => ({ keys: {}, custom, captured: {}, seenAt: 1 })

function openTestProfiles() {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.createTeamKey('team_1')
  const { users } = fakeUsers()
  const eventProfile = async () => undefined
  const deps = { store: { users }, keys, clock: turnedClock(), log: silentLog, eventProfile }
  const profiles = openProfiles(deps, new AbortController().signal)
  const change = (userId: string, known: Profile) => profiles.change({ tag, userId }, () => known)
  const store = async (userId: string, known: Profile) => (await change(userId, known)).written
  return { profiles, change, store }
}

test('strings, numbers and booleans are searchable, lists and objects are not, and 42 equals "42"', () => {
  const custom = { tier: 'gold', points: 42, member: true, list: [1], map: { a: 1 } }
  assert.deepEqual(searchableValues({ keys: {}, custom }), [
    ['tier', 'gold'],
    ['points', '42'],
    ['member', 'true'],
  ])
})

test('users are found by their current custom data, only on their own tag', async () => {
  const { profiles, store } = openTestProfiles()
  await store('usr_a', profileWith({ tier: 'gold', points: 42 }))
  await store('usr_b', profileWith({ tier: 'gold' }))
  assert.deepEqual(await profiles.byCustom(tag, 'tier', 'gold'), ['usr_a', 'usr_b'])
  assert.deepEqual(await profiles.byCustom(tag, 'points', '42'), ['usr_a'])
  for (const [key, value] of [
    ['tier', 'silver'],
    ['points', 'gold'],
    ['constructor', 'gold'],
    ['tier', { a: 1 }],
  ] as const)
    assert.deepEqual(await profiles.byCustom(tag, key, value), [])
  assert.deepEqual(await profiles.byCustom({ ...tag, tagId: 'tag_2' }, 'tier', 'gold'), [])
  await store('usr_a', profileWith({ tier: 'silver' }))
  assert.deepEqual(await profiles.byCustom(tag, 'tier', 'gold'), ['usr_b'])
  assert.deepEqual(await profiles.byCustom(tag, 'points', 42), [])
})

test('a user is found before the change is on disk', async () => {
  const { profiles, change } = openTestProfiles()
  const { written } = await change('usr_a', profileWith({ tier: 'gold' }))
  assert.deepEqual(await profiles.byCustom(tag, 'tier', 'gold'), ['usr_a'])
  await written
})

test('with `trusted` only users are found whose value a trusted call stored, however many strangers have it', async () => {
  const { profiles } = openTestProfiles()
  const store = async (userId: string, custom: Profile['custom'], trusted: boolean) => {
    const facts = { ...noUserFacts, custom }
    const change = profiles.change({ tag, userId }, (known) => updateProfile(known, facts, { at: 1, trusted }))
    await (await change).written
  }
  const found = (value: unknown) => profiles.byCustom(tag, 'order', value, true)
  for (let n = 0; n < 150; n++) await store(`usr_a${n}`, { order: 'A-7', 'x order': 'A-7' }, false)
  await store('usr_z', { order: 'A-7' }, true)
  assert.deepEqual(await found('A-7'), ['usr_z'])
  await store('usr_z', { order: 'A-7', other: 1 }, false)
  assert.deepEqual(await found('A-7'), ['usr_z'], 'a stranger who repeats the value changes nothing')
  await store('usr_z', { order: 'A-8' }, false)
  assert.deepEqual(
    [await found('A-7'), await found('A-8')],
    [[], []],
    'a value of a stranger replaces that of a trusted call',
  )
  await store('usr_a1', { order: 'A-7' }, true)
  assert.deepEqual(await found('A-7'), ['usr_a1'], 'and a trusted call confirms that of a stranger')
})

test('custom data is new where an update changed it', () => {
  const known = profileWith({ tier: 'gold' })
  assert.equal(isCustomNew(known, { ...known }), false)
  assert.equal(isCustomNew(known, profileWith({ tier: 'silver' })), true)
  assert.equal(isCustomNew(undefined, profileWith({})), false)
  assert.equal(isCustomNew(undefined, known), true)
})

test('a user is found by the customer id, also under the name of the custom key in which sources once stored it', async () => {
  const { profiles, store } = openTestProfiles()
  await store('usr_a', { ...profileWith({ tier: 'gold' }), keys: { customerId: '4711' } })
  await store('usr_b', profileWith({ userId: 4711 }))
  assert.deepEqual(await profiles.byCustom(tag, 'customerId', 4711), ['usr_a'])
  assert.deepEqual(await profiles.byCustom(tag, 'userId', '4711'), ['usr_a', 'usr_b'])
  await store('usr_a', profileWith({ tier: 'gold' }))
  assert.deepEqual(await profiles.byCustom(tag, 'customerId', '4711'), [])
})
