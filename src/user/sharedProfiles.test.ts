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

/** Two processes that share one store, whose writes can be blocked. */
function openTwo() {
  const { users, rows } = fakeUsers()
  const clock = turnedClock()
  const { put } = users
  let gate = Promise.resolve()
  users.put = (writes) => gate.then(() => put(writes))
  const open = () =>
    openProfiles(
      { store: { users }, keys, clock, log: silentLog, eventProfile: async () => undefined },
      new AbortController().signal,
    )
  /** Blocks writes until the returned function is called. */
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
const customOf = async (profiles: ReturnType<typeof openProfiles>) =>
  Object.keys((await profiles.get(jane))?.custom ?? {}).sort()

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
  const claim = (profiles: typeof one, email: string) => {
    const association = { key: profiles.emailKey(tag, email), isClaimed: true, isConfirmed: false }
    return profiles.change(jane, (known) => known ?? empty, association)
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

/** Profiles on a store that counts its reads. */
async function openCounted() {
  const opened = openTwo()
  const { one, users } = opened
  const refs = ['usr_1', 'usr_2'].map((userId) => ({ tag, userId }))
  for (const user of refs) await (await one.change(user, withKey('a'))).written
  const reads: string[] = []
  const { get, getMany } = users
  users.get = (tagId, userId) => {
    reads.push(userId)
    return get(tagId, userId)
  }
  users.getMany = (tagId, userIds) => {
    reads.push(userIds.join('+'))
    return getMany(tagId, userIds)
  }
  return { ...opened, refs, reads }
}

test('users that are read ahead are not read again, each once, and what is not used is dropped', async () => {
  const { one, refs, reads } = await openCounted()
  const release = await one.readAhead(tag, ['usr_1', 'usr_2', 'usr_new'])
  assert.deepEqual((await one.find(refs[0]!)).profile?.custom, { a: true })
  assert.deepEqual(await one.find({ tag, userId: 'usr_new' }), { version: 0 })
  assert.deepEqual(reads, ['usr_1+usr_2+usr_new'])
  await one.find(refs[0]!)
  release()
  await one.find(refs[1]!)
  assert.deepEqual(reads.slice(1), ['usr_1', 'usr_2'])
})

test('a user who changes or is erased after the read ahead, or during it, is read as it is then', async () => {
  const { one, refs, users } = await openCounted()
  await one.readAhead(tag, ['usr_1', 'usr_2'])
  await (await one.change(refs[0]!, withKey('b'))).written
  const erase = async () =>
    void (await users.put([{ user: { ...refs[1]!, tagId: 'tag_1', sealed: new Uint8Array(), seenAt: 7 } }]))
  await one.forget(refs[1]!, erase)
  assert.deepEqual((await one.find(refs[0]!)).profile?.custom, { a: true, b: true })
  assert.equal((await one.find(refs[1]!)).erasedAt, 7)

  const { getMany } = users
  const reading = Promise.withResolvers<void>()
  users.getMany = async (tagId, userIds) => {
    const rows = await getMany(tagId, userIds)
    await reading.promise
    return rows
  }
  const ahead = one.readAhead(tag, ['usr_1'])
  await (await one.change(refs[0]!, withKey('c'))).written
  reading.resolve()
  await ahead
  assert.deepEqual((await one.find(refs[0]!)).profile?.custom, { a: true, b: true, c: true })
})

test('a read ahead that fails changes nothing', async () => {
  const { one, refs, users } = await openCounted()
  users.getMany = async () => {
    throw new Error('the disk is slow')
  }
  const release = await one.readAhead(tag, ['usr_1'])
  release()
  assert.deepEqual((await one.find(refs[0]!)).profile?.custom, { a: true })
})
