import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openKeyring } from '#account/keyring.ts'
import { silentLog } from '#kit/log.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import type { Profile } from './profile.ts'
import { openProfiles } from './profiles.ts'

const tag = { tagId: 'tag_1', teamId: 'team_1' }
const jane = { tag, userId: 'usr_jane' }
const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')

/** Two processes that share one store, whose writes can be held back. */
function openTwo() {
  const { users, rows } = fakeUsers()
  const clock = turnedClock()
  const { put } = users
  let gate = Promise.resolve()
  users.put = (writes) => gate.then(() => put(writes))
  const open = () => openProfiles({ store: { users }, keys, clock, log: silentLog }, new AbortController().signal)
  /** Holds back the writes until the returned function is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    return resolve
  }
  return { one: open(), other: open(), users, rows, clock, put, hold }
}

const empty: Profile = { keys: {}, custom: {}, captured: {}, seenAt: 1 }
const withKey = (name: string) => (known: Profile | undefined) => ({
  ...(known ?? empty),
  custom: { ...known?.custom, [name]: true },
})
const customOf = async (people: ReturnType<typeof openProfiles>) =>
  Object.keys((await people.get(jane))?.custom ?? {}).sort()

test('two processes that change one user at once lose no change of either', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), fc.nat(12), async (turns, held) => {
      const { one, other, hold } = openTwo()
      const pending: Promise<void>[] = []
      let release: (() => void) | undefined
      for (const [n, isOne] of turns.entries()) {
        if (n === held) release = hold()
        const { written } = await (isOne ? one : other).change(jane, withKey(`key ${n}`))
        pending.push(written)
        if (n % 3 === 0) await new Promise(setImmediate)
      }
      release?.()
      await Promise.all(pending)
      const expected = turns.map((_, n) => `key ${n}`).sort()
      assert.deepEqual(await customOf(one), expected)
      assert.deepEqual(await customOf(other), expected)
    }),
    { numRuns: 50 },
  )
})

test('of two e-mails that two processes give one user, both find the user', async () => {
  const { one, other, hold } = openTwo()
  const release = hold()
  const claim = (people: typeof one, email: string) => {
    const association = { key: people.emailKey(tag, email), isClaimed: true, isConfirmed: false }
    return people.change(jane, (known) => known ?? empty, association)
  }
  const writes = [await claim(one, 'a@example.com'), await claim(other, 'b@example.com')]
  release()
  await Promise.all(writes.map(({ written }) => written))
  for (const email of ['a@example.com', 'b@example.com']) {
    const { claimants } = await one.byEmail(tag, one.emailKey(tag, email))
    assert.deepEqual(
      claimants.map(({ userId }) => userId),
      ['usr_jane'],
    )
  }
})

test('changes of a user that another process erases meanwhile are not stored', async () => {
  const { one, other, users, hold } = openTwo()
  await (await one.change(jane, withKey('before'))).written
  const release = hold()
  const { written } = await one.change(jane, withKey('meanwhile'))
  await other.forget(jane, async () => {
    const user = { tagId: 'tag_1', userId: 'usr_jane', sealed: new Uint8Array(), seenAt: 7 }
    release()
    await users.put([{ user }])
  })
  await written
  assert.deepEqual([await one.get(jane), (await one.find(jane)).erasedAt], [undefined, 7])
})

test('a write whose answer is lost is repeated, and its change counts once', async () => {
  const { one, users, clock, put } = openTwo()
  let isLost = true
  users.put = async (writes) => {
    const results = await put(writes)
    if (!isLost) return results
    isLost = false
    throw new Error('the connection broke')
  }
  const { written } = await one.change(jane, withKey('once'))
  let isWritten = false
  void written.then(() => {
    isWritten = true
  })
  await until('the answer is lost', () => !isLost)
  await clock.turn(1_000)
  await until('it is written', () => isWritten)
  assert.deepEqual(await customOf(one), ['once'])
})

test('profiles that change at once are written together', async () => {
  const { one, users, put } = openTwo()
  const sizes: number[] = []
  users.put = (writes) => {
    sizes.push(writes.length)
    return put(writes)
  }
  const refs = Array.from({ length: 40 }, (_, n) => ({ tag, userId: `usr_${n}` }))
  const writes = await Promise.all(refs.map((user) => one.change(user, withKey('a'))))
  await Promise.all(writes.map(({ written }) => written))
  assert.deepEqual(sizes, [40])
})

test('the users of an e-mail are looked up at once', async () => {
  const { one, users } = openTwo()
  const association = { key: one.emailKey(tag, 'a@example.com'), isClaimed: true, isConfirmed: false }
  for (const userId of ['usr_1', 'usr_2', 'usr_3'])
    await (await one.change({ tag, userId }, () => empty, association)).written
  const asked: string[][] = []
  const { getMany } = users
  users.getMany = (tagId, userIds) => {
    asked.push([...userIds].sort())
    return getMany(tagId, userIds)
  }
  users.get = async () => assert.fail('one by one')
  assert.equal((await one.byEmail(tag, association.key)).claimants.length, 3)
  assert.deepEqual(asked, [['usr_1', 'usr_2', 'usr_3']])
})
