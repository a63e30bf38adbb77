import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#kit/log.ts'
import type { StoreChange, TagRecord } from '#store/store.ts'
import { maxClaims } from '#store/users.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import { expireUsers } from './expireUsers.ts'

const now = Date.UTC(2026, 10, 20)
const dayMs = 86_400_000

function openExpiry() {
  const { users, rows } = fakeUsers()
  const written: StoreChange[][] = []
  const store = {
    users,
    tag: async (tagId: string) =>
      tagId === 'tag_gone' ? undefined : ({ tagId, teamId: tagId === 'tag_other' ? 'team_2' : 'team_1' } as TagRecord),
    async write(changes: readonly StoreChange[]) {
      written.push([...changes])
      for (const change of changes)
        if ('drop' in change && change.drop === 'user') rows.delete(change.tagId + change.userId)
    },
  }
  const add = (userId: string, days: number, tagId = 'tag_1', sealed = new Uint8Array([1])) =>
    rows.set(tagId + userId, { tagId, userId, sealed, seenAt: now - days * dayMs, version: 1 })
  const stopping = new AbortController()
  const expire = (rested = () => {}) =>
    expireUsers({ store, clock: { now: () => now, wait: async () => rested() }, log: silentLog }, stopping.signal)
  return { add, users, rows, written, expire, stop: () => stopping.abort() }
}

test('users who were not seen for 400 days are deleted, and the others stay', async () => {
  const { add, rows, expire } = openExpiry()
  add('old', 401)
  add('known', 399)
  await expire()
  assert.deepEqual([...rows.keys()], ['tag_1known'])
})

test('the number of deleted users is audited for each tag', async () => {
  const { add, written, expire } = openExpiry()
  add('a', 401)
  add('b', 500)
  add('c', 500, 'tag_2')
  add('d', 500, 'tag_gone')
  await expire()
  const audit = written.flat().flatMap((change) => ('add' in change && change.add === 'audit' ? [change.row] : []))
  const row = { at: now, by: 'retention', what: 'expireUsers' }
  assert.deepEqual(audit, [
    { ...row, object: 'tag_1', before: { users: 2 }, teamId: 'team_1' },
    { ...row, object: 'tag_2', before: { users: 1 }, teamId: 'team_1' },
    { ...row, object: 'tag_gone', before: { users: 1 } },
  ])
})

test('an erasure mark is deleted after eight days without an audit entry', async () => {
  const { add, rows, written, expire } = openExpiry()
  add('erased', 9, 'tag_1', new Uint8Array())
  add('erasedLately', 7, 'tag_1', new Uint8Array())
  await expire()
  assert.deepEqual([...rows.keys()], ['tag_1erasedLately'])
  assert.deepEqual(
    written[0]!.map((change) => Object.keys(change)[0]),
    ['drop'],
  )
})

test('any number of users is deleted, 500 at a time', async () => {
  const { add, rows, written, expire } = openExpiry()
  for (let n = 0; n < 1_200; n++) add(`u${n}`, 500)
  await expire()
  assert.equal(rows.size, 0)
  assert.equal(written.length, 3)
})

test('a team with many users delays the deletion of the users of another team by four slices', async () => {
  const { add, written, expire } = openExpiry()
  for (let n = 0; n < 5_000; n++) add(`u${n}`, 900)
  add('one', 401, 'tag_other')
  await expire()
  const ofOther = written.findIndex((changes) =>
    changes.some((each) => 'drop' in each && 'tagId' in each && each.tagId === 'tag_other'),
  )
  assert.deepEqual([ofOther, written.length], [4, 11])
})

test('a process that stops deletes no further users', async () => {
  const { add, rows, expire, stop } = openExpiry()
  for (let n = 0; n < 1_200; n++) add(`u${n}`, 500)
  await expire(stop)
  assert.equal(rows.size, 700, 'the next pass deletes the others')
})

test('nothing is written when no user has expired', async () => {
  const { written, expire } = openExpiry()
  await expire()
  assert.deepEqual(written, [])
})

/** Has more users claim an e-mail than are stored for one, this many days ago. Returns whether it is still crowded. */
async function crowdEmail({ users }: Pick<ReturnType<typeof openExpiry>, 'users'>, days: number) {
  const email = new Uint8Array([days % 256])
  for (let n = 0; n <= maxClaims; n++) {
    const user = { tagId: 'tag_1', userId: `u${n}`, sealed: new Uint8Array([1]), seenAt: now - days * dayMs }
    await users.put([{ user, lookupKeys: { claims: [email], overallConsent: 'refuses' } }])
  }
  return async () => (await users.byEmail('tag_1', email)).isCrowded
}

test('an e-mail that too many users claimed can be claimed again when nobody did for 400 days', async () => {
  const expiry = openExpiry()
  const [isNewCrowded, isOldCrowded] = [await crowdEmail(expiry, 399), await crowdEmail(expiry, 401)]
  assert.deepEqual([await isNewCrowded(), await isOldCrowded()], [true, true])
  await expiry.expire()
  assert.deepEqual([await isNewCrowded(), await isOldCrowded()], [true, false])
})

test('a process that stops leaves crowded e-mails to the next pass', async () => {
  const expiry = openExpiry()
  const isCrowded = await crowdEmail(expiry, 401)
  expiry.stop()
  await expiry.expire()
  assert.equal(await isCrowded(), true)
})
