import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { silent } from '#kit/log.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import { customSigns, isCustomNew } from './custom.ts'
import { openPeople } from './people.ts'
import type { Profile } from './profile.ts'

const tag = { tagId: 'tag_1', teamId: 'team_1' }
const having = (custom: Profile['custom']): Profile => ({ keys: {}, custom, captured: {}, seenAt: 1 })

function house() {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.makeTeam('team_1')
  const { users } = fakeUsers()
  const world = { store: { users }, keys, clock: turnedClock(), log: silent }
  const people = openPeople(world, new AbortController().signal)
  const change = (userId: string, known: Profile) => people.change({ tag, userId }, () => known)
  const know = async (userId: string, known: Profile) => (await change(userId, known)).written
  return { people, change, know }
}

test('texts, numbers and booleans can be found, lists and objects not; 42 and "42" are one', () => {
  const custom = { tier: 'gold', points: 42, member: true, list: [1], map: { a: 1 } }
  assert.deepEqual(customSigns(custom), [
    ['tier', 'gold'],
    ['points', '42'],
    ['member', 'true'],
  ])
})

test('users are found by what their custom data is now, on their own tag alone', async () => {
  const { people, know } = house()
  await know('usr_a', having({ tier: 'gold', points: 42 }))
  await know('usr_b', having({ tier: 'gold' }))
  assert.deepEqual(await people.byCustom(tag, 'tier', 'gold'), ['usr_a', 'usr_b'])
  assert.deepEqual(await people.byCustom(tag, 'points', '42'), ['usr_a'])
  for (const [key, value] of [
    ['tier', 'silver'],
    ['points', 'gold'],
    ['constructor', 'gold'],
    ['tier', { a: 1 }],
  ] as const)
    assert.deepEqual(await people.byCustom(tag, key, value), [])
  assert.deepEqual(await people.byCustom({ ...tag, tagId: 'tag_2' }, 'tier', 'gold'), [])
  await know('usr_a', having({ tier: 'silver' }))
  assert.deepEqual(await people.byCustom(tag, 'tier', 'gold'), ['usr_b'])
  assert.deepEqual(await people.byCustom(tag, 'points', 42), [])
})

test('who was told of a moment ago is found before that is on disk', async () => {
  const { people, change } = house()
  const { written } = await change('usr_a', having({ tier: 'gold' }))
  assert.deepEqual(await people.byCustom(tag, 'tier', 'gold'), ['usr_a'])
  await written
})

test('custom data is new where something was said that was not known', () => {
  const known = having({ tier: 'gold' })
  assert.equal(isCustomNew(known, { ...known, seenAt: 2 }), false)
  assert.equal(isCustomNew(known, having({ tier: 'silver' })), true)
  assert.equal(isCustomNew(undefined, having({})), false)
  assert.equal(isCustomNew(undefined, known), true)
})
